import Cryptography
import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// A Frame with the committed scripts on it, an app at the other end of the link, and a hand: all in simulated time.
///
/// Time passes where Lua sleeps, draws or sends, so every run is the same.
final class FrameBench {
    static let scripts = TestTools.root.appendingPathComponent("Scripts/frame", isDirectory: true)
    static let names = ["state.lua", "graphics.lua", "link.lua", "media.lua", "picture.lua", "main.lua"]
    static let version = "SHA256 digest: " + String(repeating: "0123456789abcdef", count: 4)

    /// The ATT payload: one byte marks data.
    var payloadSize = 244
    var isConnected = true
    /// How often in a row `send` finds the radio busy after each message.
    var busyCount = 2
    private(set) var now = Duration.seconds(1000)
    /// What Lua has sent, each without its first byte 0x01, and the time.
    private(set) var sent: [(at: Duration, message: [UInt8])] = []
    private(set) var printed: [String] = []
    var commands: [String] = []

    let folder: UnitFolder
    private let lua: LuaProcess
    private var hardware: FrameHardware
    private var pending: [(at: Duration, interrupt: LuaWire.Interrupt)] = []
    private var busyLeft = 0
    private var taken = 0

    /// - Parameters:
    ///   - isEarly: with the libraries of firmware before v25.
    ///   - prepare: gets the folder, and the unit's file system, before the unit boots.
    init(isEarly: Bool = false, prepare: (UnitFolder, URL) throws -> Void = { _, _ in }) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-frame-\(UUID().uuidString)")
        folder = try UnitFolder.frame(root: root, name: "frame")
        for name in Self.names {
            var bytes = [UInt8](try Data(contentsOf: Self.scripts.appendingPathComponent(name)))
            // As an installer puts it in.
            if name == "main.lua" { bytes = Array("ARGPT_VERSION=\"\(Self.version)\"\n".utf8) + bytes }
            try Data(bytes).write(to: folder.files.appendingPathComponent(name))
        }
        try prepare(folder, folder.files)
        hardware = FrameHardware(folder: folder)
        lua = try LuaProcess(files: folder.files, isEarly: isEarly)
    }

    func end() {
        lua.end()
        try? FileManager.default.removeItem(at: folder.root)
    }

    // MARK: What happens to the unit

    func tap() { pending.append((now, .tap)) }
    func breakSignal() { pending.append((now, .breakSignal)) }

    /// Interrupts that come too fast for the program to notice each.
    func deliver(_ interrupts: [LuaWire.Interrupt]) { pending += interrupts.map { (now, $0) } }

    /// A message from the app, which waits 50 ms after each.
    func send(_ message: [UInt8]) throws {
        pending.append((now, .data(message)))
        try run(for: .milliseconds(50))
    }

    func send(_ kind: UInt8, _ text: String = "") throws { try send([kind] + Array(text.utf8)) }

    /// Lets the unit's time pass.
    func run(for duration: Duration) throws { try run(until: now + duration) { false } }

    /// Lets the unit's time pass until a condition holds.
    func run(within limit: Duration = .seconds(30), until isTrue: () -> Bool) throws { try run(until: now + limit, isTrue) }

    // MARK: What comes from it

    var lines: [String] { VirtualDisplay.lines(of: folder.display).map(\.text) }
    var colors: Set<Int> { Set(VirtualDisplay.lines(of: folder.display).map(\.color)) }

    func expectLines(_ expected: [String], within limit: Duration = .seconds(30)) throws {
        try run(within: limit) { lines == expected }
        #expect(lines == expected)
    }

    /// The messages that Lua has sent since the last call.
    func messages() -> [[UInt8]] {
        defer { taken = sent.count }
        return sent[taken...].map(\.message)
    }

    /// The last message of those that ``messages()`` has not given yet.
    var lastUntaken: [UInt8]? { taken < sent.count ? sent.last?.message : nil }

    // MARK: The unit's clock and radio

    private func run(until end: Duration, _ isDone: () -> Bool) throws {
        while now < end, !isDone() {
            let request = try lua.next()
            if request.name == "sleep" {
                // To where something happens, or this look at the unit ends.
                let wake = Duration.microseconds(Int(((Double(request.text) ?? 0) * 1e6).rounded()))
                now = max(now, min(wake, pending.map(\.at).min() ?? wake, end))
                try answer(.text(seconds(now)))
            } else {
                try answer(perform(request))
            }
        }
    }

    private func answer(_ reply: LuaWire.Reply) throws {
        let due = pending.filter { $0.at <= now }.map(\.interrupt)
        pending.removeAll { $0.at <= now }
        try lua.reply(reply, after: due)
    }

    private func perform(_ request: LuaWire.Request) -> LuaWire.Reply {
        switch request.name {
        case "time": return .text(seconds(now))
        case "connected": return .text(isConnected ? "1" : "0")
        case "payload": return .text("\(payloadSize)")
        case "address": return .text("C0:00:00:00:00:4F")
        case "send": return transmit(request.payload)
        case "print":
            printed.append(request.text)
            return .done
        case "command": return commands.isEmpty ? LuaWire.Reply.none : .text(commands.removeFirst())
        default:
            // The display's bus is slow; the rest is quick.
            now += request.name == "display" ? .milliseconds(45) : .microseconds(50)
            return hardware.answer(request, now: now) ?? .refusal("no such request")
        }
    }

    private func transmit(_ message: [UInt8]) -> LuaWire.Reply {
        guard isConnected, busyLeft == 0 else {
            busyLeft = max(0, busyLeft - 1)
            return .refusal("bluetooth is busy")
        }
        busyLeft = busyCount
        #expect(message.count < payloadSize)
        sent.append((now, message))
        now += .milliseconds(1)
        return .done
    }

    private func seconds(_ time: Duration) -> String { String(format: "%.6f", time / .seconds(1)) }
}

/// Runs `body` with a Frame that is connected and waits for a tap.
func withFrame(
    isEarly: Bool = false, prepare: (UnitFolder, URL) throws -> Void = { _, _ in }, _ body: (FrameBench) throws -> Void
) throws {
    let bench = try FrameBench(isEarly: isEarly) { folder, files in
        try folder.setMicrophone(raw: FrameConversationTests.sound)
        try folder.setCamera(jpeg: FrameConversationTests.picture)
        try prepare(folder, files)
    }
    defer { bench.end() }
    try bench.expectLines(["Tap to speak", "tap twice for a photo"])
    #expect(bench.messages() == [[0x18] + Array(FrameBench.version.utf8)], "its announcement")
    try body(bench)
}
