import Bluetooth
import Provisioning

extension FamilyID {
    public static let openbot = FamilyID("openbot")
}

extension Family {
    /// Intel's OpenBot: an ESP32 robot that accepts firmware only over its serial cable.
    public static let openbot = Family(id: .openbot, recognise: OpenBot.recognise, insteadOfFlash: OpenBot.insteadOfFlash)
}

public enum OpenBot {
    /// The serial command that writes the sketch.
    /// - Parameter image: the application's file.
    public static func writeCommand(_ image: String = "openbot.ino.bin") -> String {
        "esptool --chip esp32 --baud 115200 write_flash 0x1000 openbot.ino.bootloader.bin 0x8000 openbot.ino.partitions.bin "
            + "0xe000 boot_app0.bin 0x10000 \(image)"
    }

    /// OpenBot, `openbot.ino`. The name, in the scan response, gives the body, so the service decides.
    static let service = AttributeID("61653dc3-4021-4d1e-ba83-8b4eec61d613")
    /// The robot reads here, and reports on the next one.
    static let receive = AttributeID("06386c14-86ea-4d71-811c-48f97c58f8c9")
    static let transmit = AttributeID("9bf1103b-834c-47cf-b149-c9e4bcf778a7")

    /// The sketch cannot update over the air, and no binaries are published (OpenBot, `firmware/README.md`). The offsets come from
    /// Arduino's core for the ESP32.
    static let insteadOfFlash =
        "its firmware is written over the serial cable: compile the sketch with the robot's body, then run: \(writeCommand())"

    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        advertisement.services.contains(service) ? .application : nil
    }
}
