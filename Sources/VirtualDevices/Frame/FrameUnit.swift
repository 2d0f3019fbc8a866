import Bluetooth
import Foundation
import Support

extension VirtualUnit {
    /// A Frame: real Lua with a modelled link, bootloader and flash.
    /// - Parameter folder: ``UnitFolder/frame(root:name:firmware:)``.
    public static func frame(folder: UnitFolder, configuration: UnitConfiguration, air: VirtualAir) throws -> VirtualUnit {
        let design = UnitDesign(
            family: FrameModel.family, configuration: configuration, bootloader: .frame(trusting: configuration.trustedKeys),
            makeModel: { FrameModel(folder: $0, configuration: configuration) })
        return try VirtualUnit(folder: folder, design: design, air: air)
    }

    /// A command that prints which interpreter a Frame would run.
    public static func frameVersionCommand(python: String) -> [String] { [FrameInterpreter.program(python: python), "--version"] }
}

extension UnitFolder {
    /// Opens a Frame's folder, or creates a factory-new unit there: old firmware, no bond, no scripts.
    /// - Parameter firmware: the factory firmware of a new unit.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that does not exist yet.
    public static func frame(root: URL, name: String, firmware: FrameFirmware = .v24_248) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: FrameModel.family) {
            try $0.save(BootloaderStorage(application: firmware.image(), applicationStart: UInt32(FrameMemory.applicationStart)))
        }
    }
}

/// The attributes of a Frame's application (frame-codebase, `bluetooth.c`).
enum FrameAttributes {
    static let service = AttributeID("7a230001-5475-a6a4-654c-8431f6ad49c4")
    static let receive = AttributeID("7a230002-5475-a6a4-654c-8431f6ad49c4")
    static let transmit = AttributeID("7a230003-5475-a6a4-654c-8431f6ad49c4")
    /// Anybody may subscribe; writes require an encrypted link.
    static let table = GATTTable(services: [
        GATTService(
            id: service,
            characteristics: [
                GATTCharacteristic(id: receive, properties: [.write, .command], needsEncryption: true),
                GATTCharacteristic(id: transmit, properties: [.notify]),
            ])
    ])
}

extension PeripheralProfile {
    /// An event takes the whole interval, and the radio keeps one notification (bluetooth.c, `hvn_tx_queue_size`). When that
    /// place is free again within an event is a guess.
    static func frame(address: DeviceAddress, firmware: FrameFirmware, largestMTU: Int) -> PeripheralProfile {
        PeripheralProfile(
            address: address, name: name(of: address, firmware), advertisedServices: [FrameAttributes.service],
            table: FrameAttributes.table,
            pace: LinkPace(eventLength: .microseconds(15_000), supervisionTimeout: .seconds(2)),
            largestMTU: min(largestMTU, firmware.largestMTU), notificationQueue: 1, requestsSecurity: true)
    }

    private static func name(of address: DeviceAddress, _ firmware: FrameFirmware) -> String {
        firmware.has(.numberedName) ? "Frame \(address.description.prefix(2))" : "Frame"
    }
}

extension VendorKeys {
    /// For the released packages (frame-codebase, `bootloader/dfu_public_key.c`, there with both halves reversed).
    static let frame = HexText.decode(
        "2157f9d9f4310c23ffa8f643376151ab3efdf10653a32afb2273873a6ddb1a0a"
            + "a69c9530fd751c4aec2ce9dcfc0d0ff521c42cae16b96dd78778b917a3edaa43") ?? []
}

extension BootloaderProfile {
    /// nRF52840 with S140 7.3.0 (frame-codebase, `bootloader/sdk_config.h`): an image may cover file system and bond.
    static func frame(trusting keys: [[UInt8]]) -> BootloaderProfile {
        var configuration = BootloaderConfiguration(
            trustedKeys: [VendorKeys.frame] + keys, applicationCapacity: FrameMemory.bootloaderStart - FrameMemory.applicationStart)
        configuration.softDeviceID = 0x0123
        configuration.applicationStart = UInt32(FrameMemory.applicationStart)
        configuration.bootloaderCapacity = 36 << 10
        return BootloaderProfile(configuration: configuration, name: "Frame Update")
    }
}
