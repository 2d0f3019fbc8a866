import Bluetooth
import Testing

struct AddressTests {
    @Test func textAndOctetsAreTheSame() throws {
        let address = try #require(DeviceAddress("c0:de:00:11:22:ff"))
        #expect(address.description == "C0:DE:00:11:22:FF")
        #expect(address.octets == [0xC0, 0xDE, 0x00, 0x11, 0x22, 0xFF])
    }

    @Test(arguments: ["", "C0:DE:00:11:22", "C0:DE:00:11:22:FF:00", "C0:DE:00:11:22:+F", "C0-DE-00-11-22-FF", "C0:DE:00:11:22:GG"])
    func otherTextsAreRefused(text: String) { #expect(DeviceAddress(text) == nil) }

    @Test func bootloaderWrapsInTheLastOctetWithoutACarry() throws {
        let address = try #require(DeviceAddress("C0:DE:00:11:22:FF"))
        #expect(address.bootloader.description == "C0:DE:00:11:22:00")
        #expect(address.bootloader.application == address)
    }

    @Test func shortUUIDsAreWidened() {
        #expect(AttributeID("FE59") == AttributeID("0000fe59-0000-1000-8000-00805f9b34fb"))
    }
}
