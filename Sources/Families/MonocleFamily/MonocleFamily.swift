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

extension DFUTarget {
    /// nRF52832, S132 7.3.0: from the SoftDevice's end at 0x26000 to 0x75000, 12 KiB before the bootloader, where the application keeps
    /// its data (monocle-micropython, `bootloader/sdk_config.h`, `NRF_DFU_APP_DATA_AREA_SIZE`).
    public static let monocle = DFUTarget(
        name: "Monocle", hardwareVersion: 52, softDeviceID: 0x0124, softDeviceName: "S132 7.3.0", imageCapacity: 0x75000 - 0x26000)
}

extension TrustedKey {
    /// Its private half is published, so it proves integrity, not origin.
    public static let monocleVendor = TrustedKey(
        name: "Brilliant Labs Monocle",
        checked: [
            0xED, 0x7C, 0x3D, 0x22, 0x4D, 0x5C, 0x7B, 0x9C, 0x25, 0xD7, 0x0D, 0x3E, 0x63, 0xAA, 0x2F, 0x26,
            0x3C, 0x6A, 0xF2, 0xBF, 0xD1, 0x0A, 0x75, 0x67, 0x08, 0xAE, 0xC1, 0xD1, 0x38, 0x87, 0xFD, 0x89,
            0xA4, 0x1D, 0xA8, 0x50, 0x1D, 0x2D, 0xB1, 0x99, 0xC8, 0x70, 0xA6, 0xFB, 0x00, 0x4C, 0x95, 0x95,
            0x36, 0xA3, 0x43, 0xDF, 0xF8, 0xC7, 0x4C, 0xEB, 0xEE, 0xCC, 0xAF, 0xF5, 0x0E, 0xCA, 0x0D, 0x0F,
        ])
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

    /// Names from the vendor's firmware (monocle-micropython). Only the app's own service is proof by itself: the REPL has the UUID of
    /// Nordic's UART example, and every Nordic bootloader offers 0xFE59.
    @Sendable static func recognise(_ advertisement: Advertisement) -> UnitMode? {
        switch advertisement.name {
        case name: .application
        case bootloaderName: .bootloader
        default: advertisement.services.contains(AppService.service) ? .application : nil
        }
    }
}

extension ScriptInstaller: ScriptStore {}
