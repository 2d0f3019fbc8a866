import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing

@testable import noafw

/// A radio that holds links of other programs. A unit with a link does not advertise; without one it is heard at once.
private final class SharedAir: SharedRadio, Discovery {
    let clock = ManualTime(wakingUntil: .zero).clock
    let sightings = Inbox<Advertisement>()
    private let links: Mutex<[StaleConnection]>
    private let ended = Mutex<[DeviceAddress]>([])

    /// Its link does not end.
    private let stubborn: DeviceAddress?

    init(_ links: [StaleConnection], stubborn: DeviceAddress? = nil) {
        self.links = Mutex(links)
        self.stubborn = stubborn
    }

    var endedLinks: [DeviceAddress] { ended.withLock { $0 } }

    func foreignConnections(before deadline: SessionClock.Instant) async throws -> [StaleConnection] { links.withLock { $0 } }

    func end(_ link: StaleConnection, before deadline: SessionClock.Instant) async throws {
        guard link.address != stubborn else { throw LinkError.timedOut("the link's end") }
        links.withLock { $0.removeAll { $0 == link } }
        ended.withLock { $0.append(link.address) }
        sightings.deliver(Advertisement(address: link.address, name: link.name, services: [], rssi: -50))
    }

    func discover() async throws -> any Discovery { self }
    func stop() async {}

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        throw LinkError.connectFailed(address, reason: "nobody connects here")
    }
}

@Suite struct StaleConnectionTests {
    private static let monocle = DeviceAddress("D3:5A:00:11:22:33")!
    private static let other = DeviceAddress("E1:00:00:00:00:FF")!
    private static let frame = DeviceAddress("C7:00:00:00:00:4F")!

    /// - Returns: whose links were ended, and what was said.
    private func staleConnections(
        _ links: [StaleConnection], known: [(FamilyID, DeviceAddress)], selector: UnitSelector = .only,
        families: Set<FamilyID> = [.monocle], busy: DeviceAddress? = nil, stubborn: DeviceAddress? = nil
    ) async throws -> (ended: [DeviceAddress], notices: [String]) {
        let folder = try TemporaryFolder()
        for (family, address) in known { try await KnownUnits(stateFolder: folder.path).record(family, address) }
        let lock = try busy.map { try UnitLock(unit: $0, stateFolder: folder.path) }
        defer { withExtendedLifetime(lock) {} }
        let air = SharedAir(links, stubborn: stubborn)
        let notices = Mutex<[String]>([])
        let stale = StaleConnections(
            central: air, stateFolder: folder.path, notice: { text in notices.withLock { $0.append(text) } })
        try await stale.end(selector, families: families, known: try KnownUnits(stateFolder: folder.path).load())
        return (air.endedLinks, notices.withLock { $0 })
    }

    @Test(arguments: [("monocle", Self.monocle), ("DfuTarg", Self.monocle.bootloader), (nil, Self.monocle)])
    func aKnownUnitsLinkIsEndedAndSaid(name: String?, at address: DeviceAddress) async throws {
        let (ended, notices) = try await staleConnections(
            [StaleConnection(address: address, name: name)], known: [(.monocle, Self.monocle)])
        #expect(ended == [address])
        #expect(notices.count == 1 && notices[0].contains(Self.monocle.description))
    }

    @Test func aStrangersLinkIsLeftAlone() async throws {
        let links = [
            StaleConnection(address: Self.other, name: "monocle"), StaleConnection(address: Self.other.bootloader, name: "DfuTarg"),
            // A neighbour at the address of a known unit's bootloader.
            StaleConnection(address: Self.monocle.bootloader, name: "headphones"),
        ]
        let (ended, notices) = try await staleConnections(links, known: [(.monocle, Self.monocle)])
        #expect(ended.isEmpty && notices.isEmpty)
    }

    @Test(arguments: [
        (.address(Self.monocle), [Self.monocle]), (.address(Self.other), [Self.other]), (.name("monocle"), [Self.monocle]),
        (.name("kettle"), []), (.only, [Self.monocle, Self.other]), (.nearest, [Self.monocle, Self.other]),
    ] as [(UnitSelector, [DeviceAddress])])
    func onlyTheUnitThatIsMeant(selector: UnitSelector, expected: [DeviceAddress]) async throws {
        let links = [StaleConnection(address: Self.monocle, name: "monocle"), StaleConnection(address: Self.other, name: nil)]
        let (ended, _) = try await staleConnections(links, known: [(.monocle, Self.monocle), (.monocle, Self.other)], selector: selector)
        #expect(ended == expected)
    }

    @Test func aUnitThatAProcessWorksOnIsLeftAlone() async throws {
        let (ended, notices) = try await staleConnections(
            [StaleConnection(address: Self.monocle, name: "monocle")], known: [(.monocle, Self.monocle)], busy: Self.monocle)
        #expect(ended.isEmpty && notices.isEmpty)
    }

    @Test func aLinkThatDoesNotEndIsSaidAndTheNextOneEnded() async throws {
        let links = [StaleConnection(address: Self.monocle, name: "monocle"), StaleConnection(address: Self.other, name: "monocle")]
        let (ended, notices) = try await staleConnections(
            links, known: [(.monocle, Self.monocle), (.monocle, Self.other)], stubborn: Self.monocle)
        #expect(ended == [Self.other])
        #expect(notices.contains { $0.hasPrefix("the link to \(Self.monocle) does not end") })
    }

    @Test func anotherFamilyIsLeftAlone() async throws {
        let links = [StaleConnection(address: Self.frame.bootloader, name: "Frame Update")]
        #expect(try await staleConnections(links, known: [(.frame, Self.frame)]).ended.isEmpty)
        #expect(try await staleConnections(links, known: [(.frame, Self.frame)], families: [.frame]).ended == [Self.frame.bootloader])
    }

    /// After a crash every verb has to see the unit again, a dry run too.
    @Test func theUnitIsFoundOnceItsLinkIsEnded() async throws {
        let folder = try TemporaryFolder()
        for unit in [Self.monocle, Self.other] { try await KnownUnits(stateFolder: folder.path).record(.monocle, unit) }
        let air = SharedAir([Self.monocle, Self.other].map { StaleConnection(address: $0, name: "monocle") })
        let selection = UnitSelection(units: .one(.address(Self.monocle)))
        let station = Station.played(selection, [FleetAdapter(name: "hci0", central: air)], at: folder.path)
        #expect(try await station.targets().map { $0.unit().address } == [Self.monocle])
        #expect(air.endedLinks == [Self.monocle], "the other unit is not meant")
    }
}
