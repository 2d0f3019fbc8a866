import Bluetooth
import Ledger
import Provisioning
import Support
import Testing

@testable import noafw

@Suite struct VerifyOutputTests {
    private let harness = Harness()

    @Test func driftIsShownWithTheCommandThatRepairsIt() async throws {
        let services = FakeServices(onVerify: { request, _ in
            #expect(request.isDeep)
            return try Sample.verified(scriptsMatch: false)
        })
        let context = harness.context(
            ["verify", "--virtual", "monocle", "--deep", "--only", "firmware,scripts", "--scripts", "my scripts"], services: services)
        #expect(await Noafw.execute(in: context) == 1)
        #expect(harness.output == """
            unit D3:5A:00:11:22:33 "monocle", battery 87 %

            part      expected             actual        result
            firmware  v26.001.0000         v26.001.0000  matches
            scripts   sha256:0123456789ab  -             DIFFERS

              scripts: main.py: 1 byte differs

            FAIL  drift in scripts (0.0 s)
              next: noafw flash --virtual monocle --scripts 'my scripts' --only scripts

            """)
        #expect(harness.diagnostics == "")
    }

    @Test(arguments: [true, false]) func sinceWhenIsTold(matches: Bool) async throws {
        let id = RunIDGenerator(now: { UTCTime(microseconds: 1_795_000_000_000_000) }).next()
        let pass = PassedRun(id: id, verb: "fl\u{1B}ash", endedAt: UTCTime(microseconds: 1_795_183_389_000_000))
        let services = FakeServices(onVerify: { _, _ in try Sample.verified(scriptsMatch: matches) }, lastPass: pass)
        _ = await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle"], services: services))
        #expect(harness.output.hasSuffix("\n  last passed 2026-11-20 14:03 UTC (fl\\u{1b}ash)\n"), "\(harness.output)")
        let other = Harness()
        _ = await Noafw.execute(in: other.context(["verify", "--virtual", "monocle", "--json"], services: services))
        #expect(
            other.output.contains(#""last_pass":{"time":"2026-11-20T14:03:09.000000Z","verb":"fl\u001bash","run":"\#(id)"}"#),
            "\(other.output)")
    }

    @Test func aMatchPasses() async throws {
        let services = FakeServices(onVerify: { _, _ in try Sample.verified(scriptsMatch: true) })
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle"], services: services)) == 0)
        #expect(harness.output.hasSuffix("PASS  every version matches (0.0 s)\n"))
    }

    @Test(arguments: [
        (
            [Component.firmware, .fpga, .scripts], ProgramVerification(.announced, seconds: 9),
            "versions match; verified by digest: FPGA image, scripts; the program ran for 9 s without an error"
        ),
        (
            [.scripts], ProgramVerification(.announced, seconds: 9),
            "versions match; verified by digest: scripts; the program ran for 9 s without an error"
        ),
        ([.firmware, .fpga], nil, "versions match; verified by digest: FPGA image"),
        ([.firmware], nil, "every version matches"),
    ])
    func noMoreIsSaidThanWasLookedAt(parts: [Component], program: ProgramVerification?, words: String) async throws {
        let services = FakeServices(onVerify: { _, _ in
            var report = try Sample.verified(scriptsMatch: true)
            report.findings = Dictionary(uniqueKeysWithValues: parts.map { ($0, .init(expected: "v1", actual: "v1")) })
            report.program = program
            return report
        })
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle", "--deep"], services: services)) == 0)
        #expect(harness.output.contains("PASS  \(words) ("), "\(harness.output)")
    }

    @Test(arguments: [
        (true, ",\"proof\":\"digest\",\"differences\":[\"main.py: 1 byte differs\"],\"extras\":[\"notes.txt is not part of the set\"]"),
        (false, ",\"proof\":\"version\"")
    ])
    func jsonKeepsTheBlueprintsOrder(isDeep: Bool, differences: String) async throws {
        let services = FakeServices(onVerify: { _, _ in
            var report = try Sample.verified(scriptsMatch: false)
            report.findings[.scripts]?.extras = ["notes.txt is not part of the set"]
            return report
        })
        let arguments = ["verify", "--virtual", "monocle", "--json"] + (isDeep ? ["--deep"] : [])
        #expect(await Noafw.execute(in: harness.context(arguments, services: services)) == 1)
        let none = ",\"proof\":\"version\"" + (isDeep ? ",\"differences\":[],\"extras\":[]" : "")
        #expect(harness.output == """
            {"schema":"noafw.verify/1","verdict":"fail","units":[{"id":"monocle","family":"monocle",\
            "address":"D3:5A:00:11:22:33",\
            "firmware":{"expected":"v26.001.0000","actual":"v26.001.0000","match":true\(none)},\
            "fpga":null,\
            "scripts":{"expected":"\(Sample.scriptsDigest)","actual":null,"match":false\(differences)},\
            "verdict":"fail","fault":null,"error":null,"program":null,"recoveries":[],"last_pass":null,"run":null}]}

            """)
    }

    /// What lies beside the set is told, and is no drift.
    @Test func extraFilesAreTold() async throws {
        let services = FakeServices(onVerify: { _, _ in
            var report = try Sample.verified(scriptsMatch: true)
            report.findings[.scripts]?.extras = ["no\u{1B}tes.txt is not part of the set"]
            return report
        })
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle", "--deep"], services: services)) == 0)
        #expect(harness.output.contains("\n  scripts: no\\u{1b}tes.txt is not part of the set\n\nPASS  "), "\(harness.output)")
    }

    /// Without that, what is printed as next would fail.
    @Test func whatHasToBeRemovedFirstIsSaid() async throws {
        let runner = FakeServices(onVerify: { _, _ in
            var report = try Sample.verified(scriptsMatch: false)
            report.findings[.scripts]?.shadows = ["hashlib.py", "states/"]
            return report
        })
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle", "--deep"], services: runner)) == 1)
        #expect(harness.output.hasSuffix("""
            FAIL  drift in scripts (0.0 s)
              first, in noafw console: import uos; \
            rm=lambda p:([rm(p+'/'+f)for f in uos.listdir(p)],uos.rmdir(p))if uos.stat(p)[0]&0x4000 else uos.remove(p); \
            uos.remove('hashlib.py'); rm('states')
              if it was provisioned with other files, name them (--bundle, --scripts); else
              next: noafw flash --virtual monocle --only scripts

            """), "\(harness.output)")
    }

    @Test func aLongVersionDoesNotWidenTheTable() async throws {
        let services = FakeServices(onVerify: { _, _ in
            var report = try Sample.verified(scriptsMatch: true)
            report.findings[.firmware] = .init(expected: "v26.001.0000", actual: String(repeating: "v", count: 10_000))
            return report
        })
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle"], services: services)) == 1)
        #expect(harness.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(harness.output)")
    }

    @Test func anErrorOutranksWhatWasFound() async throws {
        let lost = LinkError.disconnected("supervision timeout").diagnosis
        let services = FakeServices(onVerify: { _, _ in try Sample.verified(scriptsMatch: true, error: lost) })
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle"], services: services)) == 75)
        #expect(harness.output.hasSuffix("FAIL  the unit is not verified (0.0 s)\n"))
        #expect(harness.diagnostics.hasPrefix("error BLE-0001: the link was lost (supervision timeout)\n"))
    }
}
