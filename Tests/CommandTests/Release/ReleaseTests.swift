import Foundation
import TestSupport
import Testing

@testable import noafw

/// What a build's job does: keys that are in no file, results on standard output, verdicts without words.
@Suite(.enabled(if: TestTools.mayRunLua, "luac is missing: run Tools/setup tests"))
struct ReleaseTests {
    private let bench: ReleaseBench

    init() throws { bench = try ReleaseBench() }

    private func make(
        _ name: String, _ key: String, _ redirection: String = "</dev/null", _ more: [String: String] = [:]
    ) throws -> [UInt8] {
        let (status, output) = try bench.run(
            ["bundle", "scripts", "-o", name, "--sign", key, "--quiet"], redirection, environment: more)
        try #require(status == 0 && output == "", "\(output)")
        return try bench.folder.read(name)
    }

    /// However the key comes, the bundle is the same.
    @Test func theKeyComesByFileInputOrEnvironment() throws {
        let key = try bench.key
        let file = try make("a.zip", "key.pem")
        #expect(try make("b.zip", "-", "<key.pem") == file)
        #expect(try make("c.zip", "env:SIGNING_KEY", "</dev/null", ["SIGNING_KEY": key]) == file)
        let oneLine = Data(key.utf8).base64EncodedString()
        #expect(try make("d.zip", "env:SIGNING_KEY", "</dev/null", ["SIGNING_KEY": oneLine]) == file)
    }

    @Test(arguments: [("-", "</dev/null", "NOA-0124"), ("env:NONE", "</dev/null", "NOA-0124"), ("-", "<scripts/main.lua", "BND-0013")])
    func withoutAKeyNothingIsMade(key: String, redirection: String, code: String) throws {
        let (status, output) = try bench.run(["bundle", "scripts", "-o", "x.zip", "--sign", key], "\(redirection) 2>&1")
        #expect(status != 0 && output.contains("error \(code): "), "\(output)")
        #expect(!FileManager.default.fileExists(atPath: bench.folder.path("x.zip")))
    }

    @Test func aPackageTakesItsKeyTheSameWay() throws {
        #expect(try bench.run(["package", "key", "new", "-o", "p.pem"]).status == 0)
        try bench.folder.write(String(repeating: "x", count: 4096), to: "app.bin")
        let image = ["--family", "frame", "--application", "app.bin", "--application-version", "0"]
        let make = ["package", "create"] + image + ["-o", "-", "--quiet"]
        for (key, redirection) in [("p.pem", "</dev/null"), ("-", "<p.pem"), ("env:K", "</dev/null")] {
            let secret = String(decoding: try bench.folder.read("p.pem"), as: UTF8.self)
            let (status, output) = try bench.run(make + ["--key-file", key], "\(redirection) >app.zip", environment: ["K": secret])
            #expect(status == 0 && output == "", "\(output)")
            #expect(try bench.run(["package", "verify", "app.zip", "--key", "p.pem", "--quiet"]) == (0, ""))
        }
    }

    @Test func aBundleGoesThroughAPipe() throws {
        let file = try make("a.zip", "key.pem")
        let (status, output) = try bench.run(["bundle", "scripts", "-o", "-", "--sign", "key.pem"], ">b.zip 2>words")
        #expect(status == 0 && output == "")
        #expect(try bench.folder.read("b.zip") == file)
        #expect(String(decoding: try bench.folder.read("words"), as: UTF8.self).contains("bundle for the frame"))
        let refused = try bench.run(["bundle", "scripts", "-o", "-", "--json"], "2>&1")
        #expect(refused.status == 64 && refused.output.contains("Give -o a file"))
    }

    @Test func aTerminalGetsNoBundle() async throws {
        let harness = Harness()
        let code = await Noafw.execute(
            in: harness.context(["bundle", "scripts", "-o", "-", "--no-check"], isTerminal: true, folder: bench.folder.path))
        #expect(code == 64 && harness.diagnostics.contains("NOA-0125") && harness.output == "")
    }

    /// A result that did not go out is no success.
    @Test func aFullDiskIsTold() throws {
        let (status, output) = try bench.run(["bundle", "scripts", "-o", "-", "--no-check"], "2>&1 >/dev/full")
        #expect(status == 74 && output.contains("error NOA-0005: "), "\(output)")
    }

    // MARK: - bundle verify

    @Test func verifyWantsATrustedKey() throws {
        _ = try make("a.zip", "key.pem")
        #expect(try bench.run(["bundle", "verify", "a.zip", "--trust", "key.pub.pem", "-q"]) == (0, ""))
        let words = try bench.run(["bundle", "verify", "a.zip", "--trust", "key.pub.pem"])
        #expect(words.status == 0 && words.output.contains("PASS  every file is what the manifest says"))
        let none = try bench.run(["bundle", "verify", "a.zip"], "2>&1")
        #expect(none.status == 66 && none.output.contains("BND-0045"), "\(none.output)")
        #expect(try bench.run(["bundle", "key", "new", "-o", "other.pem"]).status == 0)
        try bench.folder.write(try bench.run(["bundle", "key", "show", "other.pem"], "2>/dev/null").output, to: "other.pub.pem")
        let stranger = try bench.run(["bundle", "verify", "a.zip", "--trust", "other.pub.pem", "--json"], "2>/dev/null")
        let refusal = try ToolBench.json(stranger.output)
        #expect(stranger.status == 65 && refusal["verdict"] as? String == "fail", "\(stranger.output)")
        #expect(try bench.run(["bundle", "scripts", "-o", "plain.zip", "-q"]).status == 0)
        let plain = try bench.run(["bundle", "verify", "plain.zip", "--trust", "key.pub.pem", "-q"], "2>&1")
        #expect(plain.status == 65 && plain.output.contains("BND-0010"), "\(plain.output)")
        var bytes = try bench.folder.read("a.zip")
        bytes[bytes.count / 2] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: bench.folder.path("a.zip")))
        #expect(try bench.run(["bundle", "verify", "a.zip", "--trust", "key.pub.pem", "-q"]).status == 65)
    }

    // MARK: - Statements

    private static let github = [
        "GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "ada/app", "GITHUB_SHA": String(repeating: "a1", count: 20),
        "GITHUB_REF": "refs/tags/v1", "GITHUB_RUN_ID": "7", "GITHUB_RUN_ATTEMPT": "2", "RUNNER_ENVIRONMENT": "github-hosted",
    ]

    @Test func theProvenanceIsVerifiedWithTheBundle() throws {
        _ = try make("a.zip", "key.pem")
        let make = ["bundle", "provenance", "a.zip", "--sign", "key.pem", "-o", "a.intoto.json", "-q"]
        #expect(try bench.run(make, environment: Self.github) == (0, ""))
        let verify = ["bundle", "verify", "a.zip", "--trust", "key.pub.pem", "--provenance", "a.intoto.json"]
        let proved = try bench.run(verify)
        let source = "git+https://github.com/ada/app@refs/tags/v1 at " + String(repeating: "a1", count: 20)
        #expect(proved.status == 0 && proved.output.contains("source    \(source)"), "\(proved.output)")
        // A statement of another bundle, by the same key.
        try bench.folder.write("return 2\n", to: "scripts/link.lua")
        let first = try bench.folder.read("a.zip")
        _ = try self.make("a.zip", "key.pem")
        let other = try bench.run(verify, "2>&1")
        #expect(other.status == 65 && other.output.contains("BND-0043"), "\(other.output)")
        try Data(first).write(to: URL(fileURLWithPath: bench.folder.path("a.zip")))
        // One whose content was changed after signing.
        var envelope = try ToolBench.json(String(decoding: try bench.folder.read("a.intoto.json"), as: UTF8.self))
        let payload = Data(base64Encoded: envelope["payload"] as? String ?? "") ?? Data()
        let forged = String(decoding: payload, as: UTF8.self).replacing("ada/app", with: "eve/app")
        envelope["payload"] = Data(forged.utf8).base64EncodedString()
        try JSONSerialization.data(withJSONObject: envelope).write(to: URL(fileURLWithPath: bench.folder.path("a.intoto.json")))
        let changed = try bench.run(verify, "2>&1")
        #expect(changed.status == 65 && changed.output.contains("BND-0044"), "\(changed.output)")
        try bench.folder.write("{}", to: "a.intoto.json")
        #expect(try bench.run(verify, "2>&1").output.contains("BND-0043"))
    }

    @Test func outsideOfAJobTheSourceIsGiven() throws {
        _ = try make("a.zip", "key.pem")
        let unknown = try bench.run(["bundle", "provenance", "a.zip"], "2>&1")
        #expect(unknown.status == 64 && unknown.output.contains("NOA-0126") && unknown.output.contains("--source"), "\(unknown.output)")
        let given = ["--source", "git+https://example.com/app", "--commit", "9f3c1a7", "--builder", "https://example.com/room"]
        let made = try bench.run(["bundle", "provenance", "a.zip"] + given)
        let document = try ToolBench.json(made.output)
        #expect(made.status == 0 && document["predicateType"] as? String == "https://slsa.dev/provenance/v1", "\(made.output)")
        for wrong in [["--commit", "xyz"], ["--source", "app"]] {
            #expect(try bench.run(["bundle", "provenance", "a.zip"] + wrong).status == 64)
        }
    }

    @Test func gitLabTellsItsJob() {
        let facts = BuildFacts(environment: [
            "CI_PROJECT_URL": "https://gitlab.com/ada/app", "CI_COMMIT_SHA": "0a", "CI_COMMIT_REF_NAME": "v1", "CI_RUNNER_ID": "3",
            "CI_JOB_URL": "https://gitlab.com/ada/app/-/jobs/9",
        ])
        #expect(
            facts == BuildFacts(
                source: "git+https://gitlab.com/ada/app@v1", commit: "0a", builder: "https://gitlab.com/ada/app/-/runners/3",
                invocation: "https://gitlab.com/ada/app/-/jobs/9"))
        #expect(BuildFacts(environment: ["CI": "true"]) == nil)
    }

    /// The makers' own readers: CycloneDX's strict schema, and in-toto's message types.
    @Test(.enabled(if: TestTools.mayReadStatements, "cyclonedx-python-lib is missing: run Tools/setup tests"))
    func standardToolsTakeTheStatements() throws {
        _ = try make("a.zip", "key.pem")
        let time = ["SOURCE_DATE_EPOCH": "1700000000"]
        let bill = try bench.run(["bundle", "sbom", "a.zip", "--name", "Ada's app"], environment: time).output
        let statement = try bench.run(["bundle", "provenance", "a.zip"], environment: Self.github).output
        let again = try bench.run(["bundle", "sbom", "a.zip", "--name", "Ada's app"], environment: time)
        #expect(bill == again.output)
        try bench.folder.write(bill, to: "a.cdx.json")
        try bench.folder.write(statement, to: "a.json")
        let script = """
            import json, sys
            from cyclonedx.schema import SchemaVersion
            from cyclonedx.validation.json import JsonStrictValidator
            from cyclonedx.model.bom import Bom
            from google.protobuf import json_format
            from in_toto_attestation.v1.statement import Statement
            from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
            text = open("a.cdx.json").read()
            wrong = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
            assert wrong is None, wrong
            assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text.replace('"SHA-256"', '"SHA-257"')) is not None
            bom = Bom.from_json(json.loads(text))
            assert bom.metadata.component.name == "Ada's app" and len(bom.components) == 2, bom
            document = json.load(open("a.json"))
            statement = Statement([], "", {})
            json_format.ParseDict(document, statement.pb)
            statement.validate()
            predicate = provenance_pb2.Provenance()
            json_format.ParseDict(document["predicate"], predicate)
            assert predicate.run_details.builder.id.startswith("https://github.com/"), predicate
            assert predicate.build_definition.resolved_dependencies[0].digest["gitCommit"] == "a1" * 20
            print("taken")
            """
        let python = try TestTools.require(TestTools.releasePython, "cyclonedx-python-lib")
        let (status, output) = try runProgram(python, ["-c", script], environment: ["PATH": "/usr/bin:/bin"], folder: bench.folder.path)
        #expect(status == 0 && output == "taken\n", "\(output)")
    }
}
