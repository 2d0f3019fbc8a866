import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Support

/// An update's task (IOS-Keyboard, `ota_handler.c`; ESP-IDF, `esp_https_ota.c`): it fetches the image over plain HTTP, writes the slot that
/// does not run, and restarts the unit.
struct KeyboardDownload: Sendable {
    private typealias Channel = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// A sector of the flash, and what erasing and writing it takes.
    private static let sectorByteCount = 4096
    private static let sectorTime = Duration.milliseconds(40)
    private static let checkTime = Duration.milliseconds(300)
    private static let restartTime = Duration.seconds(2)

    let network: KeyboardNetwork
    let clock: SessionClock
    /// The unit's run that it belongs to.
    let run: Int
    let url: String
    let wake: @Sendable () -> Void

    /// - Throws: what keeps this machine from playing the unit, and `CancellationError`.
    func run() async throws {
        let number = network.countDownload()
        let image = try await image(network.faults.cut(ofDownload: number))
        guard let image, network.change(during: run, { ($0.update, $0.progress) = (.verifying, 100) }) else { return fail() }
        try await clock.sleep(until: clock.deadline(in: Self.checkTime))
        guard !network.faults.isFlashBad, network.current.run == run, try network.folder.takeKeyboard(image) else { return fail() }
        network.change(during: run) { $0.update = .success }
        network.note("OTA successful", at: clock.now.offset)
        guard !network.faults.neverRestarts else { return }
        network.ask(.restart(after: Self.restartTime))
        wake()
    }

    private func fail() { network.change(during: run) { $0.update = .failed } }

    /// - Parameter cut: after so many bytes.
    /// - Returns: `nil` for an image that did not come, or not whole, or whose beginning is not one for this chip.
    private func image(_ cut: Int?) async throws -> [UInt8]? {
        guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host else { return nil }
        do {
            // Time passes only while the unit writes.
            return try await clock.paused {
                let connection = try await connect(to: host, parts.port ?? 80)
                return try await connection.executeThenClose { inbound, outbound in
                    let head = HTTPRequestHead(
                        version: .http1_1, method: .GET, uri: parts.percentEncodedPath,
                        headers: ["Host": parts.port.map { "\(host):\($0)" } ?? host, "User-Agent": "ESP32 HTTP Client/1.0"])
                    try await outbound.write(contentsOf: [.head(head), .end(nil)])
                    return try await take(inbound, cut)
                }
            }
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }

    private func connect(to host: String, _ port: Int) async throws -> Channel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try Channel(wrappingChannelSynchronously: channel)
            }
        }
    }

    private func take(_ source: NIOAsyncChannelInboundStream<HTTPClientResponsePart>, _ cut: Int?) async throws -> [UInt8]? {
        var total: Int?
        var image: [UInt8] = []
        var written = 0
        for try await part in source {
            switch part {
            case .head(let head):
                guard head.status == .ok else { return nil }
                total = head.headers.first(name: "Content-Length").flatMap { Int($0) }
            case .body(let buffer):
                image += buffer.readableBytesView
                if let cut, image.count >= cut { image = Array(image.prefix(cut)) }
                guard image.count <= KeyboardImage.slotByteCount else { return nil }
                if image.count >= KeyboardImage.headByteCount, !KeyboardImage.mayBeWritten(image) { return nil }
                while written + Self.sectorByteCount <= image.count {
                    written += Self.sectorByteCount
                    guard try await write(to: written, of: total) else { return nil }
                }
                if image.count == cut { return nil }
            case .end: return image.count == total ? image : nil
            }
        }
        return nil
    }

    /// - Returns: `false` once the unit has restarted.
    private func write(to count: Int, of total: Int?) async throws -> Bool {
        try await clock.resumed { try await clock.sleep(until: clock.deadline(in: Self.sectorTime)) }
        return network.change(during: run) { state in
            if let total, total > 0 { state.progress = min(100, count * 100 / total) }
        }
    }
}
