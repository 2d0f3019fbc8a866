import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Assistant
@testable import FrameFamily

/// A chat session with a virtual Frame that is bonded with this host and holds our scripts.
enum FrameChatBench {
    static let version = "SHA256 digest: " + String(repeating: "0123456789abcdef", count: 4)
    static let picture: [UInt8] = [0xFF, 0xD8, 0xFF] + (0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    static var scripts: [String: [UInt8]] {
        get throws {
            var files: [String: [UInt8]] = [:]
            for name in ["state", "graphics", "link", "media", "picture", "main"] {
                let file = TestTools.root.appendingPathComponent("Scripts/frame/\(name).lua")
                // As an installer puts it in.
                let version = name == "main" ? "ARGPT_VERSION=\"\(Self.version)\"\n" : ""
                files["\(name).lua"] = Array(version.utf8) + [UInt8](try Data(contentsOf: file))
            }
            return files
        }
    }

    /// - Parameters:
    ///   - main: another program for the unit than ours.
    ///   - responder: gets the unit's clock.
    static func with<Value: Sendable>(
        _ firmware: FrameFirmware = .v25_080, main: String? = nil, faults: FaultPlan = FaultPlan(), options: ChatOptions = ChatOptions(),
        responder: @escaping @Sendable (SessionClock) -> any Responder = { _ in EchoResponder() },
        body: @escaping @Sendable (ChatBench) async throws -> Value
    ) async throws -> Value {
        try await withUnit(firmware, main: main, faults: faults) { central, unit, root in
            let session = ChatSession(
                central: central, address: unit.address, relay: FrameRelay(), responder: responder(central.clock), options: options,
                startProgram: FrameConsole.chatStarter(clock: central.clock))
            return try await ChatBench(unit: unit, folder: root, clock: central.clock).chat(session, body)
        }
    }

    static func withUnit<Value: Sendable>(
        _ firmware: FrameFirmware = .v25_080, main: String? = nil, faults: FaultPlan = FaultPlan(),
        _ body: @escaping @Sendable (VirtualCentral, VirtualUnit, URL) async throws -> Value
    ) async throws -> Value {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-chat-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.frame(root: root, name: "chat", firmware: firmware)
        var files = try scripts
        if let main { files["main.lua"] = Array(main.utf8) }
        let key = try folder.leaveFrameFiles(files)
        try folder.setMicrophone(wav: WaveBytes.eightBit(ChatBench.sound))
        try folder.setCamera(jpeg: picture)
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.faults = faults
        let time = VirtualTime.simulated()
        let air = VirtualAir(time: time)
        let unit = try VirtualUnit.frame(folder: folder, configuration: configuration, air: air)
        let bonds = root.appendingPathComponent("bonds")
        try FileManager.default.createDirectory(at: bonds, withIntermediateDirectories: true)
        let name = unit.address.description.replacing(":", with: "-")
        try Data(HexText.encode(key).utf8).write(to: bonds.appendingPathComponent("\(name).key"))
        return try await time.run {
            try await withVirtualUnit(unit) { try await body(VirtualCentral(air: air, bonds: BondStore(folder: bonds)), unit, root) }
        }
    }
}

/// An answer that comes word by word.
struct SlowResponder: Responder {
    let clock: SessionClock
    let text: String
    var pause = Duration.milliseconds(100)

    func hear(_ sound: Sound, as mode: AssistantMode, progress: @escaping @Sendable (ResponderProgress) -> Void) async throws -> String {
        "question"
    }

    func answer(
        _ conversation: Conversation, progress: @escaping @Sendable (ResponderProgress) -> Void
    ) async throws -> AnswerSummary {
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            try await clock.sleep(until: clock.deadline(in: pause))
            progress(.text("\(word) "))
        }
        return AnswerSummary()
    }
}
