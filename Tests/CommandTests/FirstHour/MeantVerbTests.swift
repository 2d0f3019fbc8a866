import Support
import Testing

@testable import noafw

/// What a new user types first.
@Suite struct MeantVerbTests {
    @Test(arguments: [
        ("flsh", "flash"), ("falsh", "flash"), ("verfy", "verify"), ("ver", "verify"), ("Scan", "scan"), ("docter", "doctor"),
        ("bundle shwo", "bundle show"), ("bundle key nwe", "bundle key new"), ("assets chekc", "assets check"),
        ("ledger repotr", "ledger report"),
        ("package inspec x.zip", "package inspect"), ("upgrade", "update"), ("ls", "fs ls"), ("repl", "console"),
        ("unbrick", "rescue"), ("status", "info"),
        ("inspect", "package inspect"), ("tpye secret", "type"), ("untis", "units"), ("--scan", "scan"),
        ("bundle --show", "bundle show"),
    ])
    func isTold(words: String, meant: String) {
        #expect(MeantVerb.of(words.split(separator: " ").map(String.init)) == meant)
    }

    @Test(arguments: ["flash --bogus", "xyzzy", "--json", "help flsh", "flash", "bundle create", "a"])
    func nothingIsGuessed(words: String) {
        #expect(MeantVerb.of(words.split(separator: " ").map(String.init)) == nil)
    }

    @Test(arguments: [
        (["flsh"], "Did you mean 'noafw flash'?"), (["bundle", "key", "shwo", "x"], "Did you mean 'noafw bundle key show'?"),
        (["flash", "--virtul", "monocle"], "Did you mean '--virtual'?"), (["ledger", "lsit"], "Did you mean 'noafw ledger list'?"),
    ])
    func theFirstLineSaysIt(arguments: [String], words: String) async throws {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(arguments + ["--json"])) == 64)
        let first = try #require(harness.diagnostics.split(separator: "\n").first)
        #expect(first.hasPrefix("Error: ") && first.contains(words), "\(harness.diagnostics)")
        let error = try #require(try ToolBench.json(harness.output)["error"] as? [String: Any])
        #expect((error["message"] as? String)?.contains(words) == true)
    }

    /// A mistyped verb may be one whose arguments are a secret.
    @Test func aSecretIsNotRepeated() async {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(["tpye", "hunter2"])) == 64)
        let text = harness.diagnostics
        #expect(text.contains("id you mean 'noafw type'?") && !text.contains("hunter2"), "\(text)")
    }

    @Test func distancesAreCounted() {
        #expect(Nearest.of("Room 3,12", among: ["Room 3, 12", "Room 4, 1"]) == "Room 3, 12")
        #expect(Nearest.of("kitchen", among: ["Room 3, 12"]) == nil && Nearest.of("f", among: ["flash"]) == nil)
        #expect(Nearest.closest(to: "NOA-0999", among: ["NOA-0099", "BLE-0001"]) == "NOA-0099")
        #expect(Nearest.closest(to: "x", among: [String]()) == nil)
    }

    @Test func theOverviewFitsOnePage() async {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context([], isTerminal: true)) == 0)
        let lines = harness.output.split(separator: "\n", omittingEmptySubsequences: false)
        // With the prompt before and behind it.
        #expect(lines.count <= 23 && lines.allSatisfy { DisplayWidth.columns($0) <= 79 }, "\(harness.output)")
        for verb in Overview.verbs {
            let rows = lines.filter { $0.hasPrefix("  ") && !$0.contains("noafw") && $0.split(separator: " ").contains(Substring(verb)) }
            #expect(rows.count == 1, "\(verb): \(harness.output)")
        }
    }
}
