import Bluetooth
import Cryptography
import Ledger
import Provisioning
import REPL
import Support
import Synchronization
import Testing

@testable import noafw

/// Runs commands in-process against a fake unit, and holds what they said.
final class Harness: Sendable {
    let time: ManualTime
    let interrupts = Interrupts()
    private let outputText = Mutex("")
    private let diagnosticText = Mutex("")

    init(wakingUntil limit: Duration = .zero) { time = ManualTime(wakingUntil: limit) }

    var output: String { outputText.withLock { $0 } }
    var diagnostics: String { diagnosticText.withLock { $0 } }

    func clear() {
        outputText.withLock { $0 = "" }
        diagnosticText.withLock { $0 = "" }
    }

    func context(
        _ arguments: [String], services: FakeServices = FakeServices(), environment: [String: String] = ["HOME": "/home/op"],
        isTerminal: Bool = false, columns: Int = 80, folder: String = "/line"
    ) -> CommandContext {
        CommandContext(
            arguments: arguments, environment: environment, currentDirectory: folder, executable: nil,
            output: TextSink(isTerminal: isTerminal, columns: { columns }, write: { [self] text in outputText.withLock { $0 += text } }),
            diagnostics: TextSink(
                isTerminal: isTerminal, columns: { columns }, write: { [self] text in diagnosticText.withLock { $0 += text } }),
            clock: time.clock, interrupts: interrupts, services: services)
    }
}

/// Time that stands still until a test moves it. A sleep within the limit returns at once, one beyond it never does
/// unless it is cancelled.
final class ManualTime: Sendable {
    private let now = Mutex(Duration.zero)
    private let limit: Duration

    init(wakingUntil limit: Duration) { self.limit = limit }

    func advance(_ duration: Duration) { now.withLock { $0 += duration } }

    var clock: SessionClock {
        SessionClock(
            now: { [self] in now.withLock { $0 } },
            sleepUntil: { [self] offset in
                if offset > limit {
                    let (never, keepAlive) = AsyncStream<Void>.makeStream()
                    for await _ in never {}
                    keepAlive.finish()
                }
                try Task.checkCancellation()
            })
    }
}

/// A unit that does what a test says; what a test did not expect is an issue.
struct FakeServices: Services {
    struct NotExpected: Error {}

    var onFlash: (@Sendable (FlashRequest, @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport)?
    var onVerify: (@Sendable (VerifyRequest, @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport)?
    var lastPass: PassedRun?
    var onFlashFleet: (@Sendable (FlashRequest, @escaping Events) async throws -> FleetReport<UnitReport>)?
    var onVerifyFleet: (@Sendable (VerifyRequest, @escaping Events) async throws -> FleetReport<ComparedReport>)?
    var onWatch: (@Sendable (LineRequest, @escaping Events) async throws -> FleetReport<UnitReport>)?
    var onRescue: (@Sendable (FlashRequest, @escaping @Sendable (RunEvent) -> Void) async throws -> RescueReport)?
    var onScan: (@Sendable (ScanRequest, @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport)?
    typealias ChatBody = @Sendable (ChatEnvironment) async throws -> ChatVerdict
    var onChat: (@Sendable (ChatRequest, @escaping ChatBody) async throws -> ChatVerdict)?
    typealias ConsoleBody = @Sendable (ConsolePrompt) async throws -> ConsoleVerdict
    var onConsole: (@Sendable (ConsoleRequest, @escaping ConsoleBody) async throws -> ConsoleVerdict)?
    var onPair: (@Sendable (PairRequest) async throws -> BondReport)?
    var onUnpair: (@Sendable (UnpairRequest) async throws -> BondReport)?
    var onExamine: (@Sendable (DoctorRequest) -> DoctorFacts)?


    func withUnit<Value: Sendable>(
        _ selection: UnitSelection, search: AssetSearch, stateFolder: String, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Value
    ) async throws -> Value {
        Issue.record("no unit was expected to be used")
        throw NotExpected()
    }

    func flash(_ request: FlashRequest, events: @escaping Events) async throws -> FleetReport<UnitReport> {
        if let onFlashFleet { return try await onFlashFleet(request, events) }
        let report = try await flash(one: request, events: events)
        return FleetReport(entries: [FleetEntry(unit: request.fleet.unit(report.identity.address, report.family), report: report)])
    }

    func flash(one request: FlashRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        guard let onFlash else {
            Issue.record("flash was not expected to run")
            throw NotExpected()
        }
        return try await onFlash(request, events)
    }

    func verify(_ request: VerifyRequest, events: @escaping Events) async throws -> FleetReport<ComparedReport> {
        if let onVerifyFleet { return try await onVerifyFleet(request, events) }
        let report = try await verify(one: request, events: events)
        var compared = request.comparison.compare(report, unit: [])
        compared.lastPass = lastPass
        return FleetReport(entries: [FleetEntry(unit: request.fleet.unit(report.identity.address, report.family), report: compared)])
    }

    func verify(one request: VerifyRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport {
        guard let onVerify else {
            Issue.record("verify was not expected to run")
            throw NotExpected()
        }
        return try await onVerify(request, events)
    }

    func watch(_ request: LineRequest, events: @escaping Events) async throws -> FleetReport<UnitReport> {
        guard let onWatch else {
            Issue.record("a line was not expected to run")
            throw NotExpected()
        }
        return try await onWatch(request, events)
    }

    func rescue(_ request: FlashRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> RescueReport {
        guard let onRescue else {
            Issue.record("rescue was not expected to run")
            throw NotExpected()
        }
        return try await onRescue(request, events)
    }

    func scan(_ request: ScanRequest, look: @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport {
        guard let onScan else {
            Issue.record("scan was not expected to run")
            throw NotExpected()
        }
        return try await onScan(request, look)
    }

    func bench<Report: RecordedReport>(
        _ request: BenchRequest, recorded: @escaping @Sendable (RunIdentity?) -> Void, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Report
    ) async throws -> Report {
        Issue.record("no bench was expected to be used")
        throw NotExpected()
    }

    func pair(_ request: PairRequest) async throws -> BondReport {
        guard let onPair else {
            Issue.record("pair was not expected to run")
            throw NotExpected()
        }
        return try await onPair(request)
    }

    func unpair(_ request: UnpairRequest) async throws -> BondReport {
        guard let onUnpair else {
            Issue.record("unpair was not expected to run")
            throw NotExpected()
        }
        return try await onUnpair(request)
    }

    func examine(_ request: DoctorRequest) async -> DoctorFacts {
        guard let onExamine else {
            Issue.record("doctor was not expected to run")
            let finding = DoctorFacts.Finding(diagnosis: CommandError.noStateFolder.diagnosis)
            return DoctorFacts(bluetooth: .init(blockingError: finding), state: .failure(finding), catalogue: .failure(finding))
        }
        return onExamine(request)
    }

    func withChatUnit(
        _ request: ChatRequest, notice: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        try await body(FakeChatUnit(services: self, request: request))
    }

    func console(
        _ request: ConsoleRequest, _ body: @escaping @Sendable (ConsolePrompt) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict {
        guard let onConsole else {
            Issue.record("console was not expected to run")
            throw NotExpected()
        }
        return try await onConsole(request, body)
    }
}

extension UnitSelection {
    fileprivate func unit(_ address: DeviceAddress, _ family: FamilyID) -> FleetUnit {
        if case .virtual(let names, _) = units, let name = names.first {
            return FleetUnit(id: name.description, address: address, family: family)
        }
        return FleetUnit(id: "\(address)", address: address, family: family)
    }
}

extension Station {
    /// A bench with these adapters.
    /// - Parameter folder: of its state.
    static func played(
        _ selection: UnitSelection, _ adapters: [FleetAdapter], at folder: String, notice: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Station {
        Station(
            selection: selection, adapters: adapters.map { Radio.Adapter(fleet: $0, address: nil) }, stateFolder: folder, notice: notice)
    }
}

struct FakeChatUnit: ChatUnit {
    let services: FakeServices
    let request: ChatRequest

    func compareVersions(events: @escaping @Sendable (RunEvent) -> Void) async throws -> ChatComparison {
        let verification = VerifyRequest(
            fleet: request.unit, inputs: request.inputs, components: Set(FamilyList.supported.components), isDeep: false,
            comparison: Comparison(isDeep: false, today: ""), stateFolder: request.stateFolder)
        return ChatComparison(report: try await services.verify(one: verification, events: events))
    }

    func update(_ components: Set<Component>, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        var options = JobOptions()
        options.components = components
        let update = FlashRequest(
            fleet: request.unit, inputs: request.inputs, options: options, stateFolder: request.stateFolder)
        return try await services.flash(one: update, events: events)
    }

    func converse(_ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict) async throws -> ChatVerdict {
        guard let onChat = services.onChat else {
            Issue.record("chat was not expected to run")
            throw FakeServices.NotExpected()
        }
        return try await onChat(request, body)
    }
}

enum Sample {
    static let scriptsDigest = "SHA256 digest: 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

    static func identity(name: String = "monocle") throws -> UnitIdentity {
        UnitIdentity(
            address: try #require(DeviceAddress("D3:5A:00:11:22:33")), name: name,
            versions: [.firmware: "v23.100.0000", .fpga: "v23.100.0000"], facts: [.battery(percent: 87)])
    }

    static let steps = [
        StepReport(component: .firmware, action: .updated, from: "v23.100.0000", to: "v26.001.0000", bytes: 214_708, seconds: 14.2),
        StepReport(component: .fpga, action: .current, from: "v26.001.0000", to: "v26.001.0000"),
        StepReport(component: .scripts, action: .updated, from: nil, to: scriptsDigest, bytes: 9_120, seconds: 1.25),
    ]

    static func flashed(error: Diagnosis? = nil, steps: [StepReport] = steps) throws -> UnitReport {
        UnitReport(identity: try identity(), family: "monocle", steps: steps, error: error)
    }

    static let failure = Diagnosis(
        "DFU-0B05", .unitFailed, .unit, "the bootloader says \u{1B}[2Jno",
        cause: "its firmware is newer", remedy: "give a newer package")

    static func verified(scriptsMatch: Bool, error: Diagnosis? = nil) throws -> VerifyReport {
        var report = VerifyReport(identity: try identity(), family: "monocle", findings: [:], error: error)
        report.findings[.firmware] = .init(expected: "v26.001.0000", actual: "v26.001.0000")
        report.findings[.scripts] = .init(
            expected: scriptsDigest, actual: scriptsMatch ? scriptsDigest : nil,
            differences: scriptsMatch ? [] : ["main.py: 1 byte differs"])
        return report
    }
}
