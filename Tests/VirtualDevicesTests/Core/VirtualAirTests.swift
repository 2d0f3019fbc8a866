import Bluetooth
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// What the air tells a unit, and when.
@Suite struct VirtualAirTests {
    private let air = VirtualAir(time: .simulated())
    private let unit = Inbox<UnitEvent>()

    /// With a thousand units on the air, an event for each of them at each discovery would be most of the work.
    @Test func aUnitThatIsHeardIsNotToldOfOneMoreListener() throws {
        try show()
        let first = air.startDiscovery()
        #expect(events() == 1)
        let second = air.startDiscovery()
        #expect(events() == 0)
        #expect(air.advertise(unit))
        #expect(second.1.poll() != nil)
        air.stopDiscovery(first.0)
        air.stopDiscovery(second.0)
        #expect(!air.advertise(unit))
        _ = air.startDiscovery()
        #expect(events() == 1)
    }

    @Test func aUnitThatAppearsWhileSomebodyListensBegins() throws {
        _ = air.startDiscovery()
        try show()
        #expect(events() == 1)
        air.publish(nil, from: unit)
        #expect(!air.advertise(unit))
        try show()
        #expect(events() == 1)
    }

    private func show() throws {
        let address = try #require(DeviceAddress("C0:00:00:00:00:01"))
        let advertisement = Advertisement(address: address, name: "unit", services: [], rssi: -50)
        air.publish(Advertising(advertisement: advertisement, largestMTU: 23, table: GATTTable(services: []), unit: unit), from: unit)
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
