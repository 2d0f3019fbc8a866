/// The agent that bluetoothd asks while this process pairs: no display and no keys, so the only answer is yes or no.
enum PairingAgent {
    static let path = "/noafw/agent"
    static let capability = "NoInputNoOutput"

    private static let rejected = "org.bluez.Error.Rejected"

    /// - Parameter pairing: the paths of the devices that this process is pairing with; everybody else is refused.
    /// - Returns: the error to answer with, `nil` for yes (BlueZ's org.bluez.Agent.rst).
    static func answer(_ call: BusMessage, pairing: Set<String>) -> String? {
        guard call.path == path, call.interface == BusName.agent else { return "org.freedesktop.DBus.Error.UnknownObject" }
        switch call.member {
        case "Release", "Cancel": return nil
        case "RequestConfirmation", "RequestAuthorization", "AuthorizeService":
            return call.body.first?.asText.map(pairing.contains) == true ? nil : rejected
        case "RequestPinCode", "RequestPasskey", "DisplayPinCode", "DisplayPasskey": return rejected
        default: return "org.freedesktop.DBus.Error.UnknownMethod"
        }
    }
}
