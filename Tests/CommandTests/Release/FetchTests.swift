import Foundation
import Support
import TestSupport
import Testing

@testable import noafw

/// Files that `noafw` fetches: a server with TLS on the loopback, and the tool in a process of its own.
@Suite(.enabled(if: TestTools.mayRunOpenSSL && TestTools.mayRunFrameLua, "run Tools/setup tests"), .serialized, .timeLimit(.minutes(5)))
struct FetchTests {
    private let bench: ReleaseBench
    private let identity: TLSIdentity

    init() throws {
        bench = try ReleaseBench()
        identity = try TLSIdentity(for: "localhost", in: bench.folder)
    }

    /// As a process: the server needs this one's threads.
    private func run(_ arguments: [String], _ more: [String: String] = [:]) async throws -> (status: Int32, output: String) {
        let environment = ["SSL_CERT_FILE": identity.certificateFile].merging(more) { $1 }
        let (bench, result) = (bench, Inbox<Result<(status: Int32, output: String), any Error>>())
        Thread { result.deliver(Result { try bench.run(arguments, "2>&1", environment: environment) }) }.start()
        let ended = try await result.next(before: SessionClock.continuous.deadline(in: .seconds(240)), on: .continuous)
        return try #require(ended).get()
    }

    private func serve<Value: Sendable>(
        _ file: [UInt8], asked: Notices, body: @escaping @Sendable (String) async throws -> Value
    ) async throws -> Value {
        try await LocalServer.with(tls: identity, { request, reply in
            asked.add(request.path)
            try await reply.head(200)
            try await reply.write(file)
            try await reply.end()
        }, body: body)
    }

    @Test func aBundleComesFromAnAddressOnceAndIsAFileThen() async throws {
        try FileManager.default.removeItem(atPath: bench.folder.path("scripts"))
        try FileManager.default.copyItem(atPath: ToolBench.root.path + "/Scripts/frame", toPath: bench.folder.path("scripts"))
        #expect(try bench.run(["bundle", "scripts", "-o", "a.zip", "--sign", "key.pem", "-q"]) == (0, ""))
        let digest = try bench.run(["bundle", "show", "a.zip", "--json"], "2>/dev/null").output
        let sha256 = try #require(try ToolBench.json(digest)["sha256"] as? String)
        let file = try bench.folder.read("a.zip")
        let unit = ["--virtual", "frame", "--virtual-speed", "max", "--only", "scripts", "--trust", "key.pub.pem"]
        let asked = Notices()
        let address = try await serve(file, asked: asked) { url in
            let address = "\(url)/app.zip#sha256=\(sha256)"
            let first = try await run(["flash"] + unit + ["--bundle", address])
            #expect(first.status == 0 && first.output.contains("note: fetching \(url)/app.zip, at most"), "\(first.output)")
            return address
        }
        // The server is gone; the cache is not.
        let again = try await run(["verify"] + unit + ["--bundle=\(address)"])
        #expect(again.status == 0 && again.output.contains("was fetched before"), "\(again.output)")
        #expect(asked.all == ["/app.zip"])
        let gone = try await run(["verify"] + unit + ["--bundle", address], ["XDG_CACHE_HOME": bench.folder.path("other")])
        #expect(gone.status == 69 && gone.output.contains("error WEB-0002: "), "\(gone.output)")
    }

    @Test(arguments: [
        ("https://localhost/a.zip", "WEB-0001"), ("http://localhost/a.zip#sha256=\(String(repeating: "0", count: 64))", "WEB-0001"),
    ])
    func anAddressWithoutADigestIsAUsageError(address: String, code: String) async throws {
        let run = try await run(["flash", "--virtual", "frame", "--bundle", address, "--json"])
        #expect(run.status == 64 && run.output.contains("error \(code): "), "\(run.output)")
        #expect(run.output.contains(#""schema":"noafw.error/1""#))
    }

    /// The digests of the maker's files are part of noafw: what a mirror has in their place stays outside.
    @Test func aMirrorWithAnotherFileChangesNothing() async throws {
        for part in ["Firmware", "FPGA"] { try bench.folder.write(#"{"entries": []}"#, to: "cat/\(part)/manifest.json") }
        let asked = Notices()
        try await serve(Array("not the firmware".utf8), asked: asked) { url in
            let run = try await run(["assets", "fetch", "frame", "--mirror", "\(url)/files", "--assets", "cat"])
            #expect(run.status == 65 && run.output.contains("error WEB-0008: "), "\(run.output)")
        }
        #expect(asked.all == ["/files/frame-firmware-v25.080.0838.zip"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: bench.folder.path("cat/Firmware")) == ["manifest.json"])
    }

    @Test func aSignalEndsAFetch() async throws {
        let state = try TemporaryFolder()
        try await LocalServer.with(tls: identity, { _, reply in try await reply.waitUntilClientGoes() }) { url in
            let tool = try RunningTool(
                ["assets", "fetch", "frame", "--mirror", url],
                environment: [
                    "SSL_CERT_FILE": identity.certificateFile, "XDG_CACHE_HOME": state.path, "NOAFW_ASSETS": ToolBench.root.path,
                    "NOAFW_STATE_DIR": state.path,
                ])
            let ended = Inbox<Int32>()
            Thread {
                _ = tool.waitForLine { $0.contains("fetching https://localhost:") }
                tool.signal(SIGINT)
                let words = tool.remainingErrors()
                ended.deliver(words.contains("NOA-0003") ? tool.wait() : -1)
            }.start()
            let status = try await ended.next(before: SessionClock.continuous.deadline(in: .seconds(60)), on: .continuous)
            #expect(status == 130)
        }
    }

    @Test func theAddressesAreShownWithoutANetwork() async throws {
        let run = try await run(["assets", "fetch", "monocle", "--dry-run"])
        #expect(run.status == 0 && run.output.components(separatedBy: "https://raw.githubusercontent.com/").count == 3, "\(run.output)")
        for file in VendorFile.monocle { #expect(run.output.contains(file.sha256) && run.output.contains(file.version)) }
    }
}
