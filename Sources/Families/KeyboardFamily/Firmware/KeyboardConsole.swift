import Bluetooth
import Foundation
import Provisioning
import Support
import Synchronization

/// A keyboard that answers over Wi-Fi, and is held over Bluetooth meanwhile: nobody else gets in between, and its restart ends the link.
final class KeyboardConsole: UnitConsole {
    private static let input = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    /// Of a Monocle's own service. Its REPL has the attributes of a keyboard, and what is text here would run there.
    private static let foreign = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    private static let writeTimeout = Duration.seconds(6)
    /// Two seconds of the firmware's, the supervision of the link, and some.
    private static let leaveTimeout = Duration.seconds(20)

    let http: UnitHTTP
    private let connection: any Connection
    private let clock: SessionClock
    /// When the unit had its image: it restarts by itself then.
    private let written = Mutex<SessionClock.Instant?>(nil)

    init(connection: any Connection, http: UnitHTTP, clock: SessionClock) {
        (self.connection, self.http, self.clock) = (connection, http, clock)
    }

    /// - Throws: ``OTAError/noKeyboard(_:)``.
    @Sendable static func refuseOthers(_ connection: any Connection) throws {
        guard connection.offers(input), !connection.offers(foreign) else { throw OTAError.noKeyboard(connection.address) }
    }

    /// Sends a text over Bluetooth that types nothing, and looks for it in the trace that the unit shows over Wi-Fi.
    /// - Throws: ``OTAError/otherUnit(url:)``.
    func proveSameUnit() async throws {
        let nonce = Nonce()
        try await connection.write(nonce.command, to: Self.input, deadline: clock.deadline(in: Self.writeTimeout))
        let answer = try await http.get("/trace")
        // A text that was cut inside a character is no UTF-8.
        let body = String(decoding: answer.body, as: UTF8.self)
        guard answer.status == 200, let trace = try? JSONDecoder().decode(Trace.self, from: Data(body.utf8)) else {
            throw OTAError.notUnderstood(path: "/trace", reason: "HTTP \(answer.status)")
        }
        guard trace.ble.contains(nonce.trace) else { throw OTAError.otherUnit(url: "\(http.url)") }
    }

    private struct Trace: Decodable { var ble: [String] }

    func status() async throws -> KeyboardStatus { try KeyboardStatus(try await http.get("/status")) }

    func version(of component: Component) async throws -> String? { try await status().version }

    func facts() async throws -> [UnitFact] {
        let status = try await status()
        return [
            UnitFact("uptime_seconds", status.uptime, words: "up for \(status.uptime) s"),
            UnitFact("wifi_dbm", status.strength, words: "\(status.address) in \(status.network) at \(status.strength) dBm"),
        ]
    }

    /// - Returns: once the unit has the image; ``reboot(into:)`` waits for the restart, which it does by itself.
    func update(
        to image: [UInt8], progress: @escaping @Sendable (Int) -> Void, refused: @escaping @Sendable (Int) -> Void
    ) async throws {
        try await KeyboardUpdate(http: http, image: image).send(progress: progress, refused: refused)
        written.withLock { $0 = clock.now }
    }

    func reboot(into mode: UnitMode) async throws {
        guard mode == .application else { throw ProvisioningError.staysInApplication }
        let since = try await beginReboot()
        do {
            try await connection.waitUntilGone(deadline: clock.deadline(in: Self.leaveTimeout))
        } catch LinkError.timedOut {
            throw OTAError.doesNotRestart
        }
        try await KeyboardUpdate(http: http, image: []).waitForRestart(since: since)
    }

    private func beginReboot() async throws -> SessionClock.Instant {
        if let known = written.withLock({ $0 }) { return known }
        let now = clock.now
        _ = try await http.post("/reboot", json: [])
        return now
    }

    func recover(isFresh: Bool) async throws { _ = try await status() }
    func detach() async -> any Connection { connection }
    func close() async { await connection.disconnect() }
}

/// A text that only one unit knows, made of what no layout types: private characters of Unicode's plane 15, which the firmware skips.
struct Nonce: Sendable {
    /// What the trace shows of a text, 28 bytes, is 7 of them.
    private static let count = 7

    private let text: String

    init() {
        text = String(String.UnicodeScalarView((0..<Self.count).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0xF_0000...0xF_FFFD)) }))
    }

    var command: [UInt8] { [0x02] + Array(text.utf8) }
    var trace: String { "TXT: \(text)" }
}
