import Bluetooth
import Support
import Testing

@testable import Provisioning

/// The course of `flash --watch` at one place.
@Suite struct LineWatchTests {
    private struct Line {
        var watch: LineWatch
        var now = SessionClock.Instant(offset: .zero)
        var actions: [LineWatch.Action] = []

        init(allowed: Set<DeviceAddress>? = nil, families: Set<FamilyID> = ["pager"], known: Set<DeviceAddress> = []) {
            watch = LineWatch(rules: .init(families: families, allowed: allowed, known: known), at: now)
        }

        /// Shows units for a while.
        mutating func show(_ units: [DiscoveredUnit], for seconds: Double = 0.5, heard: Bool = true) {
            for _ in 0..<Int(seconds * 2) {
                now = now.advanced(by: .milliseconds(500))
                if heard { watch.heard(at: now) }
                actions += watch.look(units, at: now)
            }
        }

        mutating func work(_ units: [DiscoveredUnit], error: Diagnosis? = nil, for seconds: Double = 60) {
            actions += watch.claimed(at: now)
            now = now.advanced(by: .seconds(seconds))
            actions += watch.finished(LineVerdict(error: error, time: now), at: now)
        }

        mutating func take() -> [LineWatch.Action] {
            defer { actions = [] }
            return actions
        }
    }

    private static let failed = Diagnosis("X", .unitFailed, .unit, "", cause: "", remedy: "")

    private func unit(_ number: Int, _ rssi: Int = -50, mode: UnitMode = .application, family: FamilyID = "pager") -> DiscoveredUnit {
        let address = DeviceAddress.number(number)
        return DiscoveredUnit(
            family: family, mode: mode, advertisedAddress: mode == .application ? address : address.bootloader, name: "", rssi: rssi)
    }

    @Test func aUnitThatLiesHereIsTakenAndFlashed() {
        var line = Line()
        line.show([unit(1)])
        #expect(line.watch.state == .seen(unit(1)) && line.take().isEmpty, "a passer-by is strong for a moment")
        line.show([unit(1)], for: 2)
        #expect(line.take() == [.claim(unit(1))] && line.watch.state == .claimed(unit(1)))
        line.show([unit(1)], for: 5)
        #expect(line.take().isEmpty, "it is claimed once")
        #expect(line.watch.claimed(at: line.now) == [.run(unit(1))] && line.watch.state == .running(unit(1)))
    }

    @Test func onlyWhatLiesHereIsTaken() {
        for other in [unit(1, -66), unit(1, -50, family: "frame")] {
            var line = Line()
            line.show([other], for: 20)
            #expect(line.take().isEmpty && line.watch.state == .idle)
        }
        var edge = Line()
        edge.show([unit(1, -65), unit(2, -71)], for: 3)
        #expect(edge.take() == [.claim(unit(1, -65))])
    }

    @Test func ofTwoThatLieHereNoneIsTakenAndItIsSaidOnce() {
        var line = Line()
        line.show([unit(1, -50), unit(2, -55)], for: 20)
        #expect(line.take() == [.several([unit(1, -50), unit(2, -55)])])
        line.show([unit(1, -50), unit(2, -56)], for: 3)
        #expect(line.take() == [.free, .claim(unit(1, -50))])

        var empty = Line()
        empty.show([unit(1, -50), unit(2, -55)])
        empty.show([], for: 20)
        #expect(empty.take() == [.several([unit(1, -50), unit(2, -55)]), .free], "nobody is asked to take away what is not there")
    }

    @Test func aListTakesItsOwnAndNoOthers() {
        var line = Line(allowed: [.number(3)])
        line.show([unit(1, -40)], for: 20)
        #expect(line.take().isEmpty)
        line.show([unit(1, -40), unit(3, -80)], for: 3)
        #expect(line.take() == [.claim(unit(3, -80))])
    }

    @Test func aVerdictStaysUntilItsUnitWasAwayForTenSeconds() {
        var line = Line()
        line.show([unit(1)], for: 3)
        line.work([unit(1)], error: Self.failed)
        _ = line.take()
        line.show([unit(1)], for: 30)
        line.show([], for: 9)
        line.show([unit(1)], for: 1)
        line.show([], for: 9.5)
        #expect(line.take().isEmpty)
        line.show([], for: 1)
        #expect(line.take() == [.free] && line.watch.state == .idle)
        line.show([unit(1)], for: 3)
        #expect(line.take() == [.claim(unit(1))], "one that failed may come again")
    }

    @Test func aUnitThatPassedOnlyShowsItsVerdictUntilAgain() {
        var line = Line()
        line.show([unit(1)], for: 3)
        line.work([unit(1)])
        let verdict = LineVerdict(error: nil, time: line.now)
        line.show([], for: 11)
        _ = line.take()
        line.show([unit(1)], for: 60)
        #expect(line.take() == [.showAgain(unit(1), verdict)])
        #expect(line.watch.again(at: line.now) == [.claim(unit(1))])
        #expect(line.watch.again(at: line.now).isEmpty)
    }

    @Test func againWantsAUnitThatLiesHere() {
        var line = Line()
        line.show([unit(1)], for: 3)
        line.work([unit(1)])
        let end = line.now
        line.show([], for: 5)
        #expect(line.watch.again(at: line.now).isEmpty)
        #expect(line.watch.again(at: end.advanced(by: ScanResults.silence)).isEmpty)
    }

    /// A unit that restarts into its bootloader is here all the time.
    @Test func aRebootIsNotAbsence() {
        var line = Line()
        line.show([unit(1)], for: 3)
        line.work([unit(1)], error: Self.failed)
        _ = line.take()
        for mode in [UnitMode.application, .bootloader, .application] {
            line.show([], for: 8)
            line.show([unit(1, mode: mode, family: mode == .bootloader ? "other" : "pager")], for: 2)
        }
        // Whatever its bootloader calls itself.
        line.show([], for: 8)
        line.show(
            [DiscoveredUnit(family: "other", mode: .application, advertisedAddress: .number(1).bootloader, name: "", rssi: -50)], for: 2)
        line.show([], for: 8)
        #expect(line.take().isEmpty)
    }

    /// The tray of finished units stands beside the jig.
    @Test func aUnitThatAnotherOutshinesDoesNotLieHereAnyMore() {
        var line = Line()
        line.show([unit(1, -50)], for: 3)
        line.work([unit(1)], error: Self.failed)
        _ = line.take()
        line.show([unit(2, -45), unit(1, -60)], for: 11)
        #expect(line.take() == [.free])
        line.show([unit(2, -45), unit(1, -60)], for: 3)
        #expect(line.take() == [.claim(unit(2, -45))])
    }

    @Test(arguments: [nil, [.number(1)]] as [Set<DeviceAddress>?]) func whatCannotBeTakenIsLeftAlone(allowed: Set<DeviceAddress>?) {
        var line = Line(allowed: allowed)
        line.show([unit(1)], for: 3)
        _ = line.take()
        #expect(line.watch.refused(at: line.now).isEmpty)
        line.show([unit(1)], for: 60)
        #expect(line.take().isEmpty && line.watch.state == .idle)
        line.show([], for: 11)
        line.show([unit(1)], for: 3)
        #expect(line.take() == [.claim(unit(1))])
    }

    @Test func whoDrainsTakesNoMoreAndFinishesWhatRuns() {
        var idle = Line()
        #expect(idle.watch.drain() == [.drained] && idle.watch.drain().isEmpty)
        idle.show([unit(1)], for: 5)
        #expect(idle.take().isEmpty)

        var line = Line()
        line.show([unit(1)], for: 3)
        _ = line.watch.claimed(at: line.now)
        #expect(line.watch.drain().isEmpty && line.watch.state == .running(unit(1)))
        #expect(line.watch.finished(LineVerdict(error: nil, time: line.now), at: line.now) == [.drained])
    }

    /// An empty place in a quiet room is like that for hours.
    @Test func silenceIsToldOnceAndEndsNothing() {
        var line = Line()
        line.show([], for: 179.5, heard: false)
        #expect(line.take().isEmpty)
        line.show([], for: 0.5, heard: false)
        #expect(line.take() == [.silent(.seconds(180))])
        line.show([], for: 36_000, heard: false)
        #expect(line.take().isEmpty && line.watch.state == .idle)
        line.show([unit(1)], for: 3)
        #expect(line.take() == [.claim(unit(1))])
        line.work([unit(1)])
        _ = line.take()
        line.show([], for: 11)
        line.show([], for: 180, heard: false)
        #expect(line.take() == [.free, .silent(.seconds(180))], "the radio may have died since")
    }

    /// Whatever is heard, the radio lives.
    @Test func aRoomOfOthersIsNotSilent() {
        var line = Line()
        line.show([], for: 600)
        #expect(line.take().isEmpty)
    }

    /// Nobody listens while a unit is worked on.
    @Test func workIsNotSilence() {
        var line = Line()
        line.show([unit(1)], for: 3)
        line.work([unit(1)], for: 600)
        _ = line.take()
        line.show([], for: 11, heard: false)
        #expect(line.take() == [.free])
    }

    /// Every device with Nordic's bootloader calls itself the same.
    @Test func aBootloaderThatNobodyKnowsIsLeftAlone() {
        var line = Line()
        let stranger = unit(1, mode: .bootloader)
        line.show([stranger], for: 20)
        #expect(line.take() == [.unknownBootloader(stranger)] && line.watch.state == .idle, "it is said once")
        line.show([], for: 1)
        line.show([stranger], for: 20)
        #expect(line.take() == [.unknownBootloader(stranger)])
        for rules in [Line(known: [.number(1)]), Line(allowed: [.number(1)])] {
            var line = rules
            line.show([stranger], for: 3)
            #expect(line.take() == [.claim(stranger)])
        }
    }

    @Test func aUnitThatThisShiftLeftInItsBootloaderIsTakenAgain() {
        var line = Line()
        line.show([unit(1)], for: 3)
        line.work([unit(1)], error: Self.failed)
        line.show([], for: 11)
        _ = line.take()
        line.show([unit(1, mode: .bootloader)], for: 3)
        #expect(line.take() == [.claim(unit(1, mode: .bootloader))])
    }

    /// The operator takes it away before its serial number was scanned.
    @Test func aClaimedUnitThatGoesIsClaimedNoMore() {
        var line = Line()
        line.show([unit(1)], for: 3)
        _ = line.take()
        line.show([unit(1)], for: 60)
        #expect(line.take().isEmpty)
        line.show([])
        #expect(line.take() == [.free] && line.watch.state == .idle)
        #expect(line.watch.claimed(at: line.now).isEmpty, "nothing runs")
        line.show([unit(2)], for: 3)
        #expect(line.take() == [.claim(unit(2))])
    }

    @Test func aClaimedUnitThatAnotherOutshinesIsClaimedNoMore() {
        var line = Line()
        line.show([unit(1, -60)], for: 3)
        _ = line.take()
        line.show([unit(1, -60), unit(2, -50)])
        #expect(line.take() == [.free])
    }

    @Test func aClaimedUnitThatGetsCompanyIsClaimedNoMore() {
        var line = Line()
        line.show([unit(1, -50)], for: 3)
        _ = line.take()
        line.show([unit(1, -50), unit(2, -52)], for: 5)
        #expect(line.take() == [.several([unit(1, -50), unit(2, -52)])] && line.watch.state == .idle)
        line.show([unit(1, -50)], for: 3)
        #expect(line.take() == [.free, .claim(unit(1, -50))])
    }

    /// It was taken from afar, and is put where it is weaker by 10 dB at least.
    @Test func aListedUnitNeedsNotFallSilentToBeAway() {
        var line = Line(allowed: [.number(1), .number(2)])
        line.show([unit(1, -70), unit(2, -75)], for: 3)
        line.work([unit(1)])
        _ = line.take()
        line.show([unit(1, -80), unit(2, -75)], for: 20)
        #expect(line.take().isEmpty, "as near as it was")
        line.show([unit(1, -81), unit(2, -75)], for: 11)
        #expect(line.take() == [.free])
        line.show([unit(1, -81), unit(2, -75)], for: 3)
        #expect(line.take() == [.claim(unit(2, -75))])
    }

    @Test func aNeighbourThatIsNotListedOutshinesNoListedUnit() {
        var line = Line(allowed: [.number(1)])
        line.show([unit(1, -70), unit(9, -40)], for: 3)
        #expect(line.take() == [.claim(unit(1, -70))])
        line.show([unit(1, -70), unit(9, -40)], for: 20)
        #expect(line.take().isEmpty, "it waits for its number")
    }
}
