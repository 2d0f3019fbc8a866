import Bluetooth
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import Provisioning

/// Many jobs on one adapter.
@Suite struct SharedCentralTests {
    private static let any = AttributeID("ffff")

    private func play(
        _ dial: @escaping @Sendable (SessionClock, DeviceAddress) async throws -> Void = { _, _ in },
        foreign: @escaping @Sendable () -> Int = { 0 },
        _ body: @escaping @Sendable (SharedCentral, ScriptedCentral, SessionClock) async throws -> Void
    ) async throws {
        let time = VirtualTime.simulated()
        let clock = time.clock
        let base = ScriptedCentral(clock: clock) { try await dial(clock, $0) }
        let shared = SharedCentral(FleetAdapter(name: "hci0", central: base, foreignLinks: { foreign() }))
        try await time.run { try await body(shared, base, clock) }
    }

    /// Two connects at once can leak one inside the kernel.
    @Test func oneConnectAtATimeInTheirOrder() async throws {
        let order = Mutex<[DeviceAddress]>([])
        try await play({ clock, address in
            order.withLock { $0.append(address) }
            try await clock.sleep(until: clock.deadline(in: .seconds(8)))
        }) { shared, base, clock in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<5 {
                    group.addTask { _ = try await shared.connect(to: .number(number), deadline: clock.deadline(in: .seconds(10))) }
                }
                try await group.waitForAll()
            }
            #expect(base.figures.mostDials == 1 && base.figures.dials == 5)
            // The fifth waited 32 s for the others, and its 10 s were its own.
            #expect(clock.now.offset == .seconds(40))
            await shared.close()
        }
        #expect(Set(order.withLock { $0 }).count == 5)
    }

    @Test func aPlaceComesBackWhoeverEndsTheLink() async throws {
        try await play({ _, _ in }) { shared, base, clock in
            var links: [any Connection] = []
            for number in 0..<5 { links.append(try await shared.connect(to: .number(number), deadline: clock.deadline(in: .seconds(10)))) }
            let sixth = clock.task { try await shared.connect(to: .number(9), deadline: clock.deadline(in: .seconds(10))) }
            try await clock.sleep(until: clock.deadline(in: .seconds(60)))
            #expect(base.figures.dials == 5, "five are up")
            try await links[3].write([0], to: Self.any, deadline: clock.deadline(in: .seconds(1)))
            let link = try await sixth.value
            let seventh = clock.task { try await shared.connect(to: .number(10), deadline: clock.deadline(in: .seconds(10))) }
            await links[0].disconnect()
            _ = try await seventh.value
            try await links[3].waitUntilGone(deadline: clock.deadline(in: .seconds(1)))
            await #expect(throws: LinkError.timedOut("the link to end")) {
                try await link.waitUntilGone(deadline: clock.deadline(in: .seconds(1)))
            }
            await shared.close()
        }
    }

    @Test func aFullAdapterCostsTheUnitNothing() async throws {
        let adapter = Mutex((up: 0, refusals: 0))
        let lowered = Mutex<[Int]>([])
        let time = VirtualTime.simulated()
        let clock = time.clock
        let base = ScriptedCentral(clock: clock) { _ in
            try await clock.sleep(until: clock.deadline(in: .milliseconds(500)))
            try adapter.withLock {
                guard $0.up == 0 else {
                    $0.refusals += 1
                    throw LinkError.adapterFull("le-connection-concurrent-connection-limit")
                }
                $0.up += 1
            }
        }
        let shared = SharedCentral(FleetAdapter(name: "hci0", central: base)) { ceiling, _ in lowered.withLock { $0.append(ceiling ?? 0) } }
        try await time.run {
            let first = try await shared.connect(to: .number(1), deadline: clock.deadline(in: .seconds(5)))
            let second = clock.task { try await shared.connect(to: .number(2), deadline: clock.deadline(in: .seconds(5))) }
            try await clock.sleep(until: clock.deadline(in: .seconds(300)))
            #expect(adapter.withLock { $0.refusals } == 4 && lowered.withLock { $0 } == [4, 3, 2, 1], "and then it waits for a place")
            adapter.withLock { $0.up = 0 }
            await first.disconnect()
            let link = try await second.value
            await link.disconnect()
        }
    }

    @Test func aFullAdapterWithoutOtherLinksIsAnOrdinaryFailure() async throws {
        let full = LinkError.adapterFull("le-connection-refused")
        try await play({ _, _ in throw full }) { shared, base, clock in
            await #expect(throws: full) { _ = try await shared.connect(to: .number(1), deadline: clock.deadline(in: .seconds(30))) }
            #expect(base.figures.dials == 1 && shared.ceiling == 5)
        }
    }

    @Test func strangersThatFillTheAdapterAreWaitedForUntilTheDeadline() async throws {
        let full = LinkError.adapterFull("le-connection-busy")
        try await play({ _, _ in throw full }, foreign: { 5 }) { shared, base, clock in
            await #expect(throws: full) { _ = try await shared.connect(to: .number(1), deadline: clock.deadline(in: .seconds(30))) }
            #expect((4...9).contains(base.figures.dials) && clock.now.offset <= .seconds(30), "\(base.figures)")
        }
    }

    @Test func whoIsCancelledInTheQueueLeavesIt() async throws {
        try await play({ clock, _ in try await clock.sleep(until: clock.deadline(in: .seconds(5))) }) { shared, base, clock in
            let tasks = (0..<3).map { number in
                clock.task { try await shared.connect(to: .number(number), deadline: clock.deadline(in: .seconds(10))) }
            }
            try await clock.sleep(until: clock.deadline(in: .seconds(1)))
            tasks[0].cancel()
            tasks[1].cancel()
            for task in tasks.prefix(2) { await #expect(throws: CancellationError.self) { _ = try await task.value } }
            _ = try await tasks[2].value
            #expect(base.figures.mostDials == 1 && clock.now.offset <= .seconds(12))
            await shared.close()
        }
    }

    @Test func bondsAreTheAdapters() async throws {
        try await play { shared, base, clock in
            let job: any Central = JobCentral(shared)
            let bonding = try #require(job as? any BondingCentral)
            #expect(try await bonding.forgetBond(with: .number(7), deadline: clock.deadline(in: .seconds(1))))
            #expect(base.figures.forgotten == [.number(7)])
        }
    }

    // MARK: Discovery

    private func sighting(_ number: Int) -> Advertisement { Advertisement(address: .number(number), name: nil, services: [], rssi: -50) }

    @Test func oneDiscoveryServesAllAndEndsWithTheLast() async throws {
        try await play { shared, base, clock in
            let listeners = try await [shared.discover(), shared.discover(), shared.discover()]
            #expect(base.figures.discoveries == 1)
            for number in 0..<500 { base.air?.deliver(sighting(number)) }
            for listener in listeners {
                for number in 0..<500 {
                    #expect(try await listener.sightings.next(before: clock.deadline(in: .seconds(1)), on: clock) == sighting(number))
                }
            }
            await listeners[0].stop()
            await listeners[1].stop()
            #expect(base.figures.stops == 0)
            await listeners[2].stop()
            #expect(base.figures.stops == 1)
            let again = try await shared.discover()
            #expect(base.figures.discoveries == 2)
            await again.stop()
        }
    }

    /// Listeners are woken in beats, which delay nothing that anybody notices.
    @Test func aSightingIsHeardAtOnce() async throws {
        try await play { shared, base, clock in
            let listener = try await shared.discover()
            for number in 0..<10 {
                let start = clock.now
                base.air?.deliver(sighting(number))
                #expect(try await listener.sightings.next(before: clock.deadline(in: .seconds(1)), on: clock) == sighting(number))
                #expect(start.duration(to: clock.now) <= .milliseconds(50))
            }
            await listener.stop()
        }
    }

    @Test func aConnectStarvesNoListener() async throws {
        try await play({ clock, _ in try await clock.sleep(until: clock.deadline(in: .seconds(20))) }) { shared, base, clock in
            let listener = try await shared.discover()
            let slow = try await shared.discover()
            let link = clock.task { try await shared.connect(to: .number(1), deadline: clock.deadline(in: .seconds(30))) }
            try await clock.sleep(until: clock.deadline(in: .seconds(1)))
            for number in 0..<20_000 {
                base.air?.deliver(sighting(number))
                if number % 1000 == 0 { try await clock.sleep(until: clock.deadline(in: .milliseconds(50))) }
                while listener.sightings.poll() != nil {}
            }
            base.air?.deliver(sighting(77))
            #expect(try await listener.sightings.next(before: clock.deadline(in: .seconds(1)), on: clock) != nil)
            // Who does not take its sightings loses its own discovery, and nobody else's.
            while slow.sightings.poll() != nil {}
            await #expect(throws: LinkError.overrun) {
                _ = try await slow.sightings.next(before: clock.deadline(in: .seconds(1)), on: clock)
            }
            await slow.stop()
            await listener.stop()
            await (try await link.value).disconnect()
        }
    }

    @Test func aDiscoveryThatDiesEndsAllListenersWithItsError() async throws {
        try await play { shared, base, clock in
            let listeners = try await [shared.discover(), shared.discover()]
            base.air?.finish(throwing: LinkError.unavailable("the adapter was taken out"))
            for listener in listeners {
                await #expect(throws: LinkError.unavailable("the adapter was taken out")) {
                    _ = try await listener.sightings.next(before: clock.deadline(in: .seconds(5)), on: clock)
                }
                await listener.stop()
            }
            let again = try await shared.discover()
            #expect(base.figures.discoveries == 2)
            await again.stop()
            base.discoveryFault.withLock { $0 = .unavailable("no adapter") }
            await #expect(throws: LinkError.unavailable("no adapter")) { _ = try await shared.discover() }
            base.discoveryFault.withLock { $0 = nil }
            await (try await shared.discover()).stop()
        }
    }

    @Test func whoIsCancelledBeforeTheDiscoveryIsUpDoesNotStopTheOthers() async throws {
        try await play { shared, base, clock in
            let first = clock.task { try await shared.discover() }
            let second = clock.task { try await shared.discover() }
            first.cancel()
            let listener = try await second.value
            base.air?.deliver(sighting(1))
            #expect(try await listener.sightings.next(before: clock.deadline(in: .seconds(1)), on: clock) == sighting(1))
            if let earlier = try? await first.value { await earlier.stop() }
            await listener.stop()
            #expect(base.figures.stops == base.figures.discoveries)
        }
    }
    /// The first gives up before its discovery is up; that one then comes up for nobody, and ends nobody's.
    @Test func aDiscoveryThatIsOverNeitherBringsUpNorEndsTheNext() async throws {
        try await play { shared, base, clock in
            base.discoveryPause.withLock { $0 = .seconds(5) }
            let first = clock.task { try await shared.discover() }
            try await clock.sleep(until: clock.deadline(in: .seconds(1)))
            first.cancel()
            try await clock.sleep(until: clock.deadline(in: .seconds(1)))
            let second = clock.task { try await shared.discover() }
            let listener = try await second.value
            #expect(
                clock.now.offset == .seconds(10) && base.figures.discoveries == 2 && base.figures.stops == 1, "\(clock.now) \(base.figures)"
            )
            base.air?.deliver(sighting(1))
            #expect(try await listener.sightings.next(before: clock.deadline(in: .seconds(1)), on: clock) == sighting(1))
            // Who comes to a discovery that is up waits for nothing.
            let later = try await shared.discover()
            #expect(base.figures.discoveries == 2)
            await listener.stop()
            await later.stop()
            await #expect(throws: CancellationError.self) { _ = try await first.value }
        }
    }
}
