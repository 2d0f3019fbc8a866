import Foundation
import Support

/// A keyboard's HTTP server (IOS-Keyboard, `debug_server.c`): no password, and an answer as soon as it is known.
struct KeyboardHTTP: Sendable {
    typealias Reply = LoopbackListener.Reply

    /// What the firmware reads of a body, in bytes.
    private static let (typedBody, updateBody, layoutBody) = (255, 511, 127)
    /// In bytes, of `ota_handler.c`.
    private static let longestURL = 255
    private static let restartTime = Duration.seconds(1)

    let network: KeyboardNetwork
    let clock: SessionClock
    let wake: @Sendable () -> Void
    let downloads: Inbox<KeyboardDownload>

    private var now: Duration { clock.now.offset }

    /// - Returns: `nil` for a unit that is in no network, or leaves it meanwhile: it says nothing.
    func answer(_ request: LoopbackListener.Request) async -> Reply? {
        let before = network.current
        guard before.startedAt != nil else { return nil }
        let reply = await reply(to: request, before)
        let after = network.current
        return after.startedAt != nil && after.run == before.run ? reply : nil
    }

    private func reply(to request: LoopbackListener.Request, _ state: KeyboardNetwork.State) async -> Reply {
        switch (request.method, request.path) {
        case ("GET", "/status"): status(state)
        case ("GET", "/logs"): Self.json(["logs": state.log])
        case ("GET", "/trace"): trace()
        case ("GET", "/keyboard"): Self.json(Layouts(current: network.board.layout.rawValue))
        case ("POST", "/keyboard"): setLayout(request.body)
        case ("POST", "/type"): await type(request.body)
        case ("POST", "/ota"): update(request.body, state)
        case ("POST", "/reboot"): restart("Reboot requested", "Rebooting...")
        case ("POST", "/reset-wifi"): forgetWiFi()
        default: Reply(status: 404, type: "text/html", "Nothing matches the given URI".utf8)
        }
    }

    private static func json(_ value: some Encodable) -> Reply {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard let bytes = try? encoder.encode(value) else { return Reply(status: 500, []) }
        return Reply(bytes)
    }

    private struct Receipt: Encodable {
        var success: Bool
        var message: String
    }

    private static func receipt(_ success: Bool, _ message: String) -> Reply { json(Receipt(success: success, message: message)) }

    private static func refusal(_ text: String) -> Reply { Reply(status: 400, type: "text/html", text.utf8) }
}

extension KeyboardHTTP {
    private struct Status: Encodable {
        var version: String
        var uptime: Int64
        var ssid = "bench"
        var ip = "127.0.0.1"
        var rssi = -55
        var heap = 187_000
        var ota_status: String
        var ota_progress: Int
    }

    private func status(_ state: KeyboardNetwork.State) -> Reply {
        let uptime = (now - (state.startedAt ?? now)).components.seconds
        return Self.json(
            Status(version: state.version, uptime: uptime, ota_status: state.update.rawValue, ota_progress: state.progress))
    }

    private func trace() -> Reply {
        let trace = network.board.trace
        func texts(_ lines: [[UInt8]]) -> [String] { lines.map { String(decoding: $0, as: UTF8.self) } }
        return Self.json(["ble": texts(trace.commands), "hid": texts(trace.keys)])
    }

    private struct Layouts: Encodable {
        struct Layout: Encodable {
            var code: String
            var name: String
        }

        var current: String
        var layouts = [
            ("us", "US English"), ("ch-de", "Swiss German"), ("de", "German"), ("fr", "French"), ("uk", "UK English"), ("es", "Spanish"),
            ("it", "Italian"),
        ].map { Layout(code: $0.0, name: $0.1) }
    }

    private struct LayoutOrder: Decodable { var layout: String }

    private func setLayout(_ body: [UInt8]) -> Reply {
        guard !body.isEmpty else { return Self.refusal("No data") }
        guard let order = try? JSONDecoder().decode(LayoutOrder.self, from: Data(body.prefix(Self.layoutBody))) else {
            return Self.refusal("layout required")
        }
        guard let layout = KeyboardLayoutName(rawValue: order.layout) else { return Self.receipt(false, "Invalid layout code") }
        network.board.layout = layout
        network.note("Keyboard layout: \(layout.rawValue)", at: now)
        return Self.receipt(true, layout.rawValue)
    }

    private struct TypeOrder: Decodable { var text: String? }

    private func type(_ body: [UInt8]) async -> Reply {
        var text = "hello world"
        if !body.isEmpty {
            guard let order = try? JSONDecoder().decode(TypeOrder.self, from: Data(body.prefix(Self.typedBody))) else {
                return Self.receipt(false, "Invalid JSON")
            }
            text = order.text ?? text
        }
        let reply = Inbox<Bool>()
        network.ask(.type(Array(text.utf8), reply: reply))
        wake()
        let isTyped = try? await clock.resumed { try await reply.next(before: clock.deadline(in: .seconds(60)), on: clock) }
        return isTyped == true ? Self.receipt(true, "Text typed successfully") : Self.receipt(false, "ESP_ERR_INVALID_STATE")
    }

    private struct UpdateOrder: Decodable { var url: String }

    private func update(_ body: [UInt8], _ state: KeyboardNetwork.State) -> Reply {
        guard !body.isEmpty else { return Self.refusal("No data") }
        guard let order = try? JSONDecoder().decode(UpdateOrder.self, from: Data(body.prefix(Self.updateBody))) else {
            return Self.refusal("URL required")
        }
        let url = String(decoding: order.url.utf8.prefix(Self.longestURL), as: UTF8.self)
        let begins = network.begin(during: state.run)
        guard begins else { return Self.receipt(false, "ESP_ERR_INVALID_STATE") }
        network.note("OTA started: \(url)", at: now)
        downloads.deliver(KeyboardDownload(network: network, clock: clock, run: state.run, url: url, wake: wake))
        return Self.receipt(true, "OTA started")
    }

    private func restart(_ line: String, _ message: String) -> Reply {
        network.note(line, at: now)
        network.ask(.restart(after: Self.restartTime))
        wake()
        return Self.receipt(true, message)
    }

    private func forgetWiFi() -> Reply {
        network.ask(.forgetWiFi)
        return restart("WiFi reset requested", "WiFi credentials cleared, rebooting...")
    }
}
