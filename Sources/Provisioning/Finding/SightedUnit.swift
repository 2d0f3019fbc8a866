import Bluetooth
import REPL

/// The kinds of glasses.
public enum DeviceFamily: String, Sendable, CaseIterable, Codable { case monocle, frame }

/// A pair of glasses as the air shows it.
public struct SightedUnit: Sendable, Hashable {
    public enum Mode: String, Sendable { case application, bootloader }

    public var family: DeviceFamily
    public var mode: Mode
    /// As advertised: in its bootloader the unit has the address after its own.
    public var advertisedAddress: DeviceAddress
    /// Untrusted text.
    public var name: String
    /// In dBm, smoothed.
    public var rssi: Int

    public init(family: DeviceFamily, mode: Mode, advertisedAddress: DeviceAddress, name: String, rssi: Int) {
        self.family = family
        self.mode = mode
        self.advertisedAddress = advertisedAddress
        self.name = name
        self.rssi = rssi
    }

    /// The address under which a unit is known, whatever its mode: its application's.
    public var address: DeviceAddress { mode == .application ? advertisedAddress : advertisedAddress.application }

    /// Recognises glasses: `nil` for anything else.
    ///
    /// The names are those of the vendor's firmwares (monocle-micropython, frame-codebase). A service alone does not do:
    /// Monocle's REPL has the UUID of Nordic's UART example, and every Nordic bootloader offers 0xFE59.
    public init?(_ advertisement: Advertisement) {
        let name = advertisement.name ?? ""
        let recognised: (DeviceFamily, Mode)
        switch name {
        case "monocle": recognised = (.monocle, .application)
        case "DfuTarg": recognised = (.monocle, .bootloader)
        case "Frame Update": recognised = (.frame, .bootloader)
        case _ where advertisement.services.contains(AppService.service): recognised = (.monocle, .application)
        case _ where advertisement.services.contains(Self.frameService) || Self.isFrame(name):
            recognised = (.frame, .application)
        default: return nil
        }
        self.init(
            family: recognised.0, mode: recognised.1, advertisedAddress: advertisement.address, name: name,
            rssi: advertisement.rssi)
    }

    private static let frameService = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")

    /// `Frame` and the last octet of its address in hexadecimal.
    private static func isFrame(_ name: String) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 && words[0] == "Frame" && words[1].count == 2 && words[1].allSatisfy(\.isHexDigit)
    }
}
