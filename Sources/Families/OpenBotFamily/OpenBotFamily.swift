import Bluetooth
import Provisioning

extension FamilyID {
    public static let openbot = FamilyID("openbot")
}

extension Family {
    /// Intel's OpenBot: a robot on an ESP32, which takes firmware over its serial cable alone.
    public static let openbot = Family(id: .openbot, recognise: OpenBot.recognise)
}

enum OpenBot {
    /// OpenBot, `openbot.ino`. The name comes in the scan response and says the body, so the service decides.
    static let service = AttributeID("61653dc3-4021-4d1e-ba83-8b4eec61d613")

    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        advertisement.services.contains(service) ? .application : nil
    }
}
