import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Support
import Synchronization
import TestSupport
import Testing
@testable import Provisioning
@testable import VirtualDevices

/// A Halo has Frame's service, and bonds with whoever subscribes: it is told apart before that.
@Suite struct HaloTests {
    private static let families = FamilyList([.monocle, .frame, .halo])
    private static let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")

    /// - Parameter name: none where it is empty.
    private static func advertisement(_ address: String, _ name: String, rssi: Int = -40) throws -> Advertisement {
        Advertisement(address: try #require(DeviceAddress(address)), name: name.isEmpty ? nil : name, services: [service], rssi: rssi)
    }

    @Test(arguments: [
        ("C0:00:00:12:00:01", "Halo 12", "halo", UnitMode.application), ("FE:59:94:12:00:01", "", "halo", .application),
        ("FF:59:94:12:00:01", "Halo 12", "halo", .bootloader), ("FF:59:94:12:00:01", "", "halo", .bootloader),
        ("FE:59:94:12:00:01", "Frame Update", "halo", .application), ("C0:00:00:12:00:01", "Frame C0", "frame", .application),
        ("FE:59:95:12:00:01", "", "frame", .application), ("C0:00:00:12:00:01", "Halogen", "frame", .application),
        ("C0:00:00:12:00:01", "monocle", "monocle", .application),
    ])
    func itsNameOrItsAddressTells(address: String, name: String, family: String, mode: UnitMode) throws {
        let unit = try #require(Self.families.recognise(try Self.advertisement(address, name)))
        #expect(unit.family.rawValue == family && unit.mode == mode && unit.isSupported == (family != "halo"))
        #expect(unit.address.description == address, "no address of its application can be told from its bootloader's")
    }

    /// On the air beside a Frame: nearer, and never connected to.
    private static func find(
        _ wish: UnitSelector, beside frame: Bool = true
    ) async throws -> (found: Result<DiscoveredUnit, UnitSelectionError>, left: [String]) {
        let air = VirtualAir(time: .simulated())
        let halo = Inbox<UnitEvent>()
        let left = Mutex<[String]>([])
        let found = try await air.time.run { () async throws -> Result<DiscoveredUnit, UnitSelectionError> in
            let clock = air.time.clock
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let names =
                        frame
                        ? [("FE:59:94:12:00:01", "Halo 12", -30), ("C0:00:00:00:00:02", "Frame C0", -50)]
                        : [("FE:59:94:12:00:01", "Halo 12", -30)]
                    let places = names.map { _ in air.join() }
                    while true {
                        for (sign, place) in zip(names, places) {
                            let shown = try Self.advertisement(sign.0, sign.1, rssi: sign.2)
                            air.publish(
                                Advertising(sightings: [shown], largestMTU: 247, table: GATTTable(services: []), unit: halo), from: place)
                        }
                        try await clock.sleep(until: clock.deadline(in: .milliseconds(200)))
                    }
                }
                defer { group.cancelAll() }
                do throws {
                    return .success(
                        try await UnitFinder(central: VirtualCentral(air: air), families: Self.families).find(
                            wish, families: ["monocle", "frame"], known: [],
                            leaving: { unit in left.withLock { $0.append("\(unit.advertisedAddress)") } }))
                } catch let error as UnitSelectionError {
                    return .failure(error)
                }
            }
        }
        while let event = halo.poll() {
            if case .connect = event { Issue.record("it was connected to") }
        }
        return (found, left.withLock(\.self))
    }

    @Test(arguments: [UnitSelector.only, .nearest, .name("Frame C0")]) func itIsLeftAloneAndTold(wish: UnitSelector) async throws {
        let (found, left) = try await Self.find(wish)
        #expect(try found.get().address.description == "C0:00:00:00:00:02")
        #expect(left == ["FE:59:94:12:00:01"], "once")
    }

    @Test func aloneItIsNoUnit() async throws {
        for wish in [UnitSelector.only, .nearest, .name("Halo 12")] {
            let (found, _) = try await Self.find(wish, beside: false)
            guard case .failure(.otherFamily(let unit)) = found else {
                Issue.record("\(wish): \(found)")
                continue
            }
            #expect(unit.family == .halo)
        }
    }

    /// Anybody may call himself a Halo.
    @Test func aCrowdIsToldInPart() throws {
        var strangers = UnsupportedUnits()
        let crowd = try (10..<40).map { try #require(Self.families.recognise(try Self.advertisement("FE:59:94:00:00:\($0)", ""))) }
        #expect(strangers.note(crowd).count == 4 && strangers.note(crowd).isEmpty)
    }

    private struct OneLink: Central {
        let clock: SessionClock
        let link: any Connection
        func discover() async throws -> any Discovery { throw LinkError.unavailable("there is one link alone") }
        func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
            link
        }
    }

    /// One that shows neither sign on the air: its attribute table tells, which asks nothing of it.
    @Test(.enabled(if: TestTools.mayRunLua, "Lua is missing"), arguments: [false, true])
    func oneWithoutSignsIsLeftBeforeAnythingIsAsked(isBonded: Bool) async throws {
        let folder = try TemporaryFolder()
        let unit = try LuaPrompt(folder: folder.url, isNewlyBonded: isBonded, isHalo: true)
        let time = VirtualTime.simulated()
        let rules = try #require(Family.frame.provisioning)
        try await time.run {
            let central = OneLink(clock: time.clock, link: unit)
            await #expect(throws: FrameError.halo(isBonded: isBonded)) {
                _ = try await rules.connect(to: unit.address, over: central, deadline: time.clock.deadline(in: .seconds(5)))
            }
        }
        #expect(unit.state.withLock { $0.writes.isEmpty && $0.subscriptions == 0 && $0.isGone })
        #expect(FrameError.halo(isBonded: true).diagnosis.remedy.contains("noafw unpair"))
        #expect(FrameError.halo(isBonded: false).diagnosis.remedy.contains("has changed nothing"))
    }

    @Test(.enabled(if: TestTools.mayRunLua, "Lua is missing")) func aFrameIsNotRefused() async throws {
        let folder = try TemporaryFolder()
        let unit = try LuaPrompt(folder: folder.url)
        let time = VirtualTime.simulated()
        let rules = try #require(Family.frame.provisioning)
        try await time.run {
            let central = OneLink(clock: time.clock, link: unit)
            let link = try await rules.connect(to: unit.address, over: central, deadline: time.clock.deadline(in: .seconds(5)))
            await link.disconnect()
        }
    }
}
