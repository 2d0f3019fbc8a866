import AsyncHTTPClient
import Cryptography
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Support

/// Fetches files that are known by their digests. Nothing is fetched in silence.
public struct Downloader: Sendable {
    /// Of one request, and of all.
    public struct Timeouts: Sendable {
        /// In real time.
        public var connect = Duration.seconds(15)
        public var firstByte = Duration.seconds(30)
        public var betweenPieces = Duration.seconds(30)
        public var whole = Duration.seconds(900)

        public init() {}
    }

    private static let mostRedirects = 5

    public var cache: DownloadCache
    public var environment: [String: String]
    public var clock: SessionClock
    public var timeouts = Timeouts()
    /// Gets what an operator should know before it happens.
    public var note: @Sendable (String) -> Void

    public init(
        cache: DownloadCache, environment: [String: String], clock: SessionClock, note: @escaping @Sendable (String) -> Void
    ) {
        (self.cache, self.environment, self.clock, self.note) = (cache, environment, clock, note)
    }

    /// - Returns: the path of the file, which has the digest that is wanted. A later run may find it gone.
    /// - Throws: ``DownloadError``, `CancellationError`.
    public func fetch(_ file: PinnedFile) async throws -> String {
        if let path = cache.find(file) {
            note("\(file.address) was fetched before: \(path)")
            return path
        }
        let bytes = try await download(file)
        let actual = SHA256.text(of: bytes)
        guard actual == file.sha256 else {
            throw DownloadError.digestDiffers(address: file.address, expected: file.sha256, actual: actual)
        }
        let path = try cache.keep(bytes, as: file)
        note("fetched \(bytes.count) bytes with the SHA-256 that is wanted: \(path)")
        return path
    }

    private func download(_ file: PinnedFile) async throws -> [UInt8] {
        let end = clock.deadline(in: timeouts.whole)
        var address = file.address
        for _ in 0...Self.mostRedirects {
            switch try await request(address, limit: file.byteLimit, end) {
            case .bytes(let bytes): return bytes
            case .redirect(let location):
                let next = URL(string: location, relativeTo: URL(string: address))?.absoluteString ?? ""
                if let reason = PinnedFile.refusal(of: next) { throw DownloadError.redirected(address: address, reason: reason) }
                note("it is sent on to \(next.prefix { $0 != "?" })")
                address = next
            }
        }
        throw DownloadError.redirected(address: file.address, reason: "more than \(Self.mostRedirects) times")
    }

    private enum Answer: Sendable {
        case bytes([UInt8])
        case redirect(String)
    }

    private func request(_ address: String, limit: Int, _ end: SessionClock.Instant) async throws -> Answer {
        let host = URLComponents(string: address)?.host?.lowercased() ?? ""
        var configuration = HTTPClient.Configuration()
        configuration.redirectConfiguration = .disallow
        configuration.httpVersion = .http1Only
        configuration.timeout.connect = TimeAmount(timeouts.connect)
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.tlsConfiguration = try authorities()
        var way = ""
        var proxy: ProxyAddress?
        switch ProxyAddress.choose(for: host, isEncrypted: true, environment: environment) {
        case .direct: break
        case .unusable(let variable):
            note("\(variable) is not used: it is not of the form http://HOST:PORT, without a user and password")
        case .proxy(let chosen):
            (proxy, way) = (chosen, " through the proxy \(chosen)")
            configuration.proxy = .server(host: chosen.host, port: chosen.port)
        }
        note("fetching \(address.prefix { $0 != "?" })\(way), at most \(limit) bytes")
        // The shared group ends the process where its loops cannot be made.
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(loops), configuration: configuration)
        let transfer = Transfer(
            client: client, clock: clock, timeouts: timeouts, host: host, proxy: proxy, address: address, limit: limit, end: end)
        do {
            let answer = try await transfer.run()
            try? await client.shutdown()
            try? await loops.shutdownGracefully()
            return answer.location.map { .redirect($0) } ?? .bytes(answer.bytes)
        } catch {
            try? await client.shutdown()
            try? await loops.shutdownGracefully()
            throw error
        }
    }

    private static let authoritiesLimit = 4 << 20

    /// The system's, or those that SSL_CERT_FILE names in their place.
    private func authorities() throws(DownloadError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        guard let path = environment["SSL_CERT_FILE"], !path.isEmpty else { return configuration }
        guard let content = try? FileReader.read(path, limit: Self.authoritiesLimit, followsLinks: true),
            let certificates = try? NIOSSLCertificate.fromPEMBytes(content), !certificates.isEmpty
        else { throw .badAuthorities(path: path) }
        configuration.trustRoots = .certificates(certificates)
        return configuration
    }
}
