import Assistant
import Bluetooth
import Provisioning
import Support
import Synchronization

/// A unit on its station. The link over which it was verified is the conversation's first one.
final class LiveChatUnit: ChatUnit {
    private let central: any Central
    private let address: DeviceAddress
    private let sensors: VirtualSensors?
    private let preparation: ChatPreparation
    private let services: LiveServices
    private let lease = Mutex<UnitLease?>(nil)

    init(
        _ central: any Central, _ address: DeviceAddress, _ sensors: VirtualSensors?, _ preparation: ChatPreparation,
        _ services: LiveServices
    ) {
        (self.central, self.address, self.sensors) = (central, address, sensors)
        (self.preparation, self.services) = (preparation, services)
    }

    private var family: Family { preparation.unit.family }

    private func takeLease() -> UnitLease? {
        lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
    }

    /// Ends the link that nobody took.
    func release() async { await takeLease()?.abandon() }

    func compareVersions(events: @escaping @Sendable (JobEvent) -> Void) async throws -> VerifyReport {
        let assets = try services.load(
            Set(Component.allCases), for: family, from: preparation.inputs, allowsDevelopment: true, events: events)
        let job = try VerifyJob(family: family, central: central, address: address, assets: assets, isDeep: false)
        let (report, held) = try await job.hold(report: events)
        lease.withLock { $0 = held }
        return report
    }

    func update(_ components: Set<Component>, events: @escaping @Sendable (JobEvent) -> Void) async throws -> UnitReport {
        await takeLease()?.end()
        let isVirtual = if case .virtual = preparation.unit { true } else { false }
        let assets = try services.load(
            components, for: family, from: preparation.inputs,
            allowsDevelopment: isVirtual || preparation.inputs.allowsDevelopment, events: events)
        var options = JobOptions()
        options.components = components
        return try await ProvisioningJob(
            family: family, central: central, address: address, assets: assets, options: options
        ).run(report: events)
    }

    func converse(
        _ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        guard let support = SupportedFamily[family.id]?.chat else { throw CommandError.unsupported("chat", family: family.id) }
        var options = ChatOptions()
        options.mode = request.mode
        if case .server(let settings) = request.assistant { options.tokenLimit = settings.tokenLimit }
        let central = PrimedCentral(central, with: await takeLease()?.handOver())
        return try await Self.withResponder(request.assistant) { [options, address, sensors] responder in
            let session = ChatSession(
                central: central, address: address, relay: support.makeRelay(), responder: responder, options: options,
                startProgram: support.makeStarter(central.clock))
            return try await body(ChatEnvironment(clock: central.clock, sensors: sensors, converse: session.run))
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

/// A radio whose first connection is there already.
private final class PrimedCentral: Central {
    private let base: any Central
    private let first: Mutex<(any Connection)?>

    init(_ base: any Central, with first: (any Connection)?) {
        self.base = base
        self.first = Mutex(first)
    }

    var clock: SessionClock { base.clock }

    func discover() async throws -> any Discovery { try await base.discover() }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        let held = first.withLock { first in
            defer { first = nil }
            return first
        }
        if let held { return held }
        return try await base.connect(to: address, security: security, deadline: deadline)
    }
}
