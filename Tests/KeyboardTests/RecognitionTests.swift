import Bluetooth
import KeyboardFamily
import MonocleFamily
import Provisioning
import Support
import Testing

@Suite struct RecognitionTests {
    private let uart = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")

    private func advertisement(_ name: String?) throws -> Advertisement {
        Advertisement(address: try #require(DeviceAddress("24:6F:28:01:02:03")), name: name, services: [uart], rssi: -50)
    }

    /// Of a keyboard that is not found, Wi-Fi is the first cause.
    @Test func theFirstCauseIsWiFi() throws {
        for error in [UnitSelectionError.none, .noneWithName("IOS-Keyboard", inReach: [])] {
            let diagnosis = try #require(AbsentUnit(error, of: [.keyboard])?.diagnosis)
            #expect(diagnosis.code == error.diagnosis.code && diagnosis.cause.hasPrefix("it has no Wi-Fi"))
        }
        #expect(AbsentUnit(.several([]), of: [.keyboard]) == nil && AbsentUnit(.none, of: [.monocle]) == nil)
        #expect(AbsentUnit(.none, of: [.monocle, .keyboard]) == nil)
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
