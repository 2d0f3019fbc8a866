import Bluetooth
import OpenBotFamily
import Provisioning
import Testing

@Suite struct RecognitionTests {
    private func advertisement(_ name: String?, _ services: Set<AttributeID>) throws -> Advertisement {
        Advertisement(address: try #require(DeviceAddress("24:6F:28:01:02:03")), name: name, services: services, rssi: -50)
    }

    @Test func theServiceDecides() throws {
        let service = AttributeID("61653dc3-4021-4d1e-ba83-8b4eec61d613")
        #expect(Family.openbot.recognise(try advertisement(nil, [service])) == .application)
        #expect(Family.openbot.recognise(try advertisement("OpenBot: RTR_TT2", [])) == nil)
    }
}
