import Bluetooth

/// An address or a serial number.
enum DeviceAddressText {
    /// An address as the ledger writes it; anything else as it is.
    static func canonical(_ text: String) -> String { DeviceAddress(text)?.description ?? text }
}
