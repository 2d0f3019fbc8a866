import Bluetooth
import Provisioning

extension FamilyID {
    public static let keyboard = FamilyID("keyboard")
}

extension Family {
    /// The IOS-Keyboard bridge: an ESP32-S3 that types over USB what it gets over Bluetooth LE.
    public static let keyboard = Family(
        id: .keyboard, recognise: Keyboard.recognise, network: .keyboard,
        absence: Absence(
            cause: "it has no Wi-Fi, and without that it is no keyboard: it opens the access point IOS-Keyboard-Setup instead; "
                + "or it is off, out of range or connected to the phone app",
            remedy: "join IOS-Keyboard-Setup and give the unit its network on http://192.168.4.1, or close the phone app; then run the "
                + "command again"))
}

enum Keyboard {
    /// IOS-Keyboard, `config.h`. A Monocle's REPL has the same service, that of Nordic's UART example, so the name decides.
    static let name = "IOS-Keyboard"

    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        advertisement.name == name ? .application : nil
    }
}
