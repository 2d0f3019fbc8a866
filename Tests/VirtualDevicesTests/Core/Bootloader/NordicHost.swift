import Foundation
import Support
import TestSupport
import VirtualDevices

/// Hosts a virtual bootloader for `nordic_sender.py`: answers its lines and lets modelled time pass while it waits.
struct NordicHost {
    var bootloader: SecureBootloader
    var now: Duration = .zero
    /// The link is cut after this many more packets; `nil` never cuts it.
    var packetsUntilLoss: Int?
    private(set) var packets = 0
    private(set) var left: SecureBootloader.Effect.Event?
    private var notifications: [[UInt8]] = []
    /// A connection event: one packet, one request or one notification goes over in it, as with Nordic's serial dongle.
    private static let event: Duration = .milliseconds(15)

    init(_ bootloader: SecureBootloader) { self.bootloader = bootloader }

    /// Runs the sender to its end.
    /// - Returns: `ok`, `lost`, or `error` and Nordic's own text.
    mutating func run(_ tools: NordicTools, _ package: NordicPackage, receiptInterval: Int = 0) throws -> String {
        notifications.removeAll()
        bootloader.connected(now: now)
        bootloader.setControlPointNotifications(true)
        let (toSender, fromSender) = (Pipe(), Pipe())
        let process = try TestProcess(
            tools.python, [tools.sender.path, package.archive.path, "244", "\(receiptInterval)"], input: .pipe(toSender),
            output: .pipe(fromSender))
        var lines = LineReader(handle: fromSender.fileHandleForReading)
        var result = "error the sender ended without a result"
        while let line = lines.next() {
            if line.hasPrefix("R ") {
                result = String(line.dropFirst(2))
            } else {
                try toSender.fileHandleForWriting.write(contentsOf: Data((reply(to: line) + "\n").utf8))
            }
        }
        process.waitUntilExit()
        bootloader.disconnected(now: now)
        return result
    }

    /// Lets everything that is under way come to its end.
    mutating func settle() { pass(.seconds(2)) }

    private mutating func reply(to line: String) -> String {
        let words = line.split(separator: " ")
        let argument = words.count > 1 ? String(words[1]) : ""
        if packetsUntilLoss == 0 { return "lost" }
        switch words.first {
        case "C": return control([UInt8](nordicHex: argument))
        case "P":
            packets += 1
            packetsUntilLoss = packetsUntilLoss.map { $0 - 1 }
            bootloader.writePacket([UInt8](nordicHex: argument), now: now)
            pass(Self.event)
            return "ok"
        default: return wait(.seconds(Int(argument) ?? 0))
        }
    }

    private mutating func control(_ bytes: [UInt8]) -> String {
        if let error = bootloader.writeControlPoint(bytes, now: now) { return "att \(String(error, radix: 16))" }
        pass(Self.event)
        return "ok"
    }

    private mutating func wait(_ timeout: Duration) -> String {
        let limit = now + timeout
        while notifications.isEmpty, let deadline = bootloader.nextDeadline, deadline <= limit {
            pass(max(.zero, deadline - now))
        }
        guard notifications.isEmpty else {
            pass(Self.event)
            return "n " + notifications.removeFirst().nordicHex
        }
        now = limit
        return "timeout"
    }

    private mutating func pass(_ duration: Duration) {
        now += duration
        bootloader.advance(to: now)
        for effect in bootloader.takeEffects() {
            switch effect.event {
            case .notify(let bytes): notifications.append(bytes)
            case .storageChanged: break
            default: left = effect.event
            }
        }
    }
}

/// Reads lines as they come.
private struct LineReader {
    let handle: FileHandle
    private var buffer: [UInt8] = []

    init(handle: FileHandle) { self.handle = handle }

    /// The next line, or `nil` at the end.
    mutating func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            let more = handle.availableData
            if more.isEmpty { return nil }
            buffer.append(contentsOf: more)
        }
    }
}
