import Bluetooth
import FleetRig
import Foundation
import Support
import Synchronization
import TestSupport
import Testing

@testable import Provisioning
@testable import VirtualDevices

private final class Visits: Sendable { let count = Mutex(0) }

/// A unit that is never provisioned, without a bootloader and an interpreter. It counts its links.
private struct BeaconModel: UnitModel {
    static let family = Family(id: "beacon", recognise: { $0.name == "beacon" ? .application : nil })

    let visits: Visits
    var nextDeadline: Duration?

    static func unit(in folder: URL, on air: VirtualAir, counting visits: Visits) throws -> VirtualUnit {
        let design = UnitDesign(family: "beacon") { _ in BeaconModel(visits: visits) }
        return try VirtualUnit(folder: try UnitFolder(root: folder, name: "beacon", family: "beacon") { _ in }, design: design, air: air)
    }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws { nextDeadline = unit.now }
    mutating func stop(_ cause: UnitPlatform.StopCause) { nextDeadline = nil }
    mutating func radioChanged(on unit: inout UnitPlatform) throws { visits.count.withLock { $0 += 1 } }
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {}
    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? { nil }

    mutating func advance(on unit: inout UnitPlatform) throws {
        nextDeadline = nil
        unit.startRadio(as: PeripheralProfile(
            address: unit.address, name: "beacon", advertisedServices: [], table: GATTTable(services: []),
            pace: LinkPace(eventLength: .milliseconds(15), supervisionTimeout: .seconds(4)), largestMTU: 23, notificationQueue: 1))
    }
}

/// A family is one value: whatever it is, the same jobs serve it, with components that nothing else knows.
@Suite struct MadeUpFamilyTests {
    @Test func aPagerIsFlashedAndVerified() async throws {
        let place = try TemporaryFolder()
        let rig = try PagerRig(count: 1, limits: [], faults: 0, seed: 1, folder: place.url)
        let (family, assets, unit) = (rig.pager.family, rig.pager.assets, rig.units[0])
        try await rig.play {
            let central = VirtualCentral(air: rig.air)
            let job = try ProvisioningJob(family: family, central: central, address: unit.address, assets: assets, options: JobOptions())
            let first = try await job.run { _ in }
            #expect(first.passed && first.steps.map(\.action) == [.updated, .updated], "\(first)")
            #expect(first.identity.versions == [.firmware: PagerFamily.version, .text: PagerFamily.text] && first.family == "pager")
            #expect(try await job.run { _ in }.steps.map(\.action) == [.current, .current])
            let look = try VerifyJob(family: family, central: central, address: unit.address, assets: assets, isDeep: true)
            #expect(try await look.run { _ in }.passed)
        }
    }

    /// It is found and named beside a unit that is wanted, which it does not make ambiguous; nobody connects to it.
    @Test(arguments: [UnitSelector.only, .nearest, .name("beacon")]) func aBeaconIsLeftAlone(wish: UnitSelector) async throws {
        let (place, visits) = (try TemporaryFolder(), Visits())
        let rig = try PagerRig(count: 1, limits: [], faults: 0, seed: 1, folder: place.url)
        let beacon = try BeaconModel.unit(in: place.url.appendingPathComponent("beacon"), on: rig.air, counting: visits)
        let families = FamilyList([BeaconModel.family, rig.pager.family])
        #expect(families.provisioned.map(\.id) == ["pager"] && families.components == [.firmware, .text])
        try await rig.play {
            try await withVirtualUnit(beacon) {
                let left = Mutex<[FamilyID]>([])
                let central = VirtualCentral(air: rig.air)
                do {
                    let unit = try await UnitFinder(central: central, families: families)
                        .find(wish, families: ["pager"], known: [], leaving: { unit in left.withLock { $0.append(unit.family) } })
                    #expect(unit.family == "pager" && wish != .name("beacon"))
                } catch UnitSelectionError.otherFamily(let unit) {
                    #expect(unit.family == "beacon" && wish == .name("beacon"))
                }
                #expect(left.withLock(\.self) == ["beacon"])
                for isFlash in [true, false] {
                    #expect(throws: ProvisioningError.noConsole("beacon")) {
                        let (family, address, assets) = (BeaconModel.family, beacon.address, rig.pager.assets)
                        if isFlash {
                            _ = try ProvisioningJob(
                                family: family, central: central, address: address, assets: assets, options: JobOptions())
                        } else {
                            _ = try VerifyJob(family: family, central: central, address: address, assets: assets, isDeep: false)
                        }
                    }
                }
            }
        }
        #expect(visits.count.withLock(\.self) == 0)
    }
}
