import Bluetooth
import DFU
import Provisioning
import REPL
import ScriptBundle
import Support

extension FamilyID {
    public static let monocle = FamilyID("monocle")
}

extension Family {
    /// Brilliant Labs' Monocle: nRF52832 with MicroPython, and an FPGA between camera and display.
    public static let monocle = Family(
        id: .monocle, recognise: Monocle.recognise,
        provisioning: ProvisioningRules(
            components: [.firmware, .fpga, .scripts],
            bootloader: BootloaderRules(names: [Monocle.bootloaderName], target: .monocle, vendorKey: .monocleVendor),
            scripts: .monocle,
            open: { try await MonocleConsole.open($0, $1, $2) }, restartWithoutProgram: MonocleConsole.restartWithoutProgram,
            tidyUp: BitstreamUpdater.restartStoppedFPGA))
}

extension ScriptFamily {
    /// MicroPython, in the phone app's order (noa-for-ios, `Controller.swift`).
    public static let monocle = ScriptFamily(
        name: FamilyID.monocle.rawValue, suffix: ".py", appOrder: ["states.py", "graphics.py", "audio.py", "photo.py"],
        syntax: .mpyCross)
}

/// The service between a unit's program and its app (monocle-micropython, `bluetooth.c`).
package enum AppService {
    static let service = AttributeID("e5700001-7bac-429a-b4ce-57ff900f479d")
    /// App to unit.
    static let receive = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    /// Unit to app.
    package static let transmit = AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d")
}

private enum Monocle {
    /// The default name of any Nordic bootloader.
    static let bootloaderName = "DfuTarg"
    private static let name = "monocle"

    /// Names from the vendor's firmware (monocle-micropython). Only the app's own service is proof by itself: the REPL has the
    /// UUID of Nordic's UART example, and every Nordic bootloader offers 0xFE59.
    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        switch advertisement.name {
        case name: .application
        case bootloaderName: .bootloader
        default: advertisement.services.contains(AppService.service) ? .application : nil
        }
    }
}

extension ScriptInstaller: ScriptStore {}
