import Foundation
import TestSupport
import Testing

/// From a release job's folder to a unit that answers: one bundle goes all the way, and nothing else does.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua && TestTools.mayCheckSyntax, "run Tools/setup tests")
)
struct ReleaseChainTests {
    struct Product: Sendable, CustomTestStringConvertible {
        let family: String
        let mark: String
        let firmware: String
        let image: [String]

        var testDescription: String { family }
        var unit: [String] { ["--virtual", family, "--virtual-speed", "max"] }
    }

    static let products = [
        Product(
            family: "monocle", mark: "states.py", firmware: "monocle-development-v26.320.0900.zip",
            image: ["--fpga", "FPGA/monocle-development-v26.326.0800.bin", "--fpga-version", "v26.326.0800"]),
        Product(family: "frame", mark: "state.lua", firmware: "frame-development-v26.326.0900.zip", image: []),
    ]

    /// The project's scripts with one more line.
    private func scripts(_ product: Product, in folder: TemporaryFolder) throws -> String {
        let own = ToolBench.root.appendingPathComponent("Scripts/\(product.family)")
        let comment = product.family == "frame" ? "-- release\n" : "# release\n"
        for file in try FileManager.default.contentsOfDirectory(at: own, includingPropertiesForKeys: nil)
        where ["py", "lua"].contains(file.pathExtension) {
            let text = try String(contentsOf: file, encoding: .utf8)
            try folder.write(text + (file.lastPathComponent == product.mark ? comment : ""), to: "release/\(file.lastPathComponent)")
        }
        return folder.path("release")
    }

    private func expect(_ code: Int32, _ bench: ToolBench, _ arguments: [String], says: String) throws {
        let run = try bench.run(arguments)
        #expect(run.status == code, "\(arguments): \(run.status) \(run.errors)")
        #expect((run.errors + run.output).contains(says), "\(arguments): \(run.output)\(run.errors)")
    }

    @Test(arguments: products) func whatABundleBroughtIsVerifiedAndTalkedTo(_ product: Product) throws {
        let (bench, folder) = (try ToolBench(), try TemporaryFolder())
        defer { bench.remove() }
        let (key, bundle) = (folder.path("key.pem"), folder.path("release.zip"))
        try expect(0, bench, ["bundle", "key", "new", "-o", key], says: "key")
        let open = try folder.write(try bench.run(["bundle", "key", "show", key]).output, to: "key.pub.pem")
        let trust = ["--trust", open, "--trust", "Firmware/development-key.pub.pem"]
        let firmware = ["--firmware", "Firmware/\(product.firmware)", "--trust", "Firmware/development-key.pub.pem"]
        let made = ["bundle", try scripts(product, in: folder), "-o", bundle, "--sign", key]
        try expect(0, bench, made + firmware + product.image, says: "signed by ed25519")
        try expect(0, bench, ["bundle", "verify", bundle] + trust, says: "trusted")

        let files = ["--bundle", bundle] + trust
        let chat = ["chat"] + product.unit + ["--assistant", "echo", "--query", "hello"]
        try expect(1, bench, ["verify"] + product.unit + ["--expect", bundle] + trust, says: "FAIL")
        try expect(0, bench, ["flash"] + product.unit + files, says: "PASS  the unit is verified")
        try expect(0, bench, ["flash"] + product.unit + files, says: "PASS  everything is current")
        try expect(0, bench, ["verify"] + product.unit + ["--expect", bundle, "--deep"] + trust, says: "PASS")
        try expect(0, bench, chat, says: "note: the unit is compared with its last pass, ")
        let talk = try bench.run(chat + files)
        #expect(talk.status == 0 && talk.errors.contains("note: the unit is compared with bundle \(bundle)"), "\(talk.errors)")
        #expect(!talk.errors.contains("P-256"), "the firmware is signed with it: \(talk.errors)")
        // Another machine, whose ledger knows nothing of it.
        try FileManager.default.removeItem(at: bench.state.appendingPathComponent("ledger"))
        try expect(0, bench, chat + files, says: "trusted as")
        // The next release differs from what the unit holds.
        try FileManager.default.removeItem(atPath: bundle)
        try folder.write("print('later')\n", to: "release/\(product.mark)")
        try expect(0, bench, made + ["--no-check"], says: "signed by ed25519")
        try expect(1, bench, ["verify"] + product.unit + ["--expect", bundle] + trust, says: "FAIL")
        try expect(1, bench, chat + files, says: "the unit is as it last passed")
    }
}
