import Bluetooth
import Foundation
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// Many virtual units, each opened when its turn comes.
@Suite struct VirtualFleetTests {
    private let folder: TemporaryFolder
    private let search: AssetSearch

    init() throws {
        folder = try TemporaryFolder()
        search = AssetSearch(given: nil, environment: ["NOAFW_PYTHON": "/bin/true"], currentDirectory: folder.path, executable: nil)
    }

    private func fleet(_ names: [VirtualUnitName]) throws -> VirtualFleet {
        try VirtualFleet(names, speed: .maximum, stateFolder: folder.path, search: search)
    }

    private var names: [VirtualUnitName] {
        (1...20).map { VirtualUnitName(family: "monocle", name: "\($0)") } + [VirtualUnitName(family: "frame", name: "1")]
    }

    private func root(_ name: VirtualUnitName) -> URL { folder.url.appendingPathComponent("virtual/\(name.family)/\(name.name)") }

    @Test func noFolderIsOpenedBeforeItsTurn() throws {
        let fleet = try fleet(names)
        #expect(try folder.names() == [])
        let addresses = fleet.targets.map { if case .unit(let unit) = $0.place { unit.address.description } else { "" } }
        #expect(Set(addresses).count == 21, "two families with one name are two units")
        let made = try UnitFolder.monocle(root: root(names[0]), name: "1")
        withExtendedLifetime(made) {}
        #expect(try self.fleet(names).targets == fleet.targets, "the address does not change with the unit's first turn")
    }

    @Test func aUnitThatAnotherProcessHasIsBusy() async throws {
        let lock = try UnitFolder.monocle(root: root(names[2]), name: "3").lock()
        let fleet = try fleet(names)
        guard case .unit(let unit) = fleet.targets[2].place else { return }
        let error = await #expect(throws: LinkError.self) { try await fleet.play(unit.address) {} }
        guard case .busy = error else { return _ = Issue.record("\(String(describing: error))") }
        withExtendedLifetime(lock) {}
    }

    /// A line would wait for ever for the second one: it has met that unit.
    @Test func twoFoldersWithOneAddressAreRefusedBeforeAnythingStarts() throws {
        let made = try UnitFolder.monocle(root: root(names[0]), name: "1")
        withExtendedLifetime(made) {}
        try FileManager.default.copyItem(at: root(names[0]), to: root(names[4]))
        let error = #expect(throws: CommandError.self) { _ = try fleet(names) }
        guard case .sameVirtualUnit(_, [root(names[0]).path, root(names[4]).path]) = error else {
            return _ = Issue.record("\(String(describing: error))")
        }
        #expect(error?.diagnosis.category == .usage)
    }

    @Test func aStrangersAddressIsNoUnitOfTheRun() async throws {
        let fleet = try fleet(names)
        await #expect(throws: LinkError.self) { try await fleet.play(DeviceAddress(octets: [1, 2, 3, 4, 5, 6])!) {} }
    }
}
