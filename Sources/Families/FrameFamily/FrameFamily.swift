import Bluetooth
import DFU
import Provisioning
import REPL
import ScriptBundle

extension FamilyID {
    public static let frame = FamilyID("frame")
}

extension Family {
    /// Brilliant Labs' Frame: nRF52840 with Lua; its firmware includes the FPGA's.
    public static let frame = Family(
        id: .frame, recognise: Frame.recognise,
        provisioning: ProvisioningRules(
            components: [.firmware, .scripts],
            bootloader: BootloaderRules(names: [Frame.bootloaderName], target: .frame, vendorKey: .frameVendor),
            scripts: .frame, security: .bonded, refuse: Halo.refuse, bondProof: Frame.bondProof,
            open: { try await FrameConsole.open($0, $1, $2) },
            restartWithoutProgram: FrameConsole.restartWithoutProgram, firmwareErasesFiles: true))
}

extension DFUTarget {
    /// nRF52840, S140 7.3.0: from the SoftDevice's end to the bootloader (frame-codebase, `source/memory_layout.ld`).
    public static let frame = DFUTarget(
        name: "Frame", hardwareVersion: 52, softDeviceID: 0x0123, softDeviceName: "S140 7.3.0", imageCapacity: 0xF5000 - 0x27000)
}

extension TrustedKey {
    /// From the released bootloader v23.352.1005. Its private half is published too.
    public static let frameVendor = TrustedKey(
        name: "Brilliant Labs Frame",
        checked: [
            0x0A, 0x1A, 0xDB, 0x6D, 0x3A, 0x87, 0x73, 0x22, 0xFB, 0x2A, 0xA3, 0x53, 0x06, 0xF1, 0xFD, 0x3E,
            0xAB, 0x51, 0x61, 0x37, 0x43, 0xF6, 0xA8, 0xFF, 0x23, 0x0C, 0x31, 0xF4, 0xD9, 0xF9, 0x57, 0x21,
            0x43, 0xAA, 0xED, 0xA3, 0x17, 0xB9, 0x78, 0x87, 0xD7, 0x6D, 0xB9, 0x16, 0xAE, 0x2C, 0xC4, 0x21,
            0xF5, 0x0F, 0x0D, 0xFC, 0xDC, 0xE9, 0x2C, 0xEC, 0x4A, 0x1C, 0x75, 0xFD, 0x30, 0x95, 0x9C, 0xA6,
        ])
}

extension ScriptFamily {
    /// Lua 5.4; the phone app defines no order for them.
    public static let frame = ScriptFamily(name: FamilyID.frame.rawValue, suffix: ".lua", syntax: .luac)
}

private enum Frame {
    static let bootloaderName = "Frame Update"
    /// A Lua chunk without a statement. A unit that was just paired writes its flash and draws from an interrupt
    /// (`bluetooth.c`).
    static let bondProof = BondProof(characteristic: LuaService.receive, value: Array(" ".utf8), settling: .seconds(1))

    /// Names from the vendor's firmware (frame-codebase, `bluetooth.c`).
    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        let name = advertisement.name ?? ""
        if name == bootloaderName { return .bootloader }
        return advertisement.services.contains(LuaService.service) || name == self.name(of: advertisement.address) ? .application : nil
    }

    /// Since v24.220 with the first octet of its printed address; before, only `Frame`, which other devices may use.
    private static func name(of address: DeviceAddress) -> String { "Frame \(address.description.prefix(2))" }
}
