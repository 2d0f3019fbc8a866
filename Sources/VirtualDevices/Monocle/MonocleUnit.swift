import Bluetooth
import Foundation
import Support

extension VirtualUnit {
    /// A Monocle: real MicroPython with a modelled link, bootloader and flash.
    /// - Parameter folder: ``UnitFolder/monocle(root:name:)``.
    public static func monocle(folder: UnitFolder, configuration: UnitConfiguration, air: VirtualAir) throws -> VirtualUnit {
        let design = UnitDesign(
            family: MonocleModel.family, configuration: configuration, bootloader: .monocle(trusting: configuration.trustedKeys),
            makeModel: { try MonocleModel(folder: $0, configuration: configuration) })
        return try VirtualUnit(folder: folder, design: design, air: air)
    }

    /// A command that prints which interpreter a Monocle would run.
    public static func monocleVersionCommand(python: String) -> [String] {
        (try? MonocleInterpreter.scripts()).map { MonocleInterpreter.program(python: python, scripts: $0) + ["--version"] } ?? []
    }
}

extension UnitFolder {
    /// The content of the FPGA's flash.
    var flash: URL { root.appendingPathComponent("fpga-flash.bin") }

    /// Opens a Monocle's folder, or creates a factory-new unit there: old firmware, an old FPGA image, no scripts.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that does not exist yet.
    public static func monocle(root: URL, name: String) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: MonocleModel.family) { folder in
            try replace(folder.flash, with: FactoryImages.fpga() + FPGAFlash.marker)
            try folder.save(BootloaderStorage(application: FactoryImages.application()))
        }
    }
}

/// A virtual Monocle's factory content: the project's own images, of realistic size.
enum FactoryImages {
    static let firmwareVersion = "v23.100.0927"
    static let fpgaVersion = "v23.094.1109"
    /// The image inside the FPGA itself, which runs when the flash holds no committed one.
    static let builtInFPGAVersion = "v22.351.1434"

    /// An application image of 200,004 bytes with its version as plain text.
    static func application() -> [UInt8] {
        ApplicationImage.make(version: firmwareVersion, count: 200_004, seed: 0x4D_4F_4E)
    }

    /// A flash content of 444,430 bytes, half of it zeros.
    static func fpga() -> [UInt8] {
        var image = [UInt8](repeating: 0, count: FPGAFlash.markerAddress)
        let noise = ApplicationImage.noise(count: image.count / 2, seed: 0x46_50_47)
        for block in stride(from: 0, to: noise.count - 512, by: 512) {
            image.replaceSubrange(block * 2..<block * 2 + 512, with: noise[block..<block + 512])
        }
        return image
    }
}

/// The attributes of a Monocle's application (monocle-micropython `main.c`).
enum MonocleAttributes {
    static let replService = AttributeID("6e400001-b5a3-f393-e0a9-e50e24dcca9e")
    static let replReceive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    static let replTransmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")
    static let dataService = AttributeID("e5700001-7bac-429a-b4ce-57ff900f479d")
    static let dataReceive = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    static let dataTransmit = AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d")

    static let table = GATTTable(services: [
        GATTService(
            id: replService,
            characteristics: [
                GATTCharacteristic(id: replReceive, properties: [.write, .command]),
                GATTCharacteristic(id: replTransmit, properties: [.notify]),
            ]),
        GATTService(
            id: dataService,
            characteristics: [
                GATTCharacteristic(id: dataReceive, properties: [.write, .command]),
                GATTCharacteristic(id: dataTransmit, properties: [.notify]),
            ]),
    ])
}

extension PeripheralProfile {
    /// main.c: hvn_tx_queue_size 2; an event of 300 × 1.25 ms takes the whole interval.
    static func monocle(address: DeviceAddress, largestMTU: Int, pace: LinkPace?) -> PeripheralProfile {
        PeripheralProfile(
            address: address, name: "monocle", advertisedServices: [MonocleAttributes.replService], table: MonocleAttributes.table,
            pace: pace ?? LinkPace(eventLength: .microseconds(15_000), supervisionTimeout: .seconds(2)),
            largestMTU: min(largestMTU, MonocleModel.largestMTU), notificationQueue: 2)
    }
}

extension VendorKeys {
    /// The private half is published too, so it proves integrity, not origin (monocle-micropython,
    /// `bootloader/dfu_public_key.c`, there with both halves reversed).
    static let monocle = HexText.decode(
        "89fd8738d1c1ae0867750ad1bff26a3c262faa633e0dd7259c7b5c4d223d7ced"
            + "0f0dca0ef5afcceeeb4cc7f8df43a33695954c00fba670c899b12d1d50a81da4") ?? []
}

extension BootloaderProfile {
    /// nRF52832 with S132 7.3.0 (monocle-micropython, `bootloader/sdk_config.h`).
    static func monocle(trusting keys: [[UInt8]]) -> BootloaderProfile {
        BootloaderProfile(configuration: BootloaderConfiguration(trustedKeys: [VendorKeys.monocle] + keys), name: "DfuTarg")
    }
}
