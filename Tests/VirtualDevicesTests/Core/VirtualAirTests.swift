import Bluetooth
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// What the air tells a unit, and when.
@Suite struct VirtualAirTests {
    private let air = VirtualAir(time: .simulated())
    private let unit = Inbox<UnitEvent>()
    private let place: VirtualAir.Place

    init() { place = air.join() }

    /// With a thousand units on the air, an event for each of them at each discovery would be most of the work.
    @Test func aUnitThatIsHeardIsNotToldOfOneMoreListener() throws {
        try show()
        let first = air.startDiscovery()
        #expect(events() == 1)
        let second = air.startDiscovery()
        #expect(events() == 0)
        #expect(air.advertise(place))
        #expect(second.1.poll() != nil)
        air.stopDiscovery(first.0)
        air.stopDiscovery(second.0)
        #expect(!air.advertise(place))
        _ = air.startDiscovery()
        #expect(events() == 1)
    }

    @Test func aUnitThatAppearsWhileSomebodyListensBegins() throws {
        _ = air.startDiscovery()
        try show()
        #expect(events() == 1)
        air.publish(nil, from: place)
        #expect(!air.advertise(place))
        try show()
        #expect(events() == 1)
    }

    /// Units come and go at one place in memory; what one of them was told says nothing of the next.
    @Test func aUnitThatIsPlayedAgainIsTold() async throws {
        try await withMadeUpUnit(times: 3) { host in
            let discovery = try await host.central.discover()
            for _ in 0..<3 {
                _ = try #require(try await discovery.sightings.next(before: host.soon(), on: host.clock))
            }
            // It listens on: who is played next is the only one who has to be told.
        }
    }

    @Test func whoHasLeftIsForgotten() throws {
        _ = air.startDiscovery()
        try show()
        air.leave(place)
        #expect(air.advertising(at: try #require(DeviceAddress("C0:00:00:00:00:01"))) == nil)
        #expect(!air.advertise(place))
        #expect(air.join() != place)
    }

    private func show() throws {
        let address = try #require(DeviceAddress("C0:00:00:00:00:01"))
        let advertisement = Advertisement(address: address, name: "unit", services: [], rssi: -50)
        air.publish(Advertising(sightings: [advertisement], largestMTU: 23, table: GATTTable(services: []), unit: unit), from: place)
    }

    /// The times that it was told to begin since the last question.
    private func events() -> Int {
        var count = 0
        while let event = unit.poll() {
            if case .beginAdvertising = event { count += 1 }
        }
        return count
    }
}
