import Bluetooth
import Support
import Synchronization
import TestSupport
import VirtualDevices

@testable import REPL

/// A unit's raw REPL in a few lines, written from the facts: it makes a step when somebody begins to wait, and one each millisecond
/// of simulated time then.
///
/// Code is answered by itself, in upper case; code that begins with `raise` fails, code that begins with `hang` never ends.
final class FakeUnit: Connection, WriteChannel, Sendable {
    enum Mode { case program, friendly, raw }

    struct State {
        var mode = Mode.friendly
        var ring: [UInt8] = []
        /// The ring's memory: an acted 0x03 moves it on over what lay there.
        var memory = [UInt8](repeating: 0x20, count: 1024)
        var head = 0
        var restarts = 0
        var highestInFlight = 0
        var line: [UInt8] = []
        var running: [UInt8]?
        var dropped = 0
        var highestRing = 0
        var packets: [[UInt8]] = []
        var generator = SeededNumbers(seed: 1)
        var deafPackets = 0
        /// Such a packet is lost once.
        var lostPacket: [UInt8]?
        var lostNotifications: Set<Int> = []
        var notificationCount = 0
        var isDead = false
        var executed: [String] = []
        var closedChannels = 0
    }

    let address = DeviceAddress(octets: [0xC0, 0, 0, 0, 0, 2])!
    let payloadSize: Int
    func offers(_ characteristic: AttributeID) -> Bool { false }
    let state: Mutex<State>
    private let notifications = Inbox<[UInt8]>(capacity: 100_000)

    private let time: VirtualTime

    init(_ time: VirtualTime, payloadSize: Int = 253, seed: UInt64 = 1, prepare: (inout State) -> Void = { _ in }) {
        self.time = time
        self.payloadSize = payloadSize
        var state = State()
        state.generator = SeededNumbers(seed: seed)
        prepare(&state)
        self.state = Mutex(state)
    }

    /// Waiting is what makes this unit's time pass.
    var clock: SessionClock {
        SessionClock(
            now: { [time] in time.clock.now.offset },
            sleepUntil: { [self] target in
                while tick(), time.clock.now.offset < target {
                    try await time.clock.sleep(until: min(SessionClock.Instant(offset: target), time.clock.deadline(in: .milliseconds(1))))
                }
                try await time.clock.sleep(until: SessionClock.Instant(offset: target))
            })
    }

    func say(_ text: String) { state.withLock { emit(Array(text.utf8), &$0) } }

    func send(_ packet: [UInt8], deadline: SessionClock.Instant) async throws {
        guard packet.count <= payloadSize else { throw LinkError.valueTooLong(count: packet.count, limit: payloadSize) }
        state.withLock { state in
            state.packets.append(packet)
            if state.isDead { return }
            if state.deafPackets > 0 { return state.deafPackets -= 1 }
            if state.lostPacket == packet {
                state.lostPacket = nil
                return
            }
            for byte in packet { receive(byte, &state) }
            state.highestInFlight = max(state.highestInFlight, state.ring.count { $0 == 0x04 } + (state.running == nil ? 0 : 1))
            state.highestRing = max(state.highestRing, state.running == nil ? 0 : state.ring.count)
            readRing(&state)
        }
    }

    private func receive(_ byte: UInt8, _ state: inout State) {
        if byte == 0x03, state.running != nil || state.mode == .program {
            let wasRaw = state.mode == .raw
            state.running = nil
            if state.mode == .program { state.mode = .friendly }
            if state.ring.count < 1023 { state.ring.append(state.memory[state.head]) }
            state.head = (state.head + 1) % 1024
            emit(Array((wasRaw ? "\u{4}KeyboardInterrupt: \r\n\u{4}>" : "KeyboardInterrupt: \r\n>>> ").utf8), &state)
        } else if state.ring.count < 1023 {
            state.ring.append(byte)
            state.memory[state.head] = byte
            state.head = (state.head + 1) % 1024
        } else {
            state.dropped += 1
        }
    }

    private func readRing(_ state: inout State) {
        while state.running == nil, state.mode != .program, !state.ring.isEmpty {
            let byte = state.ring.removeFirst()
            switch (state.mode, byte) {
            case (.friendly, 0x01) where !state.line.isEmpty: continue
            case (_, 0x01):
                (state.mode, state.line) = (.raw, [])
                emit(Array("raw REPL; CTRL-B to exit\r\n>".utf8), &state)
            case (.raw, 0x02):
                (state.mode, state.line) = (.friendly, [])
                emit(Array("\r\nMicroPython\r\n>>> ".utf8), &state)
            case (_, 0x03): state.line = []
            case (.raw, 0x04) where !state.line.isEmpty:
                emit(Array("OK".utf8), &state)
                (state.running, state.line) = (state.line, [])
            case (.raw, 0x04):
                state.restarts += 1
                emit(Array("OK\r\nMPY: soft reboot\r\nraw REPL; CTRL-B to exit\r\n>".utf8), &state)
            case (.friendly, 0x04) where state.line.isEmpty:
                state.mode = .program
                state.restarts += 1
                emit(Array("MPY: soft reboot\r\nmain runs\r\n".utf8), &state)
            default: state.line.append(byte)
            }
        }
    }

    /// - Returns: whether there was anything to do.
    func tick() -> Bool {
        state.withLock { state in
            guard let code = state.running, !code.starts(with: Array("hang".utf8)) else { return false }
            state.running = nil
            let text = String(decoding: code, as: UTF8.self)
            state.executed.append(text)
            var output = text.uppercased()
            if text.hasPrefix("import builtins"), let word = text.split(separator: "'").dropLast(2).last { output = String(word) }
            let failure = text.hasPrefix("raise") ? "Traceback:\r\nValueError: \(text)\r\n" : ""
            emit(Array("\(failure.isEmpty ? output : "")\u{4}\(failure)\u{4}>".utf8), &state)
            readRing(&state)
            return true
        }
    }

    private func emit(_ bytes: [UInt8], _ state: inout State) {
        for piece in state.generator.fragments(of: bytes) {
            if !state.lostNotifications.contains(state.notificationCount) {
                notifications.deliver(piece)
            }
            state.notificationCount += 1
        }
    }

    func write(_ value: [UInt8], to characteristic: AttributeID, deadline: SessionClock.Instant) async throws {
        try await send(value, deadline: deadline)
    }

    func openChannel(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> any WriteChannel {
        self
    }

    func subscribe(to characteristic: AttributeID, deadline: SessionClock.Instant) async throws -> Inbox<[UInt8]> {
        notifications
    }

    func close() async { state.withLock { $0.closedChannels += 1 } }
    func disconnect() async {}
    func waitUntilGone(deadline: SessionClock.Instant) async throws {}
}
