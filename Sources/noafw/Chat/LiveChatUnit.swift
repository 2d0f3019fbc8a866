import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support
import Synchronization

/// A unit on its station. The link over which it was verified is the conversation's first one.
final class LiveChatUnit: ChatUnit {
    private static let verb = "chat"

    private let unit: StationUnit
    private let support: ChatSupport
    private let preparation: ChatPreparation
    private let services: LiveServices
    private let recorder: RunRecorder?
    private let notices: HeldNotices
    private let lease = Mutex<UnitLease?>(nil)

    init(
        _ unit: StationUnit, _ support: ChatSupport, _ preparation: ChatPreparation, _ services: LiveServices, _ recorder: RunRecorder?,
        _ notices: HeldNotices
    ) {
        (self.unit, self.support, self.preparation, self.services) = (unit, support, preparation, services)
        (self.recorder, self.notices) = (recorder, notices)
    }

    private func run(_ events: @escaping LiveServices.Events) -> UnitRun {
        UnitRun(stateFolder: preparation.stateFolder, recorder: recorder, events: events, isTaken: true)
    }

    private func takeLease() -> UnitLease? {
        lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
    }

    /// Ends the link that nobody took.
    func release() async { await takeLease()?.abandon() }

    func compareVersions(events: @escaping @Sendable (RunEvent) -> Void) async throws -> ChatComparison {
        let passed = await recorder?.lastPassed(unit, events)
        let expectation = ChatExpectation(preparation.inputs, Set(unit.family.components), passed: passed)
        let words = expectation.words
        events(.notice("the unit is compared with \(words)"))
        let assets = try assets(expectation.filed, allowsDevelopment: true, events: events)
        let job = try VerifyJob(
            family: unit.family, central: unit.central, address: unit.address, assets: assets, recorded: expectation.recorded, isDeep: false)
        let report = try await services.work(Self.verb, on: unit, assets, run(events)) { [self] events, _ in
            let (report, held) = try await job.hold(report: events)
            lease.withLock { $0 = held }
            return report
        }
        guard !report.passed, report.error == nil else { return ChatComparison(report: report, expectation: words) }
        let drifted = Set(report.findings.filter { !$0.value.matches }.keys)
        let atHand = try? self.assets(drifted, allowsDevelopment: true, events: { _ in })
        return ChatComparison(report: report, expectation: words, advice: expectation.advice(on: report, assets: atHand))
    }

    func update(_ components: Set<Component>, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        await takeLease()?.end()
        let allowsDevelopment = preparation.unit.allowsDevelopment(preparation.inputs)
        let assets = try assets(components, allowsDevelopment: allowsDevelopment, events: events)
        var options = JobOptions()
        options.components = components
        return try await services.provision(Self.verb, unit, with: assets, options, run(events))
    }

    private func assets(_ components: Set<Component>, allowsDevelopment: Bool, events: (RunEvent) -> Void) throws -> AssetSet {
        guard !components.isEmpty else { return AssetSet() }
        return try AssetChoice(components, for: [unit.family], from: preparation.inputs, allowsDevelopment: allowsDevelopment)
            .assets(for: unit.family.id, events: events)
    }

    func converse(
        _ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        var options = ChatOptions()
        options.mode = request.mode
        if case .server(let settings) = request.assistant { options.tokenLimit = settings.tokenLimit }
        let central = PrimedCentral(unit, with: await takeLease()?.handOver())
        return try await Self.withResponder(request.assistant) { [options, unit, support, notices] responder in
            let session = ChatSession(
                central: central, address: unit.address, relay: support.makeRelay(), responder: responder, options: options,
                startProgram: support.makeStarter(central.clock))
            let environment = ChatEnvironment(clock: central.clock, family: unit.family.id, sensors: unit.sensors, converse: session.run)
            return try await notices.during { try await body(environment) }
        }
    }

    private static func withResponder<Value: Sendable>(
        _ choice: AssistantChoice, _ body: @Sendable (any Responder) async throws -> Value
    ) async throws -> Value {
        switch choice {
        case .echo: try await body(EchoResponder())
        // A server lives in real time, whatever time the unit lives in.
        case .server(let settings): try await OpenAIResponder.with(settings, clock: .continuous) { try await body($0) }
        }
    }
}

/// A unit's radio, whose first connection may be there already. What turns out to be of another family is left alone at each of them.
final class PrimedCentral: Central {
    private let unit: StationUnit
    private let first: Mutex<(any Connection)?>

    init(_ unit: StationUnit, with first: (any Connection)?) {
        self.unit = unit
        self.first = Mutex(first)
    }

    var clock: SessionClock { unit.central.clock }

    func discover() async throws -> any Discovery { try await unit.central.discover() }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        let held = first.withLock { first in
            defer { first = nil }
            return first
        }
        if let held { return held }
        guard let rules = unit.family.provisioning else { throw ProvisioningError.noConsole(unit.family.id) }
        return try await rules.connect(to: address, over: unit.central, deadline: deadline)
    }
}
