import Bluetooth
import FleetRig
import Foundation
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

@testable import Provisioning

/// Many light units, adapters of different limits, and faults.
@Suite(.serialized) struct CrowdTests {
    private func run(
        count: Int, limits: [Int], faults: Double, seed: UInt64, _ change: (inout FleetPolicy) -> Void = { _ in }
    ) async throws -> (PagerRig, FleetReport<UnitReport>, [RunEvent]) {
        let folder = try TemporaryFolder()
        let rig = try PagerRig(count: count, limits: limits, faults: faults, seed: seed, folder: folder.url)
        var policy = FleetPolicy()
        policy.limits.inARow = 0
        policy.limits.share = nil
        policy.canary = 0
        policy.seed = seed
        change(&policy)
        let events = Mutex<[RunEvent]>([])
        let fleet = rig.fleet(policy)
        let result = try await rig.play { await fleet.run(rig.targets) { event in events.withLock { $0.append(event) } } }
        return (rig, result, events.withLock { $0 })
    }

    private func check(_ rig: PagerRig, _ result: FleetReport<UnitReport>) {
        for (unit, outcome) in zip(rig.units, result.entries) {
            #expect(PagerRig.isRight(outcome.result, for: unit.fate), "\(unit.address) \(unit.fate): \(outcome.result)")
            if case .passed = outcome.result {
                #expect(
                    outcome.report?.identity.address == unit.address && outcome.report?.identity.versions[.firmware] == PagerFamily.version)
                #expect(outcome.report?.identity.versions[.text] == PagerFamily.text)
            }
        }
        for adapter in rig.adapters {
            #expect(
                adapter.figures.collisions == 0 && adapter.figures.mostLinks <= adapter.linkLimit && adapter.links == 0,
                "\(adapter.figures)")
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func everyVerdictIsRight(seed: UInt64) async throws {
        let (rig, result, _) = try await run(count: 30, limits: [3, 7], faults: 0.5, seed: seed)
        check(rig, result)
    }

    @Test func anAdapterThatTakesOneLinkIsLearned() async throws {
        let (rig, result, events) = try await run(count: 12, limits: [1], faults: 0, seed: 5) { $0.jobsPerAdapter = 3 }
        check(rig, result)
        let lowered = events.compactMap { if case .notice(let text) = $0.content { text } else { nil } }
        #expect(
            lowered == [4, 3, 2, 1].map { "hci0 takes no more than \($0) links at once" },
            "each refusal is told, and the last one is the last")
        #expect(rig.adapters[0].figures.refusals < 12)
        let recoveries = result.entries.flatMap { $0.report?.recoveries ?? [] }.map(\.reason.code)
        #expect(recoveries == [], "no refusal is charged to a unit")
    }

    /// A unit in a fleet is asked no more than one alone.
    @Test func aFleetCostsAUnitNoMoreRoundTrips() async throws {
        func packets(_ count: Int, _ limits: [Int]) async throws -> [Int] {
            let (rig, result, _) = try await run(count: count, limits: limits, faults: 0, seed: 1)
            check(rig, result)
            return rig.units.map(\.unit.deliveredPackets)
        }
        let alone = try await packets(1, [7])
        let many = try await packets(24, [7, 4, 1])
        print("packets alone:", alone, "in a fleet:", Set(many))
        #expect(many.allSatisfy { $0 == alone[0] }, "\(many)")
    }

    @Test func theCensusIsOfAllAdapters() async throws {
        let folder = try TemporaryFolder()
        let rig = try PagerRig(count: 40, limits: [7, 7], faults: 0, seed: 1, folder: folder.url)
        let units = try await rig.play { try await FamilyList([rig.pager.family]).census(of: rig.fleetAdapters()) }
        #expect(Set(units.map(\.address)) == Set(rig.units.map(\.address)) && units.count == 40)
    }

    /// As the acceptance of fleets has it: eight adapters, 5 % faults.
    @Test func aThousandUnits() async throws {
        let (rig, result, _) = try await run(
            count: TestRange.isFull ? 1000 : 150, limits: [1, 2, 3, 4, 5, 7, 12, 20], faults: 0.05, seed: 11) { $0.jobsPerAdapter = 4 }
        check(rig, result)
    }
}
