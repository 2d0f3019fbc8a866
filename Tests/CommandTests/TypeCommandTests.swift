import Bluetooth
import Foundation
import KeyboardFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// `noafw type`, in this process, on a virtual keyboard.
@Suite struct TypeCommandTests {
    /// Not in any word of ours.
    private static let secret = "Xylophon-Quaste 7"

    private let state: TemporaryFolder

    init() throws { state = try TemporaryFolder() }

    private func noafw(_ arguments: [String], input: String? = nil) async -> (code: Int32, output: String, diagnostics: String) {
        let harness = Harness()
        var context = harness.context(["type"] + arguments, environment: ["NOAFW_STATE_DIR": state.path, "HOME": "/home/op"])
        context.services = LiveServices()
        context.clock = .continuous
        context.currentDirectory = TestTools.root.path
        if let input { context.input = TextSource(isTerminal: false) { _, sink in CannedInput([input], sink) } }
        let code = await Noafw.execute(in: context)
        return (code, harness.output, harness.diagnostics)
    }

    private static let unit = ["--virtual", "keyboard", "--virtual-speed", "max"]

    private var reports: [String] {
        let file = state.path("virtual/keyboard/default/hid-reports.txt")
        return ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    private func document(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func aTextIsTyped() async throws {
        let run = await noafw([Self.secret, "--enter", "--ctrl", "j", "--json"] + Self.unit)
        let document = try document(run.output)
        #expect(run.code == 0 && document["verdict"] is NSNull && document["proof"] is NSNull)
        #expect(document["confirmed_keys"] as? Int == 19 && document["characters"] as? Int == 17)
        #expect(reports.count == 38 && reports.suffix(4).first?.hasSuffix("0101000d0000000000") == true)
        #expect(run.diagnostics.hasPrefix("SENT  keyboard "))
    }

    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func standardInputIsTyped() async throws {
        let run = await noafw(Self.unit, input: Self.secret + "\r\n")
        #expect(run.code == 0 && reports.count == 34)
    }

    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func linesAreFollowed() async throws {
        let run = await noafw(["--follow", "--layout", "us", "--json"] + Self.unit, input: "Hello word\nHello world\n")
        #expect(run.code == 0)
        let document = try document(run.output)
        #expect(document["confirmed_keys"] as? Int == 11)
        // Of what was sent: there is no plan.
        #expect((document["writes"] as? Int ?? 0) >= 1 && (document["bytes"] as? Int ?? 0) >= 12)
    }

    @Test func aDryRunCounts() async throws {
        let text = String(repeating: "Zwölf ", count: 100)
        let run = await noafw(["--dry-run", "--json"], input: text)
        let document = try document(run.output)
        #expect(run.code == 0 && document["dry_run"] as? Bool == true && document["keys"] as? Int == 600)
        #expect(document["bytes"] as? Int == 710 && document["writes"] as? Int == 10 && document["seconds"] as? Double == 42)
        #expect(document["confirmed_keys"] as? Int == 0)
    }

    @Test func whatTheLayoutLacksIsRefusedBeforeAnythingIsSent() async throws {
        let run = await noafw(["a\u{1F600}b\u{20AC}", "--layout", "us", "--json"] + Self.unit)
        #expect(run.code == 65 && run.diagnostics.contains("U+1F600") && run.diagnostics.contains("U+20AC"))
        #expect((try document(run.output)["error"] as? [String: Any])?["code"] as? String == "KEY-0002")
        #expect(reports.isEmpty)
    }

    @Test func whatTheUnitGetsWrongIsSaidBefore() async {
        let run = await noafw(["Hi!", "--dry-run"])
        #expect(run.code == 0 && run.diagnostics.contains("wrong") && run.diagnostics.contains("U+0021"))
        #expect(await noafw(["Hi!", "--dry-run", "--layout", "us"]).diagnostics.isEmpty)
    }

    @Test func whatTheLayoutMakesDeadIsSaidBefore() async throws {
        let run = await noafw(["x`^y", "--dry-run", "--layout", "es", "--json"])
        #expect(run.code == 0 && run.diagnostics.contains("dead") && run.diagnostics.contains("U+0060"))
        #expect(try document(run.output)["dead"] as? Int == 2)
        #expect(await noafw(["x`^y", "--dry-run", "--layout", "us"]).diagnostics.isEmpty)
    }

    /// It does not go on where it stopped: the same command would type the beginning again.
    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func aTimeLimitSaysWhatMayBeTyped() async throws {
        let slow = ["--virtual", "keyboard", "--virtual-speed", "1"]
        let run = await noafw([String(repeating: "abcd ", count: 40), "--layout", "us", "--timeout", "3", "--json"] + slow)
        let document = try document(run.output)
        let error = try #require(document["error"] as? [String: Any])
        #expect(run.code == 75 && error["code"] as? String == "NOA-0002" && document["address"] is String, "\(run)")
        #expect(run.diagnostics.contains("typed for certain") && !run.diagnostics.contains("continues"), "\(run.diagnostics)")
    }

    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func aVirtualUnitIsProvedByItsOwnPage() async throws {
        let run = await noafw(["abc", "--prove", "http://ios-keyboard.local", "--json"] + Self.unit)
        #expect(run.code == 0, "\(run)")
        #expect(try document(run.output)["proof"] as? String == "trace")
    }

    /// Neither the text nor a word of it, whatever happens.
    @Test(arguments: [
        [], ["--json"], ["--dry-run"], ["--dry-run", "--json"], ["--layout", "xx"], ["--layout"], ["--no-such-option"], ["more", "words"],
        ["--ctrl", "12"], ["--prove", "ftp://x"], ["--timeout", "x"], ["--follow"], ["--layout=us", "--json"],
        ["--layout", "us", "\u{1F600}"],
        ["--magic", "x"], ["--prove", "http://127.0.0.1:9", "--json"] + unit,
    ])
    func theTextIsInNoOutput(options: [String]) async {
        let secret = Self.secret
        for words in [[secret], [], ["--layout", secret], ["-\(secret)"], ["--\(secret)"], ["--ctrl=\(secret)"]] {
            let run = await noafw(words + options, input: Self.secret)
            for output in [run.output, run.diagnostics] {
                #expect(!output.contains("Xylophon") && !output.contains("Quaste"), "\(words.count) \(options)")
            }
        }
    }

    @Test(arguments: [
        ["--layout", "xx"], ["--ctrl", "1"], ["--ctrl", "jj"], ["--magic", "x"], ["--magic", "x=ctrl+1"], ["--prove", "https://x"],
        ["--timeout", "0"], ["--virtual", "monocle"], ["--family", "monocle"],
    ])
    func wrongWordsAreUsageErrors(words: [String]) async { #expect(await noafw(["a"] + words).code == 64) }

    /// It types slower than a program writes.
    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func aFastProgramIsHeldUp() async throws {
        let lines = (1...10_000).map { "\($0)\n" }.joined()
        #expect(await noafw(["--follow", "--layout", "us"] + Self.unit, input: lines).code == 0)
    }

    @Test(arguments: [["typ"], ["Type"], ["robot", "type"]]) func aMistypedVerbRepeatsNothing(words: [String]) async {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(words + [Self.secret])) == 64)
        #expect(!(harness.output + harness.diagnostics).contains(Self.secret))
    }

    @Test func followingTakesNoText() async {
        #expect(await noafw(["a", "--follow"]).code == 64)
        #expect(await noafw(["--follow", "--dry-run"]).code == 64)
        #expect(await noafw(["a", "--dry-run", "--prove", "http://x"]).code == 64)
    }

    @Test func aTextIsBounded() async throws {
        #expect(await noafw(["--dry-run"], input: String(repeating: "x", count: TypingText.limit)).code == 0)
        #expect(await noafw(["--dry-run"], input: String(repeating: "x", count: TypingText.limit + 1)).code == 65)
    }

    /// Its page shows what a unit noted: here one that noted nothing.
    @Test(.enabled(if: TestTools.python != nil || TestTools.mustAllBeThere)) func whatIsNotProvedFails() async throws {
        try await LocalServer.with({ request, reply in
            try await reply.send(200, request.path == "/trace" ? "{\"ble\":[],\"hid\":[]}" : "{\"current\":\"ch-de\"}")
        }) { url in
            let run = await noafw(["a", "--prove", url, "--json"] + Self.unit)
            #expect(run.code == 1 && run.diagnostics.contains("KEY-0009"))
            let other = await noafw(["a", "--layout", "us", "--prove", url] + Self.unit)
            #expect(other.code == 65 && other.diagnostics.contains("KEY-0008"))
        }
        #expect(reports.count == 2)
    }
}
