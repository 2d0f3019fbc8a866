import Cryptography
import Download
import Foundation
import Support
import TestSupport
import Testing

/// Fetching from a server with TLS and an authority of its own.
@Suite(.enabled(if: TestTools.mayRunOpenSSL, "openssl is missing"), .timeLimit(.minutes(2)))
struct DownloaderTests {
    private static let content = Array("a release of 27 bytes here\n".utf8)
    private static let digest = SHA256.text(of: content)

    private let folder: TemporaryFolder
    private let identity: TLSIdentity

    init() throws {
        folder = try TemporaryFolder()
        identity = try TLSIdentity(for: "localhost", in: folder)
    }

    private func downloader(_ notices: Notices = Notices(), _ environment: [String: String] = [:]) -> Downloader {
        Downloader(
            cache: DownloadCache(folder: folder.path("cache")),
            environment: ["SSL_CERT_FILE": identity.certificateFile].merging(environment) { $1 }, clock: .continuous,
            note: { notices.add($0) })
    }

    private func file(_ url: String, digest: String = Self.digest, limit: Int = 1000) throws -> PinnedFile {
        try PinnedFile("\(url)#sha256=\(digest)", byteLimit: limit)
    }

    /// The server has what the test says, and counts who asks.
    private func serve<Value: Sendable>(
        asked: Notices = Notices(), _ handler: @escaping LocalServer.Handler = { _, reply in try await DownloaderTests.send(reply) },
        body: @escaping @Sendable (String) async throws -> Value
    ) async throws -> Value {
        try await LocalServer.with(tls: identity, { request, reply in
            asked.add(request.path)
            try await handler(request, reply)
        }, body: body)
    }

    private static func send(_ reply: LocalServer.Reply, _ bytes: [UInt8] = content) async throws {
        try await reply.head(200, [("Content-Type", "application/zip")])
        try await reply.write(bytes)
        try await reply.end()
    }

    private func expect(_ error: DownloadError, _ body: @Sendable () async throws -> String) async {
        await #expect(throws: error) { _ = try await body() }
        #expect(((try? FileManager.default.subpathsOfDirectory(atPath: folder.path("cache"))) ?? []).isEmpty, "something was kept")
    }

    @Test func aFileIsFetchedOnceAndKept() async throws {
        let (asked, notices) = (Notices(), Notices())
        let path = try await serve(asked: asked) { url in
            let first = try await downloader(notices).fetch(try file("\(url)/releases/app.zip"))
            let second = try await downloader(notices).fetch(try file("\(url)/releases/app.zip"))
            #expect(second == first)
            return first
        }
        #expect(asked.all == ["/releases/app.zip"] && path.hasSuffix("/\(Self.digest)/app.zip"))
        #expect(try FileReader.read(path, limit: 1000) == Self.content)
        #expect(notices.all.count == 3 && notices.all[0].hasPrefix("fetching https://localhost:"))
        #expect(notices.all.last?.contains("was fetched before") == true)
        // The server is gone.
        let kept = try await downloader().fetch(try file("https://localhost:1/releases/app.zip"))
        #expect(kept == path)
    }

    @Test func aDamagedCopyIsFetchedAgain() async throws {
        let asked = Notices()
        try await serve(asked: asked) { url in
            let path = try await downloader().fetch(try file("\(url)/a.zip"))
            try Data("other".utf8).write(to: URL(fileURLWithPath: path))
            let again = try await downloader().fetch(try file("\(url)/a.zip"))
            #expect(again == path)
            #expect(try FileReader.read(path, limit: 1000) == Self.content)
        }
        #expect(asked.all.count == 2)
    }

    @Test func anotherFileIsNotKept() async throws {
        try await serve { url in
            let wanted = String(repeating: "0", count: 64)
            await expect(.digestDiffers(address: "\(url)/a.zip", expected: wanted, actual: Self.digest)) {
                try await downloader().fetch(try file("\(url)/a.zip", digest: wanted))
            }
        }
    }

    /// Whether the server says its length or not.
    @Test(arguments: [true, false]) func aLongFileIsNotReadToItsEnd(saysLength: Bool) async throws {
        try await serve({ _, reply in
            try await reply.head(200, saysLength ? [("Content-Length", "1000000")] : [("Transfer-Encoding", "chunked")])
            for _ in 0..<1000 { try await reply.write([UInt8](repeating: 7, count: 1000)) }
            try await reply.end()
        }) { url in
            await expect(.tooLong(address: "\(url)/a.zip", limit: 1000)) { try await downloader().fetch(try file("\(url)/a.zip")) }
        }
    }

    @Test func aBrokenAnswerIsNotKept() async throws {
        try await serve({ _, reply in
            try await reply.head(200, [("Content-Length", "27")])
            try await reply.write(Array(Self.content.prefix(9)))
            try await reply.hangUp()
        }) { url in
            await expect(.brokenOff(host: "localhost", byteCount: 9)) { try await downloader().fetch(try file("\(url)/a.zip")) }
        }
    }

    @Test(arguments: [404, 403, 500, 204]) func aRefusalIsTold(status: Int) async throws {
        try await serve({ _, reply in
            try await reply.head(status)
            try await reply.end()
        }) { url in
            await expect(.refused(address: "\(url)/a.zip", status: status)) { try await downloader().fetch(try file("\(url)/a.zip")) }
        }
    }

    @Test func aRedirectIsFollowedAndTold() async throws {
        let (asked, notices) = (Notices(), Notices())
        try await serve(asked: asked, { request, reply in
            guard request.path == "/a.zip" else { return try await Self.send(reply) }
            try await reply.head(302, [("Location", "/store/77?token=secret")])
            try await reply.end()
        }) { url in
            let path = try await downloader(notices).fetch(try file("\(url)/a.zip"))
            #expect(path.hasSuffix("/a.zip"))
        }
        #expect(asked.all == ["/a.zip", "/store/77?token=secret"])
        #expect(notices.all.contains { $0.hasSuffix("/store/77") } && !notices.all.contains { $0.contains("secret") })
    }

    @Test(arguments: [("http://localhost/x", "only https is taken"), ("https://a:b@localhost/x", "it holds a user or a password")])
    func anUnsafeRedirectIsNotFollowed(location: String, reason: String) async throws {
        try await serve({ _, reply in
            try await reply.head(301, [("Location", location)])
            try await reply.end()
        }) { url in
            await expect(.redirected(address: "\(url)/a.zip", reason: reason)) { try await downloader().fetch(try file("\(url)/a.zip")) }
        }
    }

    @Test func aCircleEnds() async throws {
        let asked = Notices()
        try await serve(asked: asked, { request, reply in
            try await reply.head(307, [("Location", request.path)])
            try await reply.end()
        }) { url in
            await expect(.redirected(address: "\(url)/a.zip", reason: "more than 5 times")) {
                try await downloader().fetch(try file("\(url)/a.zip"))
            }
        }
        #expect(asked.all.count == 6)
    }

    // MARK: - The way

    @Test func anUnknownAuthorityIsNotTrusted() async throws {
        try await serve({ _, reply in
            Issue.record("a request came through")
            try await Self.send(reply)
        }) { url in
            let place = try TemporaryFolder()
            defer { withExtendedLifetime(place) {} }
            let stranger = try TLSIdentity(for: "localhost", in: place)
            for authorities in ["", stranger.certificateFile] {
                await expect(.insecure(host: "localhost", reason: "its certificate is not trusted here")) {
                    try await downloader(Notices(), ["SSL_CERT_FILE": authorities]).fetch(try file("\(url)/a.zip"))
                }
            }
        }
    }

    @Test func aServerWithAnotherNameIsNotTrusted() async throws {
        let place = try TemporaryFolder()
        defer { withExtendedLifetime(place) {} }
        let other = try TLSIdentity(for: "files.example", in: place)
        try await LocalServer.with(tls: other, { _, reply in try await Self.send(reply) }) { url in
            await expect(.insecure(host: "localhost", reason: "its certificate is for another name")) {
                try await downloader(Notices(), ["SSL_CERT_FILE": other.certificateFile]).fetch(try file("\(url)/a.zip"))
            }
        }
    }

    @Test func authoritiesThatAreNoneAreTold() async throws {
        await expect(.badAuthorities(path: "/none.pem")) {
            try await downloader(Notices(), ["SSL_CERT_FILE": "/none.pem"]).fetch(try file("https://localhost:1/a.zip"))
        }
    }

    @Test func theProxyOfTheEnvironmentIsUsed() async throws {
        let (heads, notices) = (Notices(), Notices())
        try await serve { url in
            try await LocalPeer.withProxy(heard: { heads.add($0) }) { port in
                let proxy = ["HTTPS_PROXY": "http://127.0.0.1:\(port)"]
                _ = try await downloader(notices, proxy).fetch(try file("\(url)/a.zip"))
                try FileManager.default.removeItem(atPath: folder.path("cache"))
                _ = try await downloader(Notices(), proxy.merging(["NO_PROXY": "localhost"]) { $1 }).fetch(try file("\(url)/a.zip"))
            }
        }
        #expect(heads.all.count == 1 && heads.all[0].hasPrefix("CONNECT localhost:"))
        #expect(notices.all.first?.contains("through the proxy 127.0.0.1:") == true)
    }

    @Test func aProxyThatRefusesIsNamed() async throws {
        try await LocalPeer.withProxy(answer: "HTTP/1.1 407 Proxy Authentication Required", heard: { _ in }) { port in
            await expect(.proxyRefused(proxy: "127.0.0.1:\(port)", reason: "it wants a user and a password")) {
                try await downloader(Notices(), ["https_proxy": "127.0.0.1:\(port)"]).fetch(try file("https://files.example/a.zip"))
            }
        }
    }

    @Test func nobodyListens() async throws {
        await expect(.unreachable(host: "localhost", reason: "Connection refused")) {
            try await downloader().fetch(try file("https://localhost:1/a.zip"))
        }
    }

    /// A server that says nothing more.
    @Test func silenceEnds() async throws {
        try await serve({ _, reply in
            try await reply.head(200, [("Content-Length", "27")])
            try await reply.write(Array(Self.content.prefix(9)))
            try await reply.waitUntilClientGoes()
        }) { url in
            var impatient = downloader()
            impatient.timeouts.betweenPieces = .milliseconds(200)
            await expect(.timedOut(host: "localhost", what: "the next bytes")) { [impatient] in
                try await impatient.fetch(try file("\(url)/a.zip"))
            }
        }
    }

    // MARK: - Addresses

    @Test(arguments: [
        "https://files.example/a.zip", "http://files.example/a.zip#sha256=\(digest)", "https://u:p@files.example/a.zip#sha256=\(digest)",
        "https://files.example/a.zip#sha256=12", "https://#sha256=\(digest)", "file:///etc/passwd#sha256=\(digest)",
        "https://files.example/a b#sha256=\(digest)", "https://files.example/a.zip#md5=\(digest)",
    ])
    func anAddressWithoutItsDigestIsNotTaken(text: String) {
        let error = #expect(throws: DownloadError.self) { try PinnedFile(text, byteLimit: 10) }
        if case .badAddress? = error {} else { Issue.record("\(text): \(String(describing: error))") }
    }

    @Test(arguments: [
        ("https://h/a/app-1.zip", "app-1.zip"), ("https://h", "file"), ("https://h/..", "file"), ("https://h/a%2Fb", "b"),
        ("https://h/%00", "file"), ("https://h/.bashrc", "file"), ("https://h/x?y=/z.zip", "x"),
    ])
    func theNameIsAFiles(address: String, name: String) throws {
        #expect(try PinnedFile(address: address, sha256: Self.digest, byteLimit: 1).name == name)
    }
}
