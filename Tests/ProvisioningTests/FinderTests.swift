import Bluetooth
import Foundation
import FrameFamily
import MonocleFamily
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

/// An air on which a test says who is heard when.
private final class ScriptedAir: Central {
    struct Call: Sendable {
        var from: Duration
        var to: Duration
        var advertisement: Advertisement
    }

    private struct Listening: Discovery {
        let sightings = Inbox<Advertisement>()
        let end: @Sendable () -> Void
        func stop() async { end() }
    }

    private struct State {
        var current: Inbox<Advertisement>?
        var starts = 0
        var stops = 0
        var isOff = false
    }

    let clock: SessionClock
    private let state = Mutex(State())

    init(clock: SessionClock) { self.clock = clock }

    var startCount: Int { state.withLock { $0.starts } }
    var stopCount: Int { state.withLock { $0.stops } }

    func discover() async throws -> any Discovery {
        let listening = Listening { [weak self] in
            self?.state.withLock { state in
                state.stops += 1
                state.current = nil
            }
        }
        try state.withLock { state in
            if state.isOff { throw LinkError.unavailable("the radio is off") }
            state.starts += 1
            state.current = listening.sightings
        }
        return listening
    }

    /// What a restart of bluetoothd looks like; `isOff` when it does not come back.
    func breakOff(isOff: Bool) {
        state.withLock { state in
            state.isOff = isOff
            state.current?.finish(throwing: LinkError.unavailable("bluetoothd stopped"))
        }
    }

    func connect(
        to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant
    ) async throws -> any Connection {
        throw LinkError.connectFailed(address, reason: "nobody connects here")
    }

    /// Everybody advertises ten times a second while they are there.
    func play(_ calls: [Call]) async throws {
        while true {
            for call in calls where call.from <= clock.now.offset && clock.now.offset < call.to {
                state.withLock { $0.current }?.deliver(call.advertisement)
            }
            try await clock.sleep(until: clock.deadline(in: .milliseconds(100)))
        }
    }
}

@Suite struct FinderTests {
    private static func heard(
        _ address: DeviceAddress, _ rssi: Int, from: Double = 0, to: Double = 1000, name: String = "monocle"
    ) -> ScriptedAir.Call {
        .init(from: .seconds(from), to: .seconds(to), advertisement: Advertisement(address: address, name: name, services: [], rssi: rssi))
    }

    /// - Returns: the verdict and the seconds it took.
    private func find(
        _ wish: UnitSelector, _ calls: [ScriptedAir.Call], breaks: [Double] = []
    ) async throws -> (Result<DeviceAddress, UnitSelectionError>, Double) {
        let time = VirtualTime.simulated()
        let clock = time.clock
        return try await time.run {
            let air = ScriptedAir(clock: clock)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await air.play(calls) }
                for second in breaks {
                    group.addTask {
                        try await clock.sleep(until: .init(offset: .seconds(second)))
                        air.breakOff(isOff: false)
                    }
                }
                defer { group.cancelAll() }
                let verdict: Result<DeviceAddress, UnitSelectionError>
                do {
                    verdict = .success(
                        try await UnitFinder(central: air, families: TestFamilies.all).find(wish, families: [.monocle], known: []).address)
                } catch let error as UnitSelectionError {
                    verdict = .failure(error)
                }
                #expect(air.startCount == breaks.count + 1 && air.stopCount == air.startCount, "every discovery is given back")
                return (verdict, clock.now.offset / .seconds(1))
            }
        }
    }

    private let first = UnitMatcherTests.first
    private let second = UnitMatcherTests.second

    @Test func anAddressIsTakenAtFirstSight() async throws {
        let (verdict, seconds) = try await find(.address(first), [Self.heard(second, -30), Self.heard(first, -80, from: 1)])
        #expect(verdict == .success(first))
        #expect(seconds < 1.2)
    }

    @Test func theOnlyOneIsTakenAfterEverybodyHadTimeToBeHeard() async throws {
        let (verdict, seconds) = try await find(.only, [Self.heard(first, -80)])
        #expect(verdict == .success(first))
        #expect((4...4.6).contains(seconds))
    }

    @Test func aSecondOneThatIsHeardLateIsStillHeard() async throws {
        let (verdict, _) = try await find(.only, [Self.heard(first, -50), Self.heard(second, -80, from: 3.8)])
        guard case .failure(.several(let units)) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(Set(units.map(\.address)) == [first, second])
    }

    @Test func oneThatComesLateIsWaitedFor() async throws {
        let (verdict, seconds) = try await find(.only, [Self.heard(first, -50, from: 9)])
        #expect(verdict == .success(first))
        #expect((11...11.8).contains(seconds))
    }

    /// One that is heard at the last moment settles like any other.
    @Test(arguments: [UnitSelector.only, .nearest]) func nobodyIsTakenUnsettled(wish: UnitSelector) async throws {
        let (verdict, seconds) = try await find(wish, [Self.heard(first, -50, from: 14.8)])
        #expect(verdict == .success(first))
        #expect((16.8...17.5).contains(seconds))
        let (rivals, _) = try await find(.only, [Self.heard(first, -50, from: 14.8), Self.heard(second, -50, from: 16)])
        guard case .failure(.several) = rivals else {
            Issue.record("\(rivals)")
            return
        }
    }

    @Test func aFlickerAtTheEndIsNotNear() async throws {
        let calls = [Self.heard(first, -99, from: 14.95), Self.heard(first, -60, from: 14.8, to: 14.95)]
        let (verdict, _) = try await find(.nearest, calls)
        guard case .failure(.noneNear) = verdict else {
            Issue.record("\(verdict)")
            return
        }
    }

    /// bluetoothd was restarted: the units that were heard stay heard, and the deadline stays where it was.
    @Test func aDiscoveryThatEndsIsBegunAgain() async throws {
        let (verdict, seconds) = try await find(.only, [Self.heard(first, -50)], breaks: [1, 2.2, 3])
        #expect(verdict == .success(first))
        #expect((4...5).contains(seconds))
        let (nobody, _) = try await find(.only, [], breaks: [3])
        #expect(nobody == .failure(.none))
    }

    /// Losses with units heard between them are no losses in a row, however long the shift is.
    @Test func onlyLossesInARowEndTheSearch() async throws {
        let breaks = [0.9, 1.8, 2.7, 3.6, 4.5, 5.4]
        #expect(
            try await find(.address(first), [Self.heard(second, -50), Self.heard(first, -50, from: 7)], breaks: breaks).0 == .success(first)
        )
        #expect(try await find(.address(first), [Self.heard(first, -50, from: 7)], breaks: [1, 2, 3]).0 == .success(first))
        await #expect(throws: LinkError.unavailable("bluetoothd stopped")) {
            _ = try await find(.address(first), [Self.heard(first, -50, from: 7)], breaks: [1, 2, 3, 4])
        }
    }

    /// A run listens for one unit over the same breaks.
    @Test func aRunFindsItsUnitOverBreaks() async throws {
        let time = VirtualTime.simulated()
        let air = ScriptedAir(clock: time.clock)
        let mode = try await time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await air.play([Self.heard(first, -50, from: 3)]) }
                group.addTask {
                    for _ in 0..<3 {
                        try await time.clock.sleep(until: time.clock.deadline(in: .milliseconds(700)))
                        air.breakOff(isOff: false)
                    }
                }
                defer { group.cancelAll() }
                return try await UnitLocator(central: air, family: .monocle, address: first).find()
            }
        }
        #expect(mode == .application)
        #expect(air.startCount == 4 && air.stopCount == 4)
    }

    @Test func aCancelledSearchGivesItsDiscoveryBack() async throws {
        let time = VirtualTime.simulated()
        let air = ScriptedAir(clock: time.clock)
        let finder = UnitFinder(central: air, families: TestFamilies.all)
        try await time.run {
            let search = time.clock.task { try await finder.find(.only, families: [.monocle], known: []) }
            try await time.clock.sleep(until: time.clock.deadline(in: .seconds(1)))
            search.cancel()
            await #expect(throws: CancellationError.self) { _ = try await search.value }
        }
        #expect(air.startCount == 1 && air.stopCount == 1)
    }

    /// Nobody connects to a unit that is not heard.
    @Test func aLookAtAUnitThatIsNotThereSaysSo() async throws {
        let time = VirtualTime.simulated()
        let look = try VerifyJob(
            family: .monocle, central: ScriptedAir(clock: time.clock), address: first, assets: AssetSet(),
            recorded: [.firmware: "v23.100.0927"], isDeep: false)
        let report = try await time.run { try await look.run { _ in } }
        #expect(report.error?.code == ProvisioningError.unitNotFound(first).diagnosis.code, "\(report)")
    }

    /// Attempts that fail at once would be used up before bluetoothd is back.
    @Test func aRunRestsBetweenAttemptsThatFailAtOnce() async throws {
        let time = VirtualTime.simulated()
        let radio = try UnitLocator(central: ScriptedAir(clock: time.clock), family: .monocle, address: first)
        let attempts = try await time.run {
            var attempts: [Int64] = []
            _ = try await UnitLease(radio).attempt(RetryPolicy(mayRestartUnit: true), recovering: { _, _ in }) {
                attempts.append(time.clock.now.offset.components.seconds)
                throw LinkError.unavailable("bluetoothd stopped")
            }
            return attempts
        }
        #expect(attempts == [0, 0, 2])
    }

    @Test func aRadioThatDoesNotReturnIsItsOwnError() async throws {
        let time = VirtualTime.simulated()
        let air = ScriptedAir(clock: time.clock)
        try await time.run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await time.clock.sleep(until: .init(offset: .seconds(2)))
                    air.breakOff(isOff: true)
                }
                await #expect(throws: LinkError.unavailable("the radio is off")) {
                    try await UnitFinder(central: air, families: TestFamilies.all).find(.only, families: [.monocle], known: [])
                }
                try await group.waitForAll()
            }
            // Three tries, half a second apart: it may still come back.
            #expect((3.5..<5).contains(time.clock.now.offset / .seconds(1)))
        }
        #expect(air.stopCount == 1)
    }

    @Test func nobodyIsAnErrorAtTheEnd() async throws {
        let (verdict, seconds) = try await find(.only, [Self.heard(first, -50, name: "kettle")])
        #expect(verdict == .failure(.none))
        #expect((15...15.6).contains(seconds))
    }

    @Test func oneThatWentAwayIsNotTheOnlyOneAnyMore() async throws {
        let (verdict, _) = try await find(.only, [Self.heard(first, -50, to: 1), Self.heard(second, -50, from: 6.5)])
        #expect(verdict == .success(second))
    }

    @Test func nearestWaitsForTheHandThatBringsIt() async throws {
        let (verdict, seconds) = try await find(
            .nearest, [Self.heard(first, -75, to: 6), Self.heard(first, -45, from: 6), Self.heard(second, -80)])
        #expect(verdict == .success(first))
        #expect((8...9).contains(seconds))
    }
}

@Suite struct CensusTests {
    private func instant(_ seconds: Double) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }

    private func sighting(_ rssi: Int, last: UInt8 = 1) throws -> Advertisement {
        Advertisement(
            address: try #require(DeviceAddress(octets: [0xC0, 0, 0, 0, UInt8(last / 16), last])), name: "monocle", services: [], rssi: rssi
        )
    }

    @Test func strengthsAreSmoothed() throws {
        var census = ScanResults(of: TestFamilies.all)
        census.note(try sighting(-50), at: instant(0))
        census.note(try sighting(-80), at: instant(0.1))
        #expect(census.units.map(\.rssi) == [-59])
        for step in 0..<40 { census.note(try sighting(-80), at: instant(0.2 + Double(step) / 10)) }
        #expect(census.units.map(\.rssi) == [-80])
    }

    @Test func theSilentAreForgotten() throws {
        var census = ScanResults(of: TestFamilies.all)
        census.note(try sighting(-50, last: 1), at: instant(0))
        census.note(try sighting(-40, last: 2), at: instant(2))
        census.expire(at: instant(2.9))
        #expect(census.units.map(\.rssi) == [-40, -50])
        census.expire(at: instant(3))
        #expect(census.units.map(\.rssi) == [-40])
    }

    @Test func aFloodIsBounded() throws {
        var census = ScanResults(of: TestFamilies.all)
        for number in 0..<2000 {
            let address = try #require(DeviceAddress(octets: [0xC0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)]))
            census.note(Advertisement(address: address, name: "monocle", services: [], rssi: .min), at: instant(0))
        }
        #expect(census.units.count == 256)
        #expect(census.units.allSatisfy { $0.rssi == -127 })
    }
}

extension CensusTests {
    private func flooded(wanting isWanted: @escaping @Sendable (DiscoveredUnit) -> Bool) throws -> ScanResults {
        var census = ScanResults(of: TestFamilies.all, wanting: isWanted)
        for number in 0..<300 {
            let address = try #require(DeviceAddress(octets: [0xC0, 0, 0, 1, UInt8(number / 256), UInt8(number % 256)]))
            census.note(Advertisement(address: address, name: "monocle", services: [], rssi: -50), at: instant(0))
        }
        return census
    }

    /// A flood of invented addresses does not keep out the unit that was named, however weak it is.
    @Test func whoIsNamedHasAPlace() throws {
        let unit = try sighting(-90)
        for wish in [UnitSelector.address(unit.address), .address(unit.address.application)] {
            let bootloader = Advertisement(address: unit.address, name: "DfuTarg", services: [], rssi: -90)
            let unit = wish == .address(unit.address) ? unit : bootloader
            var census = try flooded(wanting: wish.names)
            census.note(unit, at: instant(1))
            #expect(census.units.count == 256)
            #expect(census.units.last?.advertisedAddress == unit.address)
        }
        var nobody = try flooded { _ in false }
        nobody.note(unit, at: instant(1))
        #expect(!nobody.units.contains { $0.advertisedAddress == unit.address })
        var near = try flooded { _ in false }
        near.note(try sighting(-30), at: instant(1))
        #expect(near.units.first?.rssi == -30 && near.units.count == 256)
        var all = try flooded { _ in true }
        all.note(unit, at: instant(1))
        #expect(all.units.count == 256, "a flood of the wanted name stays bounded")
    }
}
