import Bluetooth
import DFU
import Provisioning

extension FamilyID {
    public static let frame = FamilyID("frame")
}

extension Family {
    /// Brilliant Labs' Frame: nRF52840 with Lua. Its units are found and rescued; its Lua prompt takes a bond and is not asked.
    public static let frame = Family(
        id: .frame, components: [.firmware, .scripts], recognise: Frame.recognise,
        bootloader: BootloaderRules(names: [Frame.bootloaderName], target: .frame, vendorKey: .frameVendor),
        scripts: .frame)
}

private enum Frame {
    static let bootloaderName = "Frame Update"
    private static let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")

    /// The names are those of the vendor's firmware (frame-codebase).
    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        let name = advertisement.name ?? ""
        if name == bootloaderName { return .bootloader }
        return advertisement.services.contains(service) || isFrame(name) ? .application : nil
    }

    /// `Frame` and the last octet of its address in hexadecimal.
    private static func isFrame(_ name: String) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return words.count == 2 && words[0] == "Frame" && words[1].count == 2 && words[1].allSatisfy(\.isHexDigit)
    }
}
