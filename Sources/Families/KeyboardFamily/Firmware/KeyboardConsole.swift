import Bluetooth
import Foundation
import Provisioning
import Support
import Synchronization

/// A keyboard that answers over Wi-Fi while Bluetooth holds it: nobody else can connect, and its restart ends the link.
final class KeyboardConsole: UnitConsole {
    private static let input = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    /// A Monocle's own service. The Monocle's REPL has a keyboard's attributes, and would execute the text.
    private static let foreign = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    private static let writeTimeout = Duration.seconds(6)
    /// The firmware's two seconds, the link's supervision, and a margin.
    private static let leaveTimeout = Duration.seconds(20)

    let http: UnitHTTP
    private let connection: any Connection
    private let clock: SessionClock
    /// When the unit got its image; then it restarts by itself.
    private let written = Mutex<SessionClock.Instant?>(nil)

    init(connection: any Connection, http: UnitHTTP, clock: SessionClock) {
        (self.connection, self.http, self.clock) = (connection, http, clock)
    }

    /// - Throws: ``OTAError/noKeyboard(_:)``.
    @Sendable static func refuseOthers(_ connection: any Connection) throws {
        guard connection.offers(input), !connection.offers(foreign) else { throw OTAError.noKeyboard(connection.address) }
    }

    /// Sends over Bluetooth a text that types nothing, and looks for it in the trace that the unit shows over Wi-Fi.
    /// - Throws: ``OTAError/otherUnit(url:)``.
    func proveSameUnit() async throws {
        let nonce = Nonce()
        try await connection.write(nonce.command, to: Self.input, deadline: clock.deadline(in: Self.writeTimeout))
        let answer = try await http.get("/trace")
        // A text cut inside a character is not UTF-8.
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

    /// - Returns: once the unit has the image and restarts by itself; ``reboot(into:)`` waits for that.
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

/// A text known to only one unit. No layout types its private characters (Unicode's plane 15); the firmware skips them.
struct Nonce: Sendable {
    /// The trace shows 28 bytes of a text: 7 characters.
    private static let count = 7

    private let text: String

    init() {
        text = String(String.UnicodeScalarView((0..<Self.count).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0xF_0000...0xF_FFFD)) }))
    }

    var command: [UInt8] { [0x02] + Array(text.utf8) }
    var trace: String { "TXT: \(text)" }
}
