import Bluetooth
import FPGA
import REPL
import ScriptBundle
import Support

/// A read-only look at one Monocle: versions, and with `deep` every byte of FPGA flash and scripts by digest.
public struct MonocleVerification: Sendable {
    private let radio: MonocleRadio
    private let assets: MonocleAssets
    private let isDeep: Bool

    public init(central: any Central, address: DeviceAddress, assets: MonocleAssets, isDeep: Bool) {
        radio = MonocleRadio(central: central, address: address)
        self.assets = assets
        self.isDeep = isDeep
    }

    /// - Throws: `CancellationError` alone; what the unit or the link did wrong stands in the report.
    public func run(report: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport {
        var result = VerifyReport(
            identity: UnitIdentity(address: radio.address, name: "monocle"), family: "monocle", findings: [:], error: nil)
        var recoveries: [Recovery] = []
        let failure = try await radio.visit(Escalation(mayRestartUnit: false), recovering: { remedy, reason in
            recoveries.append(Recovery(remedy: remedy, reason: reason))
            report(.notice("\(reason.message) [\(reason.code)]: trying again after \(remedy.words)"))
        }) { visit in try await lookOnce(&visit, &result, report) }
        result.recoveries = recoveries
        result.error = failure.map(diagnose)
        return result
    }

    private func lookOnce(
        _ visit: inout MonocleVisit, _ result: inout VerifyReport, _ report: @escaping @Sendable (RunEvent) -> Void
    ) async throws {
        report(.stage(.connect))
        switch try await visit.hasLink ? .application : radio.find() {
        case .application: break
        case .bootloader: throw ProvisioningError.inBootloader
        case nil: throw ProvisioningError.unitNotFound(radio.address)
        }
        let session = try await visit.session()
        try await inspect(session, &result, report)
        if isDeep, let scripts = assets.scripts, result.findings[.scripts]?.matches == true {
            result.program = try await session.proveProgram(of: scripts)
        } else {
            try await session.startProgram()
        }
    }

    private func inspect(
        _ session: UnitSession, _ result: inout VerifyReport, _ report: @escaping @Sendable (RunEvent) -> Void
    ) async throws {
        report(.stage(.probe))
        let identity = try await session.identity(address: radio.address)
        result.identity = identity
        report(.probed(identity))
        if let firmware = assets.firmware {
            result.findings[.firmware] = finding(firmware.version, identity.firmware, [])
        }
        report(.stage(.proof))
        if let fpga = assets.fpga {
            let probe = FPGAProbe(repl: session.repl)
            var differences = isDeep ? try await probe.differences(from: fpga.image) : []
            if identity.fpga == nil, let fault = try await probe.condition().fault { differences.append(fault) }
            result.findings[.fpga] = finding(fpga.version, identity.fpga, differences)
        }
        if let scripts = assets.scripts {
            let differences = isDeep ? try await ScriptInstaller(repl: session.repl, scripts: scripts).deepCheck() : []
            var found = finding(scripts.version, identity.scripts, differences.filter { !$0.isHarmless }.map(\.description))
            found.extras = differences.filter(\.isHarmless).map(\.description)
            result.findings[.scripts] = found
        }
    }

    private func finding(_ expected: String, _ actual: String?, _ differences: [String]) -> VerifyReport.Finding {
        VerifyReport.Finding(
            expected: expected, actual: actual, matches: expected == actual && differences.isEmpty, differences: differences)
    }
}

extension FPGACondition {
    /// `nil` while none answers.
    var version: String? { if case .running(let version) = self { version } else { nil } }

    /// Why it does not answer, in an operator's words.
    var fault: String? {
        switch self {
        case .running: nil
        case .stopped: "the FPGA is stopped, as an update that did not end leaves it: run noafw flash"
        case .silent: "the FPGA does not answer"
        }
    }
}
