import Bluetooth
import Support
import Testing

@testable import Provisioning

/// Which unit is worked on with which adapter, and when.
@Suite struct FleetMachineTests {
    private struct Run {
        var machine: FleetMachine
        var now = SessionClock.Instant(offset: .zero)
        var started: [(unit: Int, adapter: Int)] = []
        var told: [FleetNotice] = []

        init(_ targets: [FleetTarget], adapters: Int = 1, _ change: (inout FleetPolicy) -> Void = { _ in }) {
            var policy = FleetPolicy()
            policy.canary = 0
            change(&policy)
            machine = FleetMachine(targets, adapters: (0..<adapters).map { "hci\($0)" }, policy: policy, at: now)
            advance()
        }

        mutating func advance(by seconds: Double = 0) {
            now = now.advanced(by: .seconds(seconds))
            for action in machine.advance(at: now) {
                switch action {
                case .start(let index, _, let adapter): started.append((index, adapter))
                case .tell(let notice): told.append(notice)
                case .end: break
                }
            }
        }

        mutating func hear(_ number: Int, by adapter: Int = 0, rssi: Int = -50) {
            machine.take(.heard(adapter: adapter, FleetMachineTests.unit(number, rssi: rssi)), at: now)
            advance()
        }

        mutating func end(_ index: Int, _ judgement: UnitResult = .passed) {
            machine.take(.ended(index, judgement), at: now)
            advance()
        }

        var running: [Int] {
            machine.members.indices.filter { if case .running = machine.members[$0].phase { true } else { false } }
        }

        func code(of index: Int) -> String? {
            switch machine.members[index].phase {
            case .ended(.notStarted(let diagnosis)), .ended(.notReached(let diagnosis)), .ended(.failed(let diagnosis)): diagnosis.code
            default: nil
            }
        }
    }

    private static func unit(_ number: Int, rssi: Int = -50, mode: UnitMode = .application, name: String = "pager") -> DiscoveredUnit {
        let address = DeviceAddress.number(number)
        return DiscoveredUnit(
            family: "pager", mode: mode, advertisedAddress: mode == .application ? address : address.bootloader, name: name, rssi: rssi)
    }

    private static func failure(_ fault: Diagnosis.Fault?, _ code: String = "X", _ category: Diagnosis.Category = .tryAgain) -> UnitResult {
        .failed(Diagnosis(code, category, fault, "", cause: "", remedy: ""))
    }

    private static func units(_ count: Int) -> [FleetTarget] { (0..<count).map { .unit(unit($0)) } }
    private static func addresses(_ count: Int) -> [FleetTarget] { (0..<count).map { .address(.number($0)) } }

    @Test func eachAdapterGetsItsJobsAndNoMore() {
        var run = Run(Self.units(4))
        #expect(run.running.count == 2 && run.machine.listening.isEmpty, "discovery is off while all slots are busy")
        run.end(run.started[0].unit)
        #expect(run.running.count == 2 && run.started.count == 3)
        for _ in 0..<3 { run.end(run.running[0]) }
        #expect(run.machine.isOver && Set(run.started.map(\.unit)) == [0, 1, 2, 3])
    }

    @Test(arguments: [(1, 1), (4, 4), (9, 4), (0, 1)])
    func jobsAreBounded(asked: Int, given: Int) {
        #expect(Run(Self.units(8)) { $0.jobsPerAdapter = asked }.running.count == given)
    }

    @Test func theOrderFollowsFromItsSeed() {
        func order(_ seed: UInt64) -> [Int] {
            var run = Run(Self.units(30)) { $0.seed = seed }
            while let next = run.running.first { run.end(next) }
            return run.started.map(\.unit)
        }
        #expect(order(1) == order(1) && order(1) != order(2) && order(1) != Array(0..<30))
    }

    /// As any other program draws them: an order can be had again.
    @Test func theNumbersOfAnOrderAreThoseOfSplitMix64() {
        var numbers = FleetOrder(seed: 1_234_567)
        let drawn = (0..<3).map { _ in numbers.next() }
        #expect(drawn == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test func freeSlotsComeBeforeSignalStrength() {
        var run = Run(Self.addresses(3), adapters: 2) { $0.jobsPerAdapter = 1 }
        for number in 0..<3 { run.machine.take(.heard(adapter: 0, Self.unit(number, rssi: -40)), at: run.now) }
        for number in 0..<3 { run.machine.take(.heard(adapter: 1, Self.unit(number, rssi: -60)), at: run.now) }
        run.advance()
        #expect(run.started.map(\.adapter) == [0, 1])
    }

    @Test func ofFreeAdaptersTheOneThatHearsItBestGetsIt() {
        var run = Run(Self.addresses(1), adapters: 3)
        run.hear(0, by: 0, rssi: -80)
        run.hear(0, by: 2, rssi: -55)
        #expect(run.started.isEmpty, "the others may hear it better")
        run.advance(by: 1.1)
        #expect(run.started.map(\.adapter) == [2], "but they are not waited for for long")
    }

    @Test func whoIsNotHeardIsNotReached() {
        var run = Run(Self.addresses(2), adapters: 2)
        #expect(run.machine.listening == [0, 1])
        run.hear(1, by: 0)
        for _ in 0..<14 { run.advance(by: 1) }
        #expect(run.code(of: 0) == nil && run.running == [1])
        run.advance(by: 1)
        #expect(run.code(of: 0) == "FLT-0001" && run.machine.listening.isEmpty)
    }

    /// The adapter that would hear it has its hands full.
    @Test func aBusyAdapterHasYetToListen() {
        var run = Run(Self.addresses(2), adapters: 2) { $0.jobsPerAdapter = 1 }
        run.hear(0, by: 0)
        run.advance(by: 1.1)
        #expect(run.running == [0] && run.machine.listening == [1])
        for _ in 0..<100 { run.advance(by: 1) }
        #expect(run.code(of: 1) == nil)
        run.end(0)
        #expect(run.machine.listening == [0, 1])
        for _ in 0..<14 { run.advance(by: 1) }
        #expect(run.code(of: 1) == "FLT-0001")
    }

    /// Time in which nobody listened is not held against a unit.
    @Test func onlyListeningCounts() {
        var run = Run([.unit(Self.unit(1)), .address(.number(2))]) { $0.jobsPerAdapter = 1 }
        #expect(run.running == [0])
        run.advance(by: 600)
        #expect(run.code(of: 1) == nil)
        run.end(0)
        run.advance(by: 10)
        #expect(run.code(of: 1) == nil)
        run.hear(2)
        #expect(run.running == [1])
    }

    @Test func aUnitIsStartedOnceThoughItWasAskedForTwice() {
        var run = Run([.address(.number(1)), .unit(Self.unit(1)), .name("B")])
        #expect(run.code(of: 1) == "FLT-0002")
        run.machine.take(.heard(adapter: 0, Self.unit(1, name: "B")), at: run.now)
        run.advance()
        run.advance(by: 5)
        #expect(run.started.map(\.unit) == [0] && run.code(of: 2) == "FLT-0002")
    }

    @Test func aNameIsMadeOutWhenNobodyElseHasIt() {
        var run = Run([.name("A"), .name("B")])
        run.machine.take(.heard(adapter: 0, Self.unit(1, name: "A")), at: run.now)
        for number in 2...3 { run.machine.take(.heard(adapter: 0, Self.unit(number, name: "B")), at: run.now) }
        run.advance(by: 1)
        #expect(run.started.isEmpty)
        run.advance(by: 3)
        run.advance()
        #expect(run.started.map(\.unit) == [0] && run.code(of: 1) == "PRV-0021")
    }

    /// Not everybody is heard at once.
    @Test func othersHaveTimeToShowTheSameName() {
        var early = Run([.name("A")])
        early.machine.take(.heard(adapter: 0, Self.unit(1, name: "A")), at: early.now)
        early.advance(by: 3)
        #expect(early.started.isEmpty, "4 s of listening")
        early.advance(by: 1)
        #expect(early.started.map(\.unit) == [0])

        var late = Run([.name("A")])
        late.advance(by: 10)
        late.machine.take(.heard(adapter: 0, Self.unit(1, name: "A")), at: late.now)
        late.advance(by: 1.5)
        #expect(late.started.isEmpty, "2 s since it was heard")
        late.machine.take(.heard(adapter: 0, Self.unit(2, name: "A")), at: late.now)
        late.advance(by: 0.5)
        #expect(late.code(of: 0) == "PRV-0021")
    }

    // MARK: The rollout

    @Test func theCanaryIsProvedBeforeOthersStart() {
        var run = Run(Self.units(6)) { $0.canary = nil }
        #expect(run.running.count == 1 && run.machine.listening.isEmpty)
        run.end(run.running[0], .wasCurrent)
        #expect(run.running.count == 1)
        run.end(run.running[0], Self.failure(.station))
        #expect(run.running.count == 1)
        run.end(run.running[0])
        #expect(run.running.count == 2)
    }

    @Test func aSmallFleetHasNoCanary() {
        #expect(Run(Self.units(4)) { $0.canary = nil }.running.count == 2)
        #expect(Run(Self.units(5)) { $0.canary = nil }.running.count == 1)
        #expect(Run(Self.units(4)) { $0.canary = 1 }.running.count == 1)
        #expect(Run(Self.units(40)) { $0.canary = 0 }.running.count == 2)
    }

    @Test func aStoppedRolloutStartsNoMoreAndLetsTheRunningOnesFinish() {
        var run = Run(Self.units(8)) { $0.jobsPerAdapter = 3 }
        let (first, second, third) = (run.running[0], run.running[1], run.running[2])
        run.end(first, Self.failure(.unit, "DFU-0B05", .unitFailed))
        #expect(run.running.count == 3)
        run.end(second, Self.failure(.unit, "DFU-0B05", .unitFailed))
        #expect(run.told.contains(.stopped(.repeated(code: "DFU-0B05", count: 2))))
        #expect(run.running.count == 2 && run.running.contains(third) && !run.machine.isOver)
        for index in run.running { run.end(index) }
        #expect(run.machine.isOver && run.machine.members.indices.filter { run.code(of: $0) == "FLT-0004" }.count == 4)
        #expect(run.machine.members[third].phase == .ended(.passed))
    }

    @Test func whoDrainsStartsNoMore() {
        var run = Run(Self.units(5))
        run.machine.take(.drain, at: run.now)
        run.advance()
        #expect(run.running.count == 2)
        for index in run.running { run.end(index) }
        #expect(run.machine.isOver && (0..<5).filter { run.code(of: $0) == "FLT-0005" }.count == 3)
    }

    // MARK: Adapters

    @Test func anAdapterThatFailsThreeUnitsGetsNoMore() {
        var run = Run(Self.addresses(20), adapters: 2) { $0.jobsPerAdapter = 1 }
        for number in 0..<20 { for adapter in 0...1 { run.machine.take(.heard(adapter: adapter, Self.unit(number)), at: run.now) } }
        run.advance()
        for _ in 0..<3 {
            let (unit, _) = run.started.last { $0.adapter == 0 }!
            run.end(unit, Self.failure(.radio, "BLE-0002"))
        }
        #expect(run.told.contains { if case .adapterRetired("hci0", _) = $0 { true } else { false } })
        let before = run.started.count
        while let next = run.running.first { run.end(next) }
        #expect(run.started.count == 20 && run.started[before...].allSatisfy { $0.adapter == 1 })
    }

    @Test func whatWorksBetweenShowsThatTheRadioWorks() {
        var run = Run(Self.units(12)) { ($0.jobsPerAdapter, $0.limits.inARow) = (1, 0) }
        for judgement in [UnitResult.passed, .wasCurrent, Self.failure(.unit, "U")] {
            for _ in 0..<2 { run.end(run.running[0], Self.failure(.radio)) }
            run.end(run.running[0], judgement)
        }
        for _ in 0..<2 { run.end(run.running[0], Self.failure(.radio)) }
        #expect(!run.told.contains { if case .adapterRetired = $0 { true } else { false } })
    }

    /// A unit out of reach, another program that has it.
    @Test(arguments: [
        FleetMachineTests.failure(.radio, "PRV-0001", .unavailable), FleetMachineTests.failure(.station, "BLE-0008", .tryAgain)
    ])
    func whatIsNoFaultOfTheAdapterDoesNotRetireIt(judgement: UnitResult) {
        var run = Run(Self.units(12)) { $0.jobsPerAdapter = 1 }
        while let next = run.running.first { run.end(next, judgement) }
        #expect(run.started.count == 12 && run.machine.isOver)
    }

    @Test func anAdapterThatIsGoneDoesNotEatTheList() {
        var run = Run(Self.units(50)) { $0.jobsPerAdapter = 1 }
        for _ in 0..<3 { run.end(run.running[0], Self.failure(.station, "BLE-0009", .unavailable)) }
        #expect(run.machine.isOver && (0..<50).filter { run.code(of: $0) == "FLT-0007" }.count == 47)
    }

    @Test func whatOneAdapterHeardIsForgottenWithIt() {
        var run = Run(Self.addresses(1), adapters: 2) { $0.jobsPerAdapter = 1 }
        run.machine.take(.heard(adapter: 0, Self.unit(0)), at: run.now)
        run.machine.take(.lost(adapter: 0, Diagnosis("X", .unavailable, .station, "", cause: "", remedy: "")), at: run.now)
        run.advance()
        #expect(run.started.isEmpty && run.machine.listening == [1])
        run.hear(0, by: 1)
        #expect(run.started.map(\.adapter) == [1])
    }

    @Test(arguments: [1, 2]) func aLoweredCeilingLimitsTheJobs(links: Int) {
        var run = Run(Self.units(6)) { $0.jobsPerAdapter = 4 }
        #expect(run.running.count == 4)
        run.machine.take(.capacity(adapter: 0, links: links, ceiling: links), at: run.now)
        run.advance()
        #expect(run.told.contains(.ceilingLowered(adapter: "hci0", links: links)))
        for _ in links..<4 { run.end(run.running[0]) }
        #expect(run.running.count == links)
        run.end(run.running[0])
        #expect(run.running.count == links)
    }

    /// Anything may call itself a bootloader at the next address.
    @Test func theApplicationIsBelievedBeforeTheBootloader() {
        var run = Run([.address(.number(1))]) { $0.jobsPerAdapter = 1 }
        run.machine.take(.heard(adapter: 0, Self.unit(1)), at: run.now)
        run.machine.take(.heard(adapter: 0, Self.unit(1, mode: .bootloader)), at: run.now)
        #expect(run.machine.members[0].unit?.mode == .application)
    }
}
