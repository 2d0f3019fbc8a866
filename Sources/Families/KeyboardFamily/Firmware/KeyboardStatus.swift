import Foundation
import Support

/// A keyboard's answer to `GET /status` (IOS-Keyboard, `debug_server.c`). Texts are printable.
struct KeyboardStatus: Sendable, Hashable {
    enum Update: String, Sendable, Decodable { case idle, downloading, verifying, success, failed }

    /// From `config.h`, not from the image's descriptor.
    var version: String
    /// Whole seconds since its HTTP server began.
    var uptime: Int
    var network: String
    var address: String
    /// In dBm.
    var strength: Int
    var update: Update
    /// Percent.
    var progress: Int

    private struct Document: Decodable {
        var version: String
        var uptime: Int
        var ssid: String
        var ip: String
        var rssi: Int
        var ota_status: Update
        var ota_progress: Int
    }

    /// - Throws: ``OTAError/notUnderstood(path:reason:)``.
    init(_ answer: UnitHTTP.Answer) throws(OTAError) {
        guard answer.status == 200, let document = try? JSONDecoder().decode(Document.self, from: Data(answer.body)) else {
            let reason = answer.status == 200 ? "it is not the status of a keyboard" : "HTTP \(answer.status)"
            throw .notUnderstood(path: "/status", reason: reason)
        }
        version = PrintableText.ascii(document.version, limit: 32)
        network = PrintableText.ascii(document.ssid, limit: 32)
        address = PrintableText.ascii(document.ip, limit: 64)
        uptime = max(0, document.uptime)
        strength = min(0, max(-128, document.rssi))
        update = document.ota_status
        progress = min(100, max(0, document.ota_progress))
    }

    init(version: String, uptime: Int = 0, address: String = "", update: Update = .idle, progress: Int = 0) {
        (self.version, self.uptime, self.address, self.update, self.progress) = (version, uptime, address, update, progress)
        (network, strength) = ("", 0)
    }
}
