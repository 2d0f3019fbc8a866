import Provisioning
import Support
import Synchronization
import TestSupport
import Testing

@testable import noafw

/// What is advised about a unit that differs installs what the unit was held against, and nothing else.
@Suite struct RepairAdviceTests {
    /// Ways to differ, by the state that they come to.
    private static let differences: [(FindingState, Component, actual: String?, differences: [String])] = [
        (.older, .firmware, "v25.365.2359", []), (.newer, .fpga, "v26.001.0001", []), (.unknown, .firmware, nil, []),
        (.drifted, .scripts, nil, []), (.drifted, .fpga, "v26.001.0000", ["page 10"]),
    ]

    private static func files(_ folder: TemporaryFolder) throws -> [[String]] {
        let deep = #""differences":[],"proof":"digest""#
        func baseline(_ version: String, _ name: String) throws -> String {
            let findings = ["firmware", "fpga"].map { #""\#($0)":{"actual":"\#(version)",\#(deep)}"# }
                + [#""scripts":{"actual":"\#(version.hasPrefix("v26") ? Sample.scriptsDigest : version)",\#(deep)}"#]
            let units = #"{"address":"C0:00:00:00:00:01",\#(findings.joined(separator: ","))}"#
            return try folder.write(#"{"schema":"noafw.verify/1","units":[\#(units)]}"#, to: name)
        }
        return [
            [], ["--scripts", "own"], ["--assets", "ours"], ["--bundle", "r.zip", "--trust", "k.pem"],
            ["--expect", "r.zip", "--trust", "k.pem"],
            ["--baseline", try baseline("v26.001.0000", "same")], ["--baseline", try baseline("v01.001.0001", "other")],
            ["--baseline", try baseline("v26.001.0000", "same"), "--bundle", "r.zip"],
            ["--baseline", try baseline("v01.001.0001", "other"), "--expect", "r.zip"],
        ]
    }

    @Test func noAdviceInstallsWhatWasNotCompared() async throws {
        let folder = try TemporaryFolder()
        var told = 0
        for files in try Self.files(folder) {
            for (state, part, actual, differences) in Self.differences {
                let (held, remedy) = try await Self.verify(files, part, actual, differences, is: state)
                told += 1
                let named = held.named.contains(part) && !files.contains("--baseline")
                guard let command = remedy.firstMatch(of: /run: (noafw flash [^(]*) \(or/) else {
                    #expect(files.contains { $0.hasSuffix("other") } && !remedy.contains("noafw flash"), "\(files) \(state): \(remedy)")
                    continue
                }
                #expect(!files.contains { $0.hasSuffix("other") }, "\(files) \(state): \(remedy)")
                if !named, !files.contains("--baseline") {
                    #expect(remedy.hasPrefix("if it was provisioned with other files"), "\(files): \(remedy)")
                }
                let asked = try await Self.flash(command.1.split(separator: " ").dropFirst().map(String.init))
                #expect(asked.inputs == held && asked.options.components == [part], "\(files) \(state): \(remedy)")
                #expect(asked.fleet.units == .one(.address(FleetSample.address(1))))
            }
        }
        #expect(told == 45)
    }

    /// - Returns: the files that the unit was held against, and what is advised.
    private static func verify(
        _ files: [String], _ part: Component, _ actual: String?, _ differences: [String], is state: FindingState
    ) async throws -> (AssetInputs, String) {
        let found = Mutex<(AssetInputs, ComparedReport)?>(nil)
        let services = FakeServices(onVerifyFleet: { request, _ in
            let entry = try FleetSample.verified(1, [part: actual], differences: differences, request.comparison)
            guard let report = entry.report else { throw FakeServices.NotExpected() }
            found.withLock { $0 = (request.inputs, report) }
            return FleetReport(entries: [entry])
        })
        _ = await Noafw.execute(in: Harness().context(["verify", "--all", "--deep"] + files, services: services))
        let last = found.withLock { $0 }
        let (inputs, report) = try #require(last)
        if !files.contains("--baseline") { #expect(report.findings.first { $0.component == part }?.state == state) }
        return (inputs, try #require(report.failure).remedy)
    }

    /// For the first ones of many.
    @Test func anOperatorIsTold() async throws {
        let services = FakeServices(onVerifyFleet: { request, _ in
            FleetReport(
                entries: try (1...10).map { try FleetSample.verified($0, [.fpga: $0 == 1 ? "v26.001.0000" : "v1"], request.comparison) })
        })
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(["verify", "--all", "--expect", "r.zip"], services: services)) == 1)
        #expect(
            harness.output.contains("\n  C0:00:00:00:00:02 next: run: noafw flash --device C0:00:00:00:00:02 --bundle r.zip --only fpga\n"),
            "\(harness.output)")
        #expect(
            harness.output.split(separator: "\n").count { $0.contains(" next: run: ") } == 8 && harness.output.contains("\n  and 1 more\n"))
        #expect(!harness.output.contains("C0:00:00:00:00:01 next"))
    }

    private static func flash(_ arguments: [String]) async throws -> FlashRequest {
        let found = Mutex<FlashRequest?>(nil)
        let services = FakeServices(onFlash: { request, _ in
            found.withLock { $0 = request }
            return try Sample.flashed()
        })
        let harness = Harness()
        _ = await Noafw.execute(in: harness.context(arguments, services: services))
        let last = found.withLock { $0 }
        return try #require(last, "\(arguments): \(harness.diagnostics)")
    }

    @Test(arguments: [["--scripts", "s"], ["--firmware", "f"], ["--assets", "a"], ["--fpga-version", "v23.230.0808"]])
    func whatABundleNamesIsNotNamedTwice(files: [String]) async {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(["verify", "--all", "--expect", "r.zip"] + files)) == 64)
    }

    @Test(arguments: [
        ([], "--only scripts", false), (["--scripts", "own"], "--scripts own --only scripts", true),
        (["--firmware", "f.zip"], "--firmware f.zip --only scripts", false), (["--bundle", "r.zip"], "--bundle r.zip --only scripts", true),
    ])
    func ofOneUnitToo(files: [String], flash: String, isKnown: Bool) async throws {
        let (harness, services) = (Harness(), FakeServices(onVerify: { _, _ in try Sample.verified(scriptsMatch: false) }))
        #expect(await Noafw.execute(in: harness.context(["verify", "--virtual", "monocle"] + files, services: services)) == 1)
        #expect(harness.output.hasSuffix("\n  next: noafw flash --virtual monocle \(flash)\n"))
        #expect(harness.output.contains("if it was provisioned with other") != isKnown)
    }
}
