import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// A virtual Frame with the committed scripts on it, an app at the other end of its link, and a hand.
///
/// Its time passes as the test lets it, so every run is the same.
final class FrameBench {
    static let scripts = TestTools.root.appendingPathComponent("Scripts/frame", isDirectory: true)
    static let names = ["state.lua", "graphics.lua", "link.lua", "media.lua", "picture.lua", "main.lua"]
    static let version = "SHA256 digest: " + String(repeating: "0123456789abcdef", count: 4)

    enum Interrupt { case data([UInt8]), tap, breakSignal }

    /// The ATT payload of the last exchange: one byte marks data. 0: there was none since the unit started.
    var payloadSize = 244 { didSet { simulator.platform.exchangedPayload = payloadSize } }
    var isConnected = true {
        didSet {
            if isConnected { connect() } else { simulator.platform.closeLink(reason: "closed by the host") }
        }
    }
    /// What Lua has sent, each without its first byte 0x01, and the time.
    private(set) var sent: [(at: Duration, message: [UInt8])] = []
    private(set) var printed: [String] = []
    /// For the prompt, one after another.
    var commands: [String] = []

    let folder: UnitFolder
    private let clock: SteppedClock
    private var simulator: UnitSimulator
    private var link: VirtualLink?
    private var taken = 0

    /// - Parameters:
    ///   - isEarly: the firmware that has `record` in place of `start`, and no `image_ready`.
    ///   - prepare: gets the folder, and the unit's file system, before the unit boots.
    init(isEarly: Bool = false, prepare: (UnitFolder, URL) throws -> Void = { _, _ in }) throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-frame-\(UUID().uuidString)")
        folder = try UnitFolder.frame(root: root, name: "frame", firmware: isEarly ? .v24_149 : .v25_080)
        try folder.leaveFrameFiles(try Self.files())
        try prepare(folder, folder.files)
        clock = SteppedClock()
        var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        configuration.linkSetUp = .zero
        let design = UnitDesign(family: FrameModel.family, configuration: configuration) { [configuration] in
            FrameModel(folder: $0, configuration: configuration)
        }
        simulator = try UnitSimulator(
            UnitPlatform(
                folder: folder, address: try folder.address(of: FrameModel.family), design: design,
                air: VirtualAir(time: VirtualTime(clock: clock.sessionClock)), events: Inbox()))
        try start(try folder.loadBootloader().application)
    }

    /// As an installer leaves them.
    private static func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in names { files[name] = [UInt8](try Data(contentsOf: scripts.appendingPathComponent(name))) }
        files["main.lua"]?.insert(contentsOf: Array("ARGPT_VERSION=\"\(version)\"\n".utf8), at: 0)
        return files
    }

    private func start(_ image: [UInt8]) throws {
        try simulator.withModel { try $0.start(image, on: &$1) }
        while simulator.platform.peripheral == nil { try step(until: now + .seconds(1)) }
        connect()
    }

    func end() {
        simulator.losePower()
        try? FileManager.default.removeItem(at: folder.root)
    }

    private func connect() {
        let reply = LinkReply()
        guard simulator.platform.acceptLink(517, reply), case .success(let link) = reply.poll() else { return }
        self.link = link
        simulator.platform.link?.isEncrypted = true
        simulator.platform.link?.subscriptions = [FrameAttributes.transmit]
        _ = link.inbox(for: FrameAttributes.transmit)
    }

    // MARK: What happens to the unit

    var now: Duration { clock.now }

    func tap() { deliver([.tap]) }
    func breakSignal() { deliver([.breakSignal]) }

    /// Interrupts that come too fast for the program to notice each.
    func deliver(_ interrupts: [Interrupt]) {
        for interrupt in interrupts {
            switch interrupt {
            case .data(let data): write([0x01] + data)
            case .breakSignal: write([0x03])
            case .tap: try? simulator.handle(.input(.tap(.A)))
            }
        }
    }

    private func write(_ value: [UInt8]) { try? link?.send(.write(FrameAttributes.receive, value, reply: nil)) }

    /// A message from the app, which waits 50 ms after each.
    func send(_ message: [UInt8]) throws {
        deliver([.data(message)])
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

    // MARK: The unit's clock

    /// How often a condition is looked at.
    private static let look = Duration.milliseconds(10)

    private func run(until end: Duration, _ isDone: () -> Bool) throws {
        while now < end, !isDone() {
            let pause = min(end, now + Self.look)
            while now < pause { try step(until: pause) }
        }
    }

    /// Nothing is on its way either.
    private var isAtPrompt: Bool {
        guard let model = simulator.model as? FrameModel, link?.firstPacketLength == nil else { return false }
        return model.processor.isWaiting && model.nextDeadline == nil && !model.processor.hasInputs
    }

    private func step(until end: Duration) throws {
        while let event = simulator.platform.events.poll() { try simulator.handle(event) }
        if isAtPrompt, !commands.isEmpty {
            write(Array(commands.removeFirst().utf8))
            return try step(until: end)
        }
        clock.pass(to: max(now, min(simulator.nextDeadline ?? end, end)))
        try simulator.advance()
        while let value = link?.inbox(for: FrameAttributes.transmit).poll() {
            if value.first == 0x01 {
                sent.append((now, Array(value.dropFirst())))
            } else {
                printed.append(String(decoding: value, as: UTF8.self))
            }
        }
    }
}

/// A clock that stands still until it is told to go on.
final class SteppedClock: Sendable {
    private let elapsed = Mutex(Duration.zero)

    var now: Duration { elapsed.withLock { $0 } }
    func pass(to time: Duration) { elapsed.withLock { $0 = max($0, time) } }
    var sessionClock: SessionClock { SessionClock(now: { self.now }, sleepUntil: { _ in throw CancellationError() }) }
}

/// Runs `body` with a Frame that is connected and waits for a tap.
func withFrame(
    isEarly: Bool = false, prepare: (UnitFolder, URL) throws -> Void = { _, _ in }, _ body: (FrameBench) throws -> Void
) throws {
    let bench = try FrameBench(isEarly: isEarly) { folder, files in
        try folder.setMicrophone(wav: WaveBytes.eightBit(FrameConversationTests.sound))
        try folder.setCamera(jpeg: FrameConversationTests.picture)
        try prepare(folder, files)
    }
    defer { bench.end() }
    try bench.expectLines(["Tap to speak", "tap twice for a photo"])
    #expect(bench.messages() == [[0x18] + Array(FrameBench.version.utf8)], "its announcement")
    try body(bench)
}
