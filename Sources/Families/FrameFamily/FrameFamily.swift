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

    /// Since v24.220 with the first octet of its address as printed; before, only `Frame`, which other devices may use.
    private static func name(of address: DeviceAddress) -> String { "Frame \(address.description.prefix(2))" }
}
