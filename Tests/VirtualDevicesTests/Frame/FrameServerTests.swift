import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices
@testable import VirtualUnitServer

/// A Frame as a radio bridge plays it.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameServerTests {
    private struct Bridge: Sendable {
        let messages = Inbox<BridgeMessage>()
        let answers = Inbox<UnitMessage>()
        let clock: SessionClock

        func wait<Value>(_ filter: (UnitMessage) -> Value?) async throws -> Value {
            while let answer = try await answers.next(before: clock.deadline(in: .seconds(30)), on: clock) {
                if let value = filter(answer) { return value }
            }
            throw LinkError.timedOut("a message of the unit")
        }

        func connect(_ number: Int) async throws {
            messages.deliver(.connect(link: number, mtu: 517))
            try await wait { if case .connected(number, _) = $0 { () } else { nil } }
        }

        func secure(_ id: Int, _ key: HexBytes?) async throws -> (key: HexBytes?, reason: UInt8?, endsLink: Bool) {
            messages.deliver(.secure(id: id, key: key))
            return try await wait { if case .secured(id, let key, let reason, let endsLink) = $0 { (key, reason, endsLink) } else { nil } }
        }
    }

    private func serve(_ body: @escaping @Sendable (Bridge) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-server-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.linkSetUp = .zero
        let air = VirtualAir(time: .simulated())
        let folder = try UnitFolder.frame(root: root, name: "served")
        let unit = try VirtualUnit.frame(folder: folder, configuration: configuration, air: air)
        let bridge = Bridge(clock: air.time.clock)
        try await air.time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await UnitServer(unit: unit, air: air) { bridge.answers.deliver($0) }.run(bridge.messages) }
                group.addTask { try await body(bridge) }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    @Test func itsSecurityTravels() async throws {
        try await serve { bridge in
            let (asks, table) = try await bridge.wait {
                if case .advertise(_, _, _, _, _, let asks, let table) = $0 { (asks, table) } else { nil }
            }
            #expect(asks)
            let needs = table.flatMap(\.characteristics).map { ($0.uuid.prefix(8), $0.needsEncryption) }
            #expect(needs.map(\.0) == ["7a230002", "7a230003"] && needs.map(\.1) == [true, false])
            try await bridge.connect(1)
            let receive = FrameAttributes.receive.description
            bridge.messages.deliver(.write(id: 1, characteristic: receive, value: HexBytes([0x41])))
            #expect(try await bridge.wait { if case .written(1, let error) = $0 { error } else { nil } } == 0x05)
            let paired = try await bridge.secure(2, nil)
            let key = try #require(paired.key)
            bridge.messages.deliver(.disconnect)
            _ = try await bridge.wait { if case .gone = $0 { true } else { nil } }
            try await bridge.connect(2)
            #expect(try await bridge.secure(3, key).key == key)
            // A stranger.
            bridge.messages.deliver(.disconnect)
            _ = try await bridge.wait { if case .gone = $0 { true } else { nil } }
            try await bridge.connect(3)
            let refused = try await bridge.secure(4, nil)
            #expect(refused.key == nil && refused.reason == 3 && refused.endsLink)
            _ = try await bridge.wait { if case .gone(3, isTimeout: false) = $0 { true } else { nil } }
        }
    }

    @Test func settingsChooseTheFirmware() throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-server-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let text = #"{"family":"frame","folder":"\#(root.path)","name":"x","python":"python3","firmware":"v24.149.1416"}"#
        var settings = try MessageFrames.decode(UnitServerSettings.self, Array(text.utf8))
        _ = try settings.makeUnit(of: VirtualFamily.all)
        let folder = try UnitFolder.frame(root: root, name: "x")
        #expect(ApplicationImage.versionText(in: try folder.loadBootloader().application) == "v24.149.1416")
        for version in ["v24.128.0700", "v25.080.0839", "v1.000.0000", "unknown", ""] {
            settings.firmware = version
            let error = #expect(throws: UnitFolderError.self) { try settings.makeUnit(of: VirtualFamily.all) }
            let message = try #require(error).diagnosis.message
            #expect(message.hasPrefix("the virtual unit cannot play firmware \(version), only v24.149.1416, v24.155.0847, "))
        }
    }
}
