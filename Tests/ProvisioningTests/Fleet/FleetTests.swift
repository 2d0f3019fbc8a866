import Bluetooth
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

/// Each unit is on its own.
@Suite struct FleetTests {
    private struct Fault: Error {}

    private static let family = Family(id: "pager", recognise: { $0.name == "pager" ? .application : nil })
    private static let broken = Diagnosis("X", .unitFailed, .unit, "", cause: "", remedy: "")

    private static func units(_ count: Int) -> [FleetTarget] {
        (0..<count).map {
            .unit(DiscoveredUnit(family: "pager", mode: .application, advertisedAddress: .number($0), name: "pager", rssi: -50))
        }
    }

    private static func number(_ unit: DiscoveredUnit) -> Int { Int(unit.address.octets[4]) }

    private func play<Value: Sendable>(
        adapters: Int = 1, _ change: (inout FleetPolicy) -> Void = { _ in }, isDraining: @escaping @Sendable () -> Bool = { false },
        work: @escaping @Sendable (DiscoveredUnit, any Central) async throws -> Int,
        _ body: @escaping @Sendable (Fleet<Int>, SessionClock) async throws -> Value
    ) async throws -> Value {
        let time = VirtualTime.simulated()
        let clock = time.clock
        var policy = FleetPolicy()
        policy.canary = 0
        policy.limits.inARow = 0
        policy.limits.share = nil
        change(&policy)
        let fleet = Fleet<Int>(
            adapters: (0..<adapters).map { FleetAdapter(name: "hci\($0)", central: ScriptedCentral(clock: clock)) },
            families: FamilyList([Self.family]), policy: policy, isDraining: isDraining,
            judge: { result in
                switch result {
                case .success(0): .wasCurrent
                case .success: .passed
                case .failure(is Fault): .failed(Self.broken)
                case .failure(let error): .failed(diagnose(error))
                }
            }, work: { try await work($1, $2) })
        return try await time.run { try await body(fleet, clock) }
    }

    @Test func oneThatThrowsAndOneThatHangsNeitherHideNorSlowTheOthers() async throws {
        let result = try await play({ $0.unitTimeout = .seconds(100) }) { unit, central in
            let clock = central.clock
            switch Self.number(unit) {
            case 3: throw Fault()
            case 5: try await clock.sleep(until: clock.deadline(in: .forever))
            case 7: await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
            default: try await clock.sleep(until: clock.deadline(in: .seconds(10)))
            }
            return Self.number(unit)
        } _: { fleet, clock in
            let result = await fleet.run(Self.units(20))
            // Two slots: one is lost for 100 s, then one for 160 s; the other units take 10 s each.
            #expect(clock.now.offset <= .seconds(320), "\(clock.now)")
            return result
        }
        #expect(result.entries.count == 20 && result.stop == nil)
        for (index, outcome) in result.entries.enumerated() {
            switch index {
            case 0: #expect(outcome.result == .wasCurrent && outcome.report == 0)
            case 3: #expect(outcome.result == .failed(Self.broken))
            case 5, 7: #expect(outcome.result == .failed(FleetError.hung(after: .seconds(100)).diagnosis))
            default: #expect(outcome.result == .passed && outcome.report == index && outcome.adapter == "hci0")
            }
        }
    }

    @Test func aCancelledFleetReportsWhatRan() async throws {
        let result = try await play { unit, central in
            let clock = central.clock
            do {
                try await clock.sleep(until: clock.deadline(in: .seconds(100)))
                return 1
            } catch {
                // It is put in order and told, as a job does.
                await clock.shielded(for: .seconds(5)) { try await clock.sleep(until: clock.deadline(in: .seconds(2))) }
                return 2
            }
        } _: { fleet, clock in
            let run = clock.task { await fleet.run(Self.units(6)) }
            try await clock.sleep(until: clock.deadline(in: .seconds(150)))
            run.cancel()
            let result = try await run.value
            #expect(clock.now.offset == .seconds(152))
            return result
        }
        #expect(result.entries.filter { $0.report == 1 && $0.result == .passed }.count == 2)
        #expect(result.entries.filter { $0.report == 2 }.count == 2, "they still report")
        #expect(result.entries.filter { $0.result == .notStarted(FleetError.interrupted.diagnosis) }.count == 2)
    }

    @Test func whoEndsAfterAnInterruptIsToldOfAtOnce() async throws {
        let ends = Mutex<[Duration]>([])
        try await play { unit, central in
            let clock = central.clock
            try? await clock.sleep(until: clock.deadline(in: .seconds(100)))
            let number = Self.number(unit)
            await clock.shielded(for: .seconds(5)) { try await clock.sleep(until: clock.deadline(in: .seconds(1 + number))) }
            return 1
        } _: { fleet, clock in
            let run = clock.task {
                await fleet.run(Self.units(2)) { event in
                    if case .ended = event.content { ends.withLock { $0.append(event.time.offset) } }
                }
            }
            try await clock.sleep(until: clock.deadline(in: .seconds(10)))
            run.cancel()
            _ = try await run.value
        }
        #expect(ends.withLock { $0 } == [.seconds(11), .seconds(12)])
    }

    @Test func aDrainFinishesWhatRuns() async throws {
        let isDraining = Mutex(false)
        let result = try await play(isDraining: { isDraining.withLock { $0 } }) { unit, central in
            try await central.clock.sleep(until: central.clock.deadline(in: .seconds(10)))
            isDraining.withLock { $0 = true }
            return 1
        } _: { fleet, _ in await fleet.run(Self.units(6)) }
        #expect(result.entries.filter { $0.result == .passed }.count == 2)
        #expect(result.entries.filter { $0.result == .notStarted(FleetError.drained.diagnosis) }.count == 4)
    }

    @Test func aBadBundleStopsTheShift() async throws {
        let events = Mutex<[RunEvent]>([])
        let result = try await play({ $0 = FleetPolicy() }) { _, _ in throw Fault() } _: { fleet, _ in
            await fleet.run(Self.units(100)) { event in events.withLock { $0.append(event) } }
        }
        #expect(result.stop == RolloutStop.repeated(code: "X", count: 2).diagnosis)
        #expect(result.entries.filter { $0.result == .failed(Self.broken) }.count == 2, "two units, and not a shift of them")
        #expect(result.entries.filter { if case .notStarted = $0.result { true } else { false } }.count == 98)
        #expect(events.withLock { $0.count { $0.notice == RolloutStop.repeated(code: "X", count: 2).diagnosis.message } } == 1)
    }

    @Test func withoutAnAdapterNothingIsStarted() async throws {
        let result = try await play(adapters: 0) { _, _ in 1 } _: { fleet, _ in await fleet.run(Self.units(2)) }
        #expect(result.entries.map(\.result) == Array(repeating: .notStarted(FleetError.noAdapterLeft.diagnosis), count: 2))
    }

    @Test func nobodyAskedForIsNoFailure() async throws {
        let result = try await play { _, _ in 1 } _: { fleet, _ in await fleet.run([]) }
        #expect(result.entries.isEmpty && result.stop == nil)
    }

    /// The radio of the only adapter dies while a unit is looked for.
    @Test func anAdapterThatCannotListenIsRetired() async throws {
        let result = try await play { _, _ in 1 } _: { fleet, clock in
            (fleet.adapters[0].central as? ScriptedCentral)?.discoveryFault.withLock { $0 = .unavailable("no adapter") }
            return await fleet.run([.address(.number(1))])
        }
        #expect(result.entries[0].result == .notStarted(FleetError.noAdapterLeft.diagnosis))
    }

    /// Even of jobs that do not end theirs.
    @Test func noLinkOutlastsTheRun() async throws {
        let links = Mutex<[any Connection]>([])
        try await play { unit, central in
            let link = try await central.connect(to: unit.address, deadline: central.clock.deadline(in: .seconds(10)))
            links.withLock { $0.append(link) }
            return 1
        } _: { fleet, clock in
            let result = await fleet.run(Self.units(2))
            #expect(result.entries.map(\.result) == [.passed, .passed])
            for link in links.withLock({ $0 }) { try await link.waitUntilGone(deadline: clock.deadline(in: .seconds(1))) }
        }
        #expect(links.withLock { $0.count } == 2)
    }

    @Test func aUnitGetsAJobsViewOfItsAdapter() async throws {
        let names = Mutex<[String]>([])
        _ = try await play { _, central in
            names.withLock { $0.append((central as? JobCentral)?.adapter ?? "") }
            return 1
        } _: { fleet, _ in await fleet.run(Self.units(2)) }
        #expect(names.withLock { $0 } == ["hci0", "hci0"])
    }
}
