import Bluetooth
import Support

/// Decides which unit is worked on with which adapter, and when: pure. Events in, actions out.
struct FleetMachine: Sendable {
    enum Input: Sendable {
        case heard(adapter: Int, DiscoveredUnit)
        case ended(Int, UnitResult)
        /// An adapter's capacity has changed; with its ceiling, if that was lowered.
        case capacity(adapter: Int, links: Int, ceiling: Int?)
        case lost(adapter: Int, Diagnosis)
        case drain
        case interrupt
    }

    enum Action: Sendable {
        case start(Int, DiscoveredUnit, adapter: Int)
        case end(Int, UnitResult)
        case tell(FleetNotice)
    }

    struct Adapter: Sendable {
        let name: String
        var capacity = AdapterCeiling.assumed
        var running = 0
        /// Consecutive failures of different units.
        var failed: Set<Int> = []
        var isRetired = false
    }

    /// An adapter is retired after its radio fails this many units in a row.
    static let adapterFailureLimit = 3
    /// Time for all adapters to hear a unit, so that the one with the best reception is chosen.
    static let settling = Duration.seconds(1)
    /// A name must belong to one unit only for this long: while listening, and since it was first heard.
    static let naming = (listening: Duration.seconds(4), settling: Duration.seconds(2))

    let policy: FleetPolicy
    private(set) var members: [FleetMember]
    private(set) var adapters: [Adapter]
    private(set) var rollout: RolloutGuard
    /// Waiting units in starting order.
    private var order: [Int]
    private var places: [DeviceAddress: Int] = [:]
    private var named: [String: [Int]] = [:]
    /// For each adapter.
    private var listened: [Duration]
    private var lastTime: SessionClock.Instant
    private(set) var listening: Set<Int> = []
    private var actions: [Action] = []
    private var isDrained = false
    private var isInterrupted = false

    init(_ targets: [FleetTarget], adapters names: [String], policy: FleetPolicy, at now: SessionClock.Instant) {
        self.policy = policy
        members = targets.map(FleetMember.init)
        adapters = names.map { Adapter(name: $0) }
        listened = names.map { _ in .zero }
        rollout = RolloutGuard(limits: policy.limits, canary: policy.canary(of: targets.count))
        lastTime = now
        var numbers = FleetOrder(seed: policy.seed)
        order = Array(targets.indices).shuffled(using: &numbers)
        for index in targets.indices { enter(index) }
        order.removeAll { !members[$0].isWaiting }
    }

    private mutating func enter(_ index: Int) {
        if case .name(let name) = members[index].target.place { named[name, default: []].append(index) }
        guard let address = members[index].address else { return }
        if places[address] == nil { places[address] = index } else { end(index, .notStarted(FleetError.sameUnit(address).diagnosis)) }
    }

    var isOver: Bool { members.allSatisfy { if case .ended = $0.phase { true } else { false } } }

    /// While adapters listen, time alone can decide: call ``advance(at:)`` regularly.
    var wantsTime: Bool { !listening.isEmpty }

    func wants(_ unit: DiscoveredUnit) -> Bool {
        places[unit.address].map { members[$0].isWaiting } ?? false || named[unit.name]?.contains { members[$0].isWaiting } ?? false
    }
}

/// What an operator should know about a run besides its units.
enum FleetNotice: Sendable, Hashable {
    /// An adapter refused another link: it gets no more than these from now on.
    case ceilingLowered(adapter: String, links: Int)
    /// An adapter failed too many units and gets no more; the diagnosis is that of the last failure.
    case adapterRetired(adapter: String, Diagnosis)
    /// No more units are started; running ones finish.
    case stopped(RolloutStop)

    var text: String {
        switch self {
        case .ceilingLowered(let adapter, let links): "\(adapter) takes no more than \(links) links at once"
        case .adapterRetired(let adapter, let error): "\(adapter) is used no more: it failed several units, the last one with \(error.code)"
        case .stopped(let stop): stop.diagnosis.message
        }
    }
}

/// The same seed gives the same order (SplitMix64).
struct FleetOrder: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

// MARK: - Events

extension FleetMachine {
    mutating func take(_ input: Input, at now: SessionClock.Instant) {
        switch input {
        case .heard(let adapter, let unit): hear(unit, by: adapter, at: now)
        case .ended(let index, let result): finish(index, result)
        case .capacity(let adapter, let links, let ceiling):
            adapters[adapter].capacity = links
            if let ceiling { actions.append(.tell(.ceilingLowered(adapter: adapters[adapter].name, links: ceiling))) }
        case .lost(let adapter, let diagnosis): retire(adapter, diagnosis)
        case .drain: isDrained = true
        case .interrupt: isInterrupted = true
        }
    }

    private mutating func hear(_ unit: DiscoveredUnit, by adapter: Int, at now: SessionClock.Instant) {
        if let index = places[unit.address], members[index].isWaiting { members[index].hear(unit, by: adapter, at: now) }
        for index in named[unit.name] ?? [] where members[index].isWaiting && members[index].address == nil {
            members[index].bearers[unit.address] = unit
            members[index].strengths[adapter] = unit.rssi
            members[index].firstHeard = members[index].firstHeard ?? now
        }
    }

    private mutating func finish(_ index: Int, _ result: UnitResult) {
        guard case .running(let adapter) = members[index].phase else { return }
        adapters[adapter].running -= 1
        end(index, result)
        judge(adapter, index, result)
        let had = rollout.stop
        rollout.note(result)
        if had == nil, let stop = rollout.stop, !order.isEmpty { actions.append(.tell(.stopped(stop))) }
    }

    private mutating func judge(_ adapter: Int, _ index: Int, _ result: UnitResult) {
        if case .interrupted = result { return }
        guard case .failed(let diagnosis) = result else { return adapters[adapter].failed = [] }
        if diagnosis.fault == .unit { return adapters[adapter].failed = [] }
        guard diagnosis.isOfAdapter else { return }
        adapters[adapter].failed.insert(index)
        if adapters[adapter].failed.count >= Self.adapterFailureLimit { retire(adapter, diagnosis) }
    }

    private mutating func retire(_ adapter: Int, _ diagnosis: Diagnosis) {
        guard !adapters[adapter].isRetired else { return }
        adapters[adapter].isRetired = true
        for index in order { members[index].lose(adapter, listened: listened) }
        actions.append(.tell(.adapterRetired(adapter: adapters[adapter].name, diagnosis)))
    }

    private mutating func end(_ index: Int, _ result: UnitResult) {
        members[index].phase = .ended(result)
        actions.append(.end(index, result))
    }
}

extension Diagnosis {
    /// Whether the adapter failed: its links, or itself. A unit out of reach says nothing about it.
    fileprivate var isOfAdapter: Bool {
        switch fault {
        case .radio: category != .unavailable
        case .station: category == .unavailable
        case .unit, nil: false
        }
    }
}

// MARK: - Decisions

extension FleetMachine {
    mutating func advance(at now: SessionClock.Instant) -> [Action] {
        for adapter in listening { listened[adapter] += lastTime.duration(to: now) }
        lastTime = now
        if let reason = endOfStarts { endWaiting(reason) }
        makeOutNames(at: now)
        startUnits(at: now)
        giveUpOnUnheard()
        updateListening()
        defer { actions = [] }
        return actions
    }

    private var endOfStarts: Diagnosis? {
        if isInterrupted { return FleetError.interrupted.diagnosis }
        if let stop = rollout.stop { return FleetError.notStarted(stop).diagnosis }
        if isDrained { return FleetError.drained.diagnosis }
        return adapters.allSatisfy(\.isRetired) ? FleetError.noAdapterLeft.diagnosis : nil
    }

    private mutating func endWaiting(_ reason: Diagnosis) {
        for index in order { end(index, .notStarted(reason)) }
        order = []
    }

    private mutating func makeOutNames(at now: SessionClock.Instant) {
        guard !named.isEmpty, listened.contains(where: { $0 >= Self.naming.listening }) else { return }
        for index in order {
            guard members[index].address == nil, let first = members[index].firstHeard, first.duration(to: now) >= Self.naming.settling
            else {
                continue
            }
            let bearers = members[index].bearers.values.sorted { $0.rssi > $1.rssi }
            guard bearers.count == 1 else {
                end(index, .notStarted(UnitSelectionError.several(bearers).diagnosis))
                continue
            }
            members[index].unit = bearers[0]
            if places[bearers[0].address] == nil {
                places[bearers[0].address] = index
            } else {
                end(index, .notStarted(FleetError.sameUnit(bearers[0].address).diagnosis))
            }
        }
        order.removeAll { !members[$0].isWaiting }
    }

    private mutating func startUnits(at now: SessionClock.Instant) {
        var started: Set<Int> = []
        for index in order {
            guard mayStart else { break }
            guard let unit = members[index].unit, let adapter = adapter(for: index, at: now) else { continue }
            adapters[adapter].running += 1
            members[index].phase = .running(adapter: adapter)
            members[index].adapter = adapter
            started.insert(index)
            actions.append(.start(index, unit, adapter: adapter))
        }
        if !started.isEmpty { order.removeAll(where: started.contains) }
    }

    private var mayStart: Bool {
        !waitsForCanary && adapters.indices.contains { freeSlots($0) > 0 }
    }

    private var waitsForCanary: Bool { !rollout.mayStartSeveral && adapters.contains { $0.running > 0 } }

    private func freeSlots(_ adapter: Int) -> Int {
        guard !adapters[adapter].isRetired else { return 0 }
        let jobs = min(FleetPolicy.mostJobs, max(1, policy.jobsPerAdapter), max(1, adapters[adapter].capacity))
        return jobs - adapters[adapter].running
    }

    /// The one with the most free slots, then the one with the best reception.
    private func adapter(for index: Int, at now: SessionClock.Instant) -> Int? {
        let living = adapters.indices.filter { !adapters[$0].isRetired }
        let member = members[index]
        if living.count == 1, case .unit = member.target.place { return living.first { freeSlots($0) > 0 } }
        guard let firstHeard = member.firstHeard else { return nil }
        let isSettled = member.strengths.count == living.count || firstHeard.duration(to: now) >= Self.settling
        guard isSettled else { return nil }
        return living.filter { freeSlots($0) > 0 && member.strengths[$0] != nil }.max {
            let (first, second) = (freeSlots($0), freeSlots($1))
            return first != second ? first < second : (member.strengths[$0] ?? .min, $1) < (member.strengths[$1] ?? .min, $0)
        }
    }

    private mutating func giveUpOnUnheard() {
        guard !listening.isEmpty else { return }
        let living = adapters.indices.filter { !adapters[$0].isRetired }
        for index in order where members[index].strengths.isEmpty {
            let before = members[index].listenedBefore
            // An adapter that was busy has yet to listen.
            let time = living.map { listened[$0] - (before.isEmpty ? .zero : before[$0]) }.min() ?? .zero
            guard time >= policy.wait else { continue }
            end(index, .notReached(FleetError.notReached(members[index].target.place, listened: time).diagnosis))
        }
        order.removeAll { !members[$0].isWaiting }
    }

    /// Discovery is off while all slots are busy, and while no unit is sought.
    private mutating func updateListening() {
        listening = waitsForCanary || order.isEmpty ? [] : Set(adapters.indices.filter { freeSlots($0) > 0 })
    }
}
