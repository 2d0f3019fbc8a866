import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

@Suite struct KnownUnitsTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-known-\(UUID().uuidString)")

    @Test func whatWasRecordedIsKnownToTheNextProcess() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let units = KnownUnits(stateFolder: folder.path)
        #expect(try units.addresses() == [])
        try await units.record(.monocle, UnitMatcherTests.first, at: Date(timeIntervalSince1970: 5))
        try await units.record(.frame, UnitMatcherTests.second, at: Date(timeIntervalSince1970: 6))
        try await units.record(.monocle, UnitMatcherTests.first, at: Date(timeIntervalSince1970: 7))
        let again = try KnownUnits(stateFolder: folder.path).load()
        #expect(again.map(\.address) == [UnitMatcherTests.second.description, UnitMatcherTests.first.description])
        #expect(again.map(\.lastWorkedOn) == [6, 7])
    }

    @Test func aFullListDropsTheUnitOfLongestAgo() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let units = KnownUnits(stateFolder: folder.path)
        let old = (0..<5000).map { number in
            let digits = String(0x1_0000 + number, radix: 16, uppercase: true).dropFirst()
            return "{\"family\":\"monocle\",\"address\":\"C0:00:00:00:\(digits.prefix(2)):\(digits.suffix(2))\",\"lastWorkedOn\":\(number)}"
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let text = "{\"schema\":\"noafw.units/1\",\"units\":[\(old.joined(separator: ","))]}"
        try Data(text.utf8).write(to: folder.appendingPathComponent("units.json"))
        try await units.record(.monocle, UnitMatcherTests.first, at: Date(timeIntervalSince1970: 6000))
        let kept = try units.load()
        #expect(
            kept.count == 5000 && kept.first?.address == "C0:00:00:00:00:01" && kept.last?.address == UnitMatcherTests.first.description)
    }

    @Test(arguments: ["", "{", "[]", "{\"units\":[{\"family\":\"toaster\"}]}"])
    func aDamagedFileIsAnErrorThatNamesIt(content: String) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(content.utf8).write(to: folder.appendingPathComponent("units.json"))
        #expect(throws: StateFileError.self) { try KnownUnits(stateFolder: folder.path).addresses() }
    }

    /// A file of more than a mebibyte is none of ours.
    @Test(arguments: [0, 1]) func aFileOfAnySizeIsNotRead(more: Int) throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, list) in [("units", "units"), ("names", "names")] {
            let text = "{\"schema\":\"noafw.\(name)/1\",\"\(list)\":[]}"
            let bytes = text + String(repeating: " ", count: (1 << 20) + more - text.utf8.count)
            try Data(bytes.utf8).write(to: folder.appendingPathComponent("\(name).json"))
        }
        #expect((try? KnownUnits(stateFolder: folder.path).load())?.count == (more == 0 ? 0 : nil))
        #expect((try? UnitNames(stateFolder: folder.path).load())?.count == (more == 0 ? 0 : nil))
    }

    /// A process that was stopped in the middle of noting a unit must not hang all others.
    @Test func aListThatStaysLockedIsAnErrorThatNamesTheLock() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let units = KnownUnits(stateFolder: folder.path)
        try await units.record(.monocle, UnitMatcherTests.first)
        let file = folder.appendingPathComponent("units.lock")
        let held = try UnitLock(file: file, holder: "a test")
        let time = VirtualTime.simulated()
        try await time.run {
            await #expect(throws: StateFileError.locked(path: file.path)) {
                try await units.record(.monocle, UnitMatcherTests.second, clock: time.clock)
            }
            #expect((10...10.1).contains(time.clock.now.offset / .seconds(1)))
        }
        withExtendedLifetime(held) {}
    }

    @Test func aListThatIsLockedForAMomentIsWaitedFor() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let units = KnownUnits(stateFolder: folder.path)
        try await units.record(.monocle, UnitMatcherTests.first)
        let held = Mutex<Provisioning.UnitLock?>(
            try Provisioning.UnitLock(file: folder.appendingPathComponent("units.lock"), holder: "a test"))
        let time = VirtualTime.simulated()
        let clock = time.clock
        try await time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await units.record(.monocle, UnitMatcherTests.second, clock: clock) }
                try await clock.sleep(until: clock.deadline(in: .seconds(5)))
                held.withLock { $0 = nil }
                try await group.waitForAll()
            }
        }
        #expect(try units.addresses() == [UnitMatcherTests.first, UnitMatcherTests.second])
    }

    @Test func aUnitIsTakenByOneProcessOnly() throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let held = try Provisioning.UnitLock(unit: UnitMatcherTests.first, stateFolder: folder.path)
        #expect(throws: LinkError.self) { try Provisioning.UnitLock(unit: UnitMatcherTests.first, stateFolder: folder.path) }
        _ = try Provisioning.UnitLock(unit: UnitMatcherTests.second, stateFolder: folder.path)
        withExtendedLifetime(held) {}
    }
}
