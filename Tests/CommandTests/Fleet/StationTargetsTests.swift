import Bluetooth
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// Who of those on the air is a unit of `--all`.
@Suite struct StationTargetsTests {
    private static let monocle = Advertisement.monocle(1)
    /// As the bootloader of the unit of that number advertises.
    private static let stranded = Advertisement(address: FleetSample.address(2).bootloader, name: "DfuTarg", services: [], rssi: -50)
    private static let frame = Advertisement(address: FleetSample.address(8), name: "Frame C0", services: [], rssi: -50)

    private func targets(
        of present: [Advertisement], units: UnitSelection.Units = .inReach, family: FamilyID? = "monocle", known: [DeviceAddress] = []
    ) async throws -> (units: [DeviceAddress?], notices: [String]) {
        let folder = try TemporaryFolder()
        for address in known { try await KnownUnits(stateFolder: folder.path).record(.monocle, address) }
        let time = VirtualTime.simulated()
        let notices = Notices()
        let adapter = FleetAdapter(name: "hci0", central: PlayedAir(time.clock, present))
        let station = Station.played(UnitSelection(units: units, family: family), [adapter], at: folder.path) { notices.add($0) }
        let found = try await time.run { try await station.targets() }
        return (found.map { $0.unit().address }, notices.all)
    }

    /// DfuTarg is what any Nordic bootloader calls itself.
    @Test func aStrangersBootloaderIsLeftAlone() async throws {
        let (units, notices) = try await targets(of: [Self.monocle, Self.stranded])
        #expect(units == [Self.monocle.address])
        #expect(notices == ["\(FleetSample.address(2)) is a bootloader that this station has not worked on: it is left alone"])
        await #expect(throws: UnitSelectionError.self) { try await targets(of: [Self.stranded]) }
    }

    @Test func aKnownUnitInItsBootloaderIsOneOfAll() async throws {
        let (units, notices) = try await targets(of: [Self.stranded], known: [FleetSample.address(2)])
        #expect(units == [FleetSample.address(2)] && notices.isEmpty)
    }

    /// Of several in reach, the one whose chat was cut off; noafw guesses no other.
    @Test(arguments: [UnitSelector.only, .nearest]) func theUnitThatIsResumedIsMeant(selector: UnitSelector) async throws {
        let folder = try TemporaryFolder()
        let present = [Self.monocle, .monocle(3)]
        func found(_ resumes: DeviceAddress?, _ present: [Advertisement]) async throws -> (units: [DeviceAddress?], notices: [String]) {
            let time = VirtualTime.simulated()
            let notices = Notices()
            var selection = UnitSelection(units: .one(selector))
            selection.resumes = resumes
            let adapter = FleetAdapter(name: "hci0", central: PlayedAir(time.clock, present))
            let station = Station.played(selection, [adapter], at: folder.path) { notices.add($0) }
            let targets = try await time.run { try await station.targets() }
            return (targets.map { $0.unit().address }, notices.all)
        }
        for other in [nil, FleetSample.address(7)] {
            await #expect(throws: UnitSelectionError.self) { try await found(other, present) }
        }
        guard selector == .only else {
            await #expect(throws: UnitSelectionError.self) { try await found(FleetSample.address(3), present) }
            return
        }
        let (units, notices) = try await found(FleetSample.address(3), present)
        #expect(units == [FleetSample.address(3)])
        #expect(notices == ["2 units are in reach; \(FleetSample.address(3)) is the one whose chat was cut off"])
        let alone = try await found(FleetSample.address(3), [Self.monocle])
        #expect(alone.units == [Self.monocle.address] && alone.notices == [])
    }

    /// In its application and in its bootloader; with Frame's service, as the real one.
    @Test(arguments: ["FE:59:94:12:00:01", "FF:59:94:12:00:01"]) func aHaloIsLeftAlone(address: String) async throws {
        let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")
        let halo = Advertisement(address: try #require(DeviceAddress(address)), name: "Halo 12", services: [service], rssi: -30)
        let (units, notices) = try await targets(of: [Self.monocle, halo, Self.frame], family: nil)
        #expect(Set(units) == [Self.monocle.address, Self.frame.address])
        #expect(notices == ["\(address) is a Halo, not supported yet: it is left alone"])
        await #expect(throws: UnitSelectionError.self) { try await targets(of: [halo], family: nil) }
    }

    /// Beside a Monocle, units that nobody provisions make nothing ambiguous.
    @Test(arguments: [UnitSelection.Units.one(.only), .inReach])
    func whatIsNotProvisionedIsLeftAlone(units: UnitSelection.Units) async throws {
        let robot = Advertisement(
            address: FleetSample.address(9), name: nil, services: [AttributeID("61653dc3-4021-4d1e-ba83-8b4eec61d613")], rssi: -20)
        let (found, notices) = try await targets(of: [robot, Self.monocle], units: units, family: nil)
        #expect(found == [Self.monocle.address])
        #expect(notices.count == 1 && notices[0].hasPrefix("\(robot.address) is a openbot: it is left alone; its firmware is written over"))
        await #expect(throws: UnitSelectionError.self) { try await targets(of: [robot], units: units, family: nil) }
    }

    @Test func aUnitOfAnotherFamilyIsNone() async throws {
        #expect(try await targets(of: [Self.monocle, Self.frame]).units == [Self.monocle.address])
        #expect(Set(try await targets(of: [Self.monocle, Self.frame], family: nil).units) == [Self.monocle.address, Self.frame.address])
        await #expect(throws: UnitSelectionError.self) { try await targets(of: [Self.frame]) }
    }
}
