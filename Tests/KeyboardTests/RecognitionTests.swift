import Bluetooth
import KeyboardFamily
import MonocleFamily
import Provisioning
import Testing

@Suite struct RecognitionTests {
    private let uart = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")

    private func advertisement(_ name: String?) throws -> Advertisement {
        Advertisement(address: try #require(DeviceAddress("24:6F:28:01:02:03")), name: name, services: [uart], rssi: -50)
    }

    /// A Monocle's REPL has the same service.
    @Test func theNameDecides() throws {
        #expect(Family.keyboard.recognise(try advertisement("IOS-Keyboard")) == .application)
        #expect(Family.monocle.recognise(try advertisement("IOS-Keyboard")) == nil)
        #expect(Family.keyboard.recognise(try advertisement("monocle")) == nil)
        #expect(Family.keyboard.recognise(try advertisement("IOS-Keyboard 2")) == nil)
        #expect(Family.keyboard.recognise(try advertisement(nil)) == nil)
    }
}
