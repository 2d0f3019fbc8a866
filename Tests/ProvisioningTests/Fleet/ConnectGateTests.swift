import Support
import Testing

@testable import Provisioning

@Suite struct AdapterCeilingTests {
    @Test func itIsLearnedDownwardByOne() {
        var ceiling = AdapterCeiling()
        #expect(ceiling.links == 5)
        #expect(ceiling.refused(besides: 3) && ceiling.links == 4)
        #expect(ceiling.refused(besides: 1) && ceiling.links == 3)
    }

    @Test func withoutAnotherLinkItIsNotFull() {
        var ceiling = AdapterCeiling()
        let isFull = ceiling.refused(besides: 0)
        #expect(!isFull && ceiling.links == 5)
    }

    @Test func oneLinkIsAlwaysTried() {
        var ceiling = AdapterCeiling()
        for _ in 0..<20 { _ = ceiling.refused(besides: 1) }
        #expect(ceiling.links == 1)
    }
}

/// Whose connect is next.
@Suite struct ConnectGateTests {
    private func time(_ seconds: Double) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }

    /// The holder has a link, beside those of others.
    private func linked(_ holder: UInt64, besides foreignLinks: Int) -> ConnectGate {
        var gate = ConnectGate()
        gate.foreignLinks = foreignLinks
        let ticket = gate.enter(holder)
        _ = gate.advance(at: time(0))
        gate.connected(ticket)
        return gate
    }

    @Test func oneDialsAtATimeAndTheyComeInTurn() {
        var gate = ConnectGate()
        let tickets = (1...3).map { gate.enter(UInt64($0) * 100) }
        #expect(gate.advance(at: time(0)) == tickets[0])
        #expect(gate.advance(at: time(0)) == nil)
        gate.connected(tickets[0])
        #expect(gate.advance(at: time(1)) == tickets[1])
        gate.failed(tickets[1], keepsPlace: true)
        #expect(gate.advance(at: time(2)) == tickets[2])
        #expect(gate.linksUp == 1)
    }

    @Test func linksStayBelowTheCeiling() {
        var gate = ConnectGate()
        gate.foreignLinks = 3
        let tickets = (1...3).map { gate.enter(UInt64($0) * 100) }
        for ticket in tickets.prefix(2) {
            #expect(gate.advance(at: time(0)) == ticket)
            gate.connected(ticket)
        }
        #expect(gate.advance(at: time(0)) == nil, "five are up")
        gate.linkEnded(100, keepsPlace: false)
        #expect(gate.advance(at: time(0)) == tickets[2])
    }

    /// A unit that reboots needs its place back at once; who came meanwhile waits for a place of its own.
    @Test func aJobKeepsItsPlaceWhileItsUnitReboots() {
        var gate = linked(1000, besides: 4)
        let other = gate.enter(2000)
        gate.linkEnded(1000, keepsPlace: true)
        #expect(gate.advance(at: time(1)) == nil, "the place is the first one's")
        let again = gate.enter(1000)
        #expect(gate.advance(at: time(2)) == again, "it does not wait behind who has no place")
        gate.connected(again)
        gate.linkEnded(1000, keepsPlace: true)
        gate.giveBack(1000)
        #expect(gate.advance(at: time(3)) == other)
    }

    @Test func aFullAdapterIsAskedAgainWhenThereMayBeRoom() {
        var gate = ConnectGate()
        let (first, second, third) = (gate.enter(1000), gate.enter(2000), gate.enter(3000))
        _ = gate.advance(at: time(0))
        gate.connected(first)
        #expect(gate.advance(at: time(0)) == second)
        #expect(gate.refused(second, keepsPlace: false, at: time(1)) == .requeued(isCharged: false))
        #expect(gate.ceiling.links == 4 && gate.dialing == nil)
        #expect(gate.advance(at: time(4.9)) == nil, "a full adapter is left in peace")
        #expect(gate.advance(at: time(5)) == second, "it did not lose its turn")
        _ = gate.refused(second, keepsPlace: false, at: time(5))
        gate.linkEnded(1000, keepsPlace: false)
        #expect(gate.advance(at: time(5.1)) == second, "a link that ends makes room")
        gate.connected(second)
        #expect(gate.advance(at: time(5.2)) == third)
    }

    @Test func withoutAnotherLinkARefusalIsAnOrdinaryFailure() {
        var gate = ConnectGate()
        let ticket = gate.enter(1000)
        _ = gate.advance(at: time(0))
        #expect(gate.refused(ticket, keepsPlace: false, at: time(1)) == .ordinary)
        #expect(gate.ceiling.links == 5 && gate.taken == 0 && gate.dialing == nil)
    }

    /// Others' links alone will not end for us: the wait costs the connect's own time.
    @Test func waitingForStrangersIsCharged() {
        var gate = ConnectGate()
        gate.foreignLinks = 7
        let ticket = gate.enter(1000)
        #expect(gate.advance(at: time(0)) == ticket, "only trying tells")
        #expect(gate.refused(ticket, keepsPlace: false, at: time(1)) == .requeued(isCharged: true))
    }

    /// A place kept through a reboot is no link that could end.
    @Test func waitingBesideAPlaceWithoutALinkIsCharged() {
        var gate = linked(1000, besides: 3)
        let second = gate.enter(2000)
        #expect(gate.advance(at: time(0)) == second)
        gate.linkEnded(1000, keepsPlace: true)
        #expect(gate.refused(second, keepsPlace: true, at: time(1)) == .requeued(isCharged: true))
    }

    @Test func whoGivesUpLetsTheNextOneDial() {
        var gate = ConnectGate()
        let (first, second) = (gate.enter(1000), gate.enter(2000))
        _ = gate.advance(at: time(0))
        gate.failed(first, keepsPlace: false)
        #expect(gate.advance(at: time(0)) == second)
        gate.failed(second, keepsPlace: false)
        #expect(gate.advance(at: time(0)) == nil && gate.taken == 0)
    }
}
