import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Assistant
@testable import MonocleFamily

/// A chat session with a virtual Monocle on which our scripts run: a hand, eyes on the display, and an ear for events.
struct ChatBench: Sendable {
    let unit: VirtualUnit
    let folder: URL
    let clock: SessionClock
    let commands = Inbox<SessionCommand>()
    let events = Inbox<ChatEvent>()
    let history = Guarded<[ChatEvent]>([])

    static let sound = (0..<48_000).map { UInt8(bitPattern: Int8((80 * sin(Double($0) / 3)).rounded())) }
    static let picture = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }

    /// - Parameters:
    ///   - main: another program for the unit than ours.
    ///   - refusing: a characteristic that refuses every write, though the unit says that it is ready.
    ///   - responder: gets the unit's clock.
    static func with<Value: Sendable>(
        time: VirtualTime = .simulated(), largestMTU: Int? = nil, main: String? = nil, faults: FaultPlan = FaultPlan(),
        options: ChatOptions = ChatOptions(), refusing: AttributeID? = nil, responder: @escaping @Sendable (SessionClock) -> any Responder,
        body: @escaping @Sendable (ChatBench) async throws -> Value
    ) async throws -> Value {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-chat-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let unitFolder = try UnitFolder.monocle(root: root, name: "chat")
        for name in ["states.py", "graphics.py", "audio.py", "photo.py", "main.py"] {
            let script = TestTools.root.appendingPathComponent("Scripts/monocle/\(name)")
            try FileManager.default.copyItem(at: script, to: root.appendingPathComponent("files/\(name)"))
        }
        if let main { try Data(main.utf8).write(to: root.appendingPathComponent("files/main.py")) }
        try unitFolder.setMicrophone(wav: WaveBytes.eightBit(sound))
        try Data(picture).write(to: root.appendingPathComponent("camera.jpg"))
        let air = VirtualAir(time: time)
        let python = try TestTools.require(TestTools.python, "the Python of .venv")
        var configuration = UnitConfiguration(python: python)
        configuration.faults = faults
        if let largestMTU { configuration.largestMTU = largestMTU }
        let unit = try VirtualUnit.monocle(folder: unitFolder, configuration: configuration, air: air)
        let bench = ChatBench(unit: unit, folder: root, clock: time.clock)
        return try await time.run {
            try await withVirtualUnit(unit) {
                let central = RefusingCentral(inner: VirtualCentral(air: air), refused: refusing)
                let session = ChatSession(
                    central: central, address: unit.address, relay: MonocleRelay(), responder: responder(time.clock), options: options,
                    startProgram: MonocleConsole.chatStarter(clock: central.clock))
                return try await bench.chat(session, body)
            }
        }
    }

    /// Runs `body` beside a session; ends when `body` does. A session that ends first is over, and `body` goes on.
    func chat<Value: Sendable>(
        _ session: ChatSession, _ body: @escaping @Sendable (ChatBench) async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask {
                do {
                    try await session.run(commands: commands) { event in
                        history.change { $0.append(event) }
                        events.deliver(event)
                    }
                    events.finish(throwing: Ended())
                } catch {
                    events.finish(throwing: error)
                }
                return nil
            }
            group.addTask { try await body(self) }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }

    /// The session came to its own end.
    struct Ended: Error {}

    /// The next event that `pick` wants; the others are passed over.
    @discardableResult
    func next<Picked>(
        _ what: String, within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation,
        _ pick: (ChatEvent) -> Picked?
    ) async throws -> Picked {
        let deadline = clock.deadline(in: limit)
        while let event = try await events.next(before: deadline, on: clock) {
            if let picked = pick(event) { return picked }
        }
        let seen = history.value.map(Self.brief)
        Issue.record("no \(what); instead: \(seen)", sourceLocation: sourceLocation)
        throw Missing()
    }

    struct Missing: Error {}

    func waitUntilReady() async throws { try await next("ready") { if case .ready = $0 { true } else { nil } } }

    static func brief(_ event: ChatEvent) -> String { String("\(event)".prefix(100)) }

    private struct Item: Decodable {
        var text: String?
        var kind: String?
        var color: Int?
    }

    private var items: [Item] {
        let content = (try? Data(contentsOf: folder.appendingPathComponent("display.json"))) ?? Data()
        return (try? JSONDecoder().decode([Item].self, from: content)) ?? []
    }

    /// The lines on the display from top to bottom, but for blank ones.
    var display: [String] { items.compactMap(\.text).filter { $0.contains { $0 != " " } } }
    var displayColour: Int? { items.first?.color }
    var bitmapCount: Int { items.filter { $0.kind == "bitmap" }.count }

    func waitForDisplay(
        _ what: String, within limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation,
        _ isThere: ([String]) -> Bool
    ) async throws {
        let deadline = clock.deadline(in: limit)
        while !isThere(display), clock.now < deadline { try await pause(.milliseconds(5)) }
        #expect(isThere(display), "\(what) expected, shown: \(display)", sourceLocation: sourceLocation)
    }

    /// What the unit's program has written to a file of its own.
    func waitForFile(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation, _ isThere: (String) -> Bool
    ) async throws -> String {
        let deadline = clock.deadline(in: .seconds(20))
        var content = ""
        while clock.now < deadline {
            content = (try? String(contentsOf: folder.appendingPathComponent("files/\(name)"), encoding: .utf8)) ?? ""
            if isThere(content) { return content }
            try await pause(.milliseconds(5))
        }
        Issue.record("\(name) holds: \(content)", sourceLocation: sourceLocation)
        throw Missing()
    }

    func pause(_ duration: Duration) async throws { try await clock.sleep(until: clock.deadline(in: duration)) }
    func tap() { unit.stimulate(.tap(.A)) }

    /// Longer than the scripts take a touch for a tap.
    func hold() async throws {
        unit.stimulate(.press(.A))
        try await pause(.seconds(1))
        unit.stimulate(.release(.A))
    }

    func cutLink() { unit.stimulate(.cut(.link)) }
}

/// A value behind a lock that can be copied around with its owner.
final class Guarded<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>
    init(_ value: Value) { mutex = Mutex(value) }
    var value: Value { mutex.withLock { $0 } }
    func change(_ body: @Sendable (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
