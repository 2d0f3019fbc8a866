import Assistant
import Bluetooth
import OpenAI
import Provisioning
import Support
import Synchronization

extension LiveServices {
    func withChatUnit(
        _ request: ChatRequest, notice: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        let notices = HeldNotices(notice)
        let tell: Events = { if case .notice(let text) = $0.content { notices.tell(text) } }
        return try await recording(request.records, stateFolder: request.stateFolder, events: tell) { recorder in
            try await withUnit(request.unit, search: request.inputs.search, stateFolder: request.stateFolder, events: tell) { unit in
                guard let support = unit.support.chat, let rules = unit.family.provisioning else {
                    throw CommandError.unsupported("chat", family: unit.family.id)
                }
                let chat = LiveChatUnit(
                    unit: unit, support: support, rules: rules, request: request, services: self, recorder: recorder, notices: notices)
                do {
                    let verdict = try await body(chat)
                    await chat.release()
                    return verdict
                } catch {
                    await chat.release()
                    throw error
                }
            }
        }
    }
}

/// A unit on its station. The link of its verification becomes the conversation's first.
struct LiveChatUnit: ChatUnit {
    let unit: StationUnit
    let support: ChatSupport
    let rules: ProvisioningRules
    let request: ChatRequest
    let services: LiveServices
    let recorder: RunRecorder?
    let notices: HeldNotices
    private let held = HeldLink()

    /// Ends a link that no conversation took, and leaves the unit's program running.
    @Sendable func release() async { await held.take()?.abandon() }

    private func run(_ events: @escaping LiveServices.Events) -> UnitRun {
        UnitRun(stateFolder: request.stateFolder, recorder: recorder, events: events, isTaken: true)
    }

    func compareVersions(events: @escaping @Sendable (RunEvent) -> Void) async throws -> ChatComparison {
        let passes = await recorder?.passes(of: unit, events) ?? []
        let expectation = ChatExpectation(request.inputs, Set(unit.family.components), passes: passes)
        events(.notice("the unit is compared with \(expectation.words)"))
        let assets = try assets(expectation.filed, allowsDevelopment: true, events: events)
        let report = try await services.verify(
            "chat", unit, against: assets, recorded: expectation.recorded, run(events), keeping: held.keep, judging: { $0 }
        ).report
        guard !report.passed, report.error == nil else { return ChatComparison(report: report, expectation: expectation.words) }
        let atHand = try? self.assets(Set(report.drifted), allowsDevelopment: true, events: { _ in })
        return ChatComparison(report: report, expectation: expectation.words, advice: expectation.advice(on: report, assets: atHand))
    }

    func update(_ components: Set<Component>, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport {
        // The update has its own link; if that fails, the program still runs.
        await release()
        let assets = try assets(components, allowsDevelopment: request.unit.allowsDevelopment(request.inputs), events: events)
        var options = JobOptions()
        options.components = components
        return try await services.provision("chat", unit, with: assets, options, run(events))
    }

    private func assets(_ components: Set<Component>, allowsDevelopment: Bool, events: (RunEvent) -> Void) throws -> AssetSet {
        guard !components.isEmpty else { return AssetSet() }
        // A bundle need not hold all that the unit has.
        let wanted = components == Set(unit.family.components) ? nil : components
        return try AssetChoice(wanted, for: [unit.family], from: request.inputs, allowsDevelopment: allowsDevelopment)
            .assets(for: unit.family.id, events: events)
    }

    func converse(_ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict) async throws -> ChatVerdict {
        switch request.assistant {
        case .echo: return try await converse(with: EchoResponder(), body)
        // A server lives in real time, whatever the unit's time.
        case .server(let settings):
            return try await OpenAIResponder.with(settings, clock: .continuous) { try await converse(with: $0, body) }
        }
    }

    private func converse(
        with responder: any Responder, _ body: @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict {
        var options = ChatOptions()
        options.mode = request.mode
        if case .server(let settings) = request.assistant { options.tokenLimit = settings.tokenLimit }
        let central = unit.central
        let session = ChatSession(
            clock: central.clock, firstLink: held.link,
            connect: { [rules, address = unit.address] in try await rules.connect(to: address, over: central, deadline: $0) },
            relay: support.makeRelay(), responder: responder, options: options, startProgram: support.makeStarter(central.clock))
        let environment = ChatEnvironment(
            clock: central.clock, family: unit.family.id, address: unit.address, sensors: unit.sensors, converse: session.run)
        return try await notices.during { try await body(environment) }
    }
}

/// The link that a verification leaves, with the unit's program stopped.
final class HeldLink: Sendable {
    private let lease = Mutex<UnitLease?>(nil)

    /// For a conversation, which repeats no question of the verification. The lease owes the program's start until it has happened.
    var link: ChatSession.Link? {
        guard let lease = lease.withLock(\.self), let connection = lease.connection else { return nil }
        return ChatSession.Link(
            connection,
            start: { [self] _, willStart in
                let identity = try await lease.identity()
                willStart()
                let printed = try await lease.startProgram()
                _ = await take()?.handOver()
                return StartedProgram(status: UnitStatus(identity), printed: printed)
            }, giveUp: { [self] in await take()?.abandon() })
    }

    @Sendable func keep(_ new: UnitLease) { lease.withLock { $0 = new } }

    func take() -> UnitLease? {
        lease.withLock { lease in
            defer { lease = nil }
            return lease
        }
    }
}

extension UnitStatus {
    fileprivate init(_ identity: UnitIdentity) {
        self.init(
            batteryPercent: identity.batteryPercent, firmware: identity.versions[.firmware], scripts: identity.versions[.scripts])
    }
}

/// Delays notices while a conversation has the terminal.
final class HeldNotices: Sendable {
    private let held = Mutex<[String]?>(nil)
    private let notice: @Sendable (String) -> Void

    init(_ notice: @escaping @Sendable (String) -> Void) { self.notice = notice }

    func tell(_ text: String) {
        let isHeld = held.withLock { held in
            held?.append(text)
            return held != nil
        }
        if !isHeld { notice(text) }
    }

    func during<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        held.withLock { $0 = [] }
        defer {
            let texts = held.withLock { held in
                defer { held = nil }
                return held ?? []
            }
            texts.forEach(notice)
        }
        return try await body()
    }
}
