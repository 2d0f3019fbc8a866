import Bluetooth
import Foundation
import Support
import Synchronization
import VirtualDevices

/// Plays one virtual unit for a radio bridge that speaks on standard input and output (``MessageFrames``). The first
/// message is ``UnitServerSettings``, the others are ``BridgeMessage``s; the end of the input ends the unit.
@main
enum Program {
    struct InputEnded: Error {}

    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        do {
            var input = InputReader()
            guard let first = try input.next() else { return }
            let settings = try MessageFrames.decode(UnitServerSettings.self, first)
            let (unit, air, lock) = try settings.makeUnit(of: VirtualFamily.all)
            let messages = Inbox<BridgeMessage>()
            input.deliverRest(to: messages)
            try await air.time.run { try await UnitServer(unit: unit, air: air, send: Output().send).run(messages) }
            withExtendedLifetime(lock) {}
        } catch is InputEnded {
        } catch {
            let text = SystemError.text(error)
            FileHandle.standardError.write(Data("VirtualUnitServer: \(text)\n".utf8))
            exit(74)
        }
    }
}

/// Reads message bodies from standard input.
struct InputReader {
    private var frames = MessageFrames()
    private var ready: ArraySlice<[UInt8]> = []

    /// `nil` at the end of the input.
    mutating func next() throws -> [UInt8]? {
        while ready.isEmpty {
            var buffer = [UInt8](repeating: 0, count: 1 << 14)
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { return nil }
            ready = try frames.receive(buffer[..<count])[...]
        }
        return ready.removeFirst()
    }

    /// Reads on a thread of its own, as a read blocks.
    func deliverRest(to messages: Inbox<BridgeMessage>) {
        let reader = Thread { [self] in
            var reader = self
            do {
                while let body = try reader.next() { messages.deliver(try MessageFrames.decode(BridgeMessage.self, body)) }
                messages.finish(throwing: Program.InputEnded())
            } catch {
                messages.finish(throwing: error)
            }
        }
        reader.start()
    }
}

/// Writes whole messages to standard output, one after another.
final class Output: Sendable {
    private let lock = Mutex(())

    /// A bridge that has gone away shows at the input.
    func send(_ message: UnitMessage) {
        guard let frame = try? MessageFrames.encode(message) else { return }
        lock.withLock { _ in
            var rest = frame[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                guard count > 0 else { return }
                rest.removeFirst(count)
            }
        }
    }
}
