import Foundation
import TestSupport
import Testing

@testable import noafw

/// What a command line may not say twice, or not at all.
@Suite struct OptionTests {
    private let harness = Harness()

    @Test(arguments: [
        (["chat", "--virtual", "monocle:a", "--virtual", "monocle:b"], "--virtual"),
        (["rescue", "--device=D3:5A:00:11:22:33", "--device=D3:5A:00:11:22:44"], "--device"),
        (["verify", "--virtual", "monocle", "--fpga", "a", "--fpga", "b"], "--fpga"),
        (["chat", "--virtual", "monocle", "--query", "a", "--query", "b"], "--query"),
        (["scan", "--seconds", "1", "--seconds", "2"], "--seconds"),
        (["bundle", "x", "-o", "a", "--output", "b"], "--output"),
        (
            [
                "package", "create", "--family", "monocle", "--unsigned", "--application", "a", "--application-version", "1", "-o", "a",
                "-o", "b"
            ], "-o"
        ),
        (["assets", "list", "--assets", "a", "--assets", "b"], "--assets"),
        (["doctor", "--adapter", "hci0", "--adapter", "hci1"], "--adapter"),
    ])
    func aSingleValueIsNotGivenTwice(arguments: [String], name: String) async {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(harness.diagnostics.hasPrefix("Error: \(name) is given twice"), "\(harness.diagnostics)")
    }

    @Test(arguments: [
        (["assets", "list", "--assets", ""], "--assets"),
        (["verify", "--virtual", "monocle", "--scripts", ""], "--scripts"), (["flash", "--virtual", "monocle", "--trust", ""], "--trust"),
        (["doctor", "--assets", ""], "--assets"), (["chat", "--virtual", "monocle", "--assets", ""], "--assets"),
        (["bundle", "x", "-o", ""], "-o"), (["bundle", "", "-o", "x"], "an argument"), (["bundle", "key", "show", "--", ""], "an argument"),
    ])
    func nothingIsNoValue(arguments: [String], name: String) async {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(harness.diagnostics.hasPrefix("Error: \(name) is empty"), "\(harness.diagnostics)")
    }

    @Test(arguments: ["flash", "verify"], ["1", "v23.230.0808\u{1B}[2J", "v23.230.080", "latest"])
    func aVersionHasItsForm(verb: String, version: String) async {
        let arguments = [verb, "--virtual", "monocle", "--fpga", "x.bin", "--fpga-version", version]
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(harness.diagnostics.hasPrefix("Error: --fpga-version has the form vYY.DDD.HHMM"), "\(harness.diagnostics)")
        #expect(!harness.diagnostics.contains("\u{1B}"))
    }
}
