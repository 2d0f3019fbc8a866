import DFU
import FPGA
import MonocleFamily
import Provisioning
import ScriptBundle

/// Everything that a catalogue has for a Monocle, development images included.
enum MonocleAssets {
    static func all(in catalogue: AssetCatalogue) throws -> AssetSet {
        let (hardware, keys) = (FamilyID.monocle.rawValue, [TrustedKey.monocleVendor])
        let (firmware, fpga, scripts) = try (
            catalogue.firmware(for: hardware), catalogue.content(of: .fpga, for: hardware), catalogue.content(of: .scripts, for: hardware)
        )
        return AssetSet(
            try FirmwareAsset(
                package: try DFUPackage(bytes: firmware.files[0].bytes), version: firmware.version, target: .monocle,
                trusting: try keys + (firmware.key.map { [try TrustedKey(name: $0.name, pem: $0.bytes)] } ?? [])),
            BitstreamAsset(image: try FPGAImage(fpga.files[0].bytes), version: fpga.version),
            try ScriptSet(
                files: scripts.files.map { .init(name: $0.name, bytes: $0.bytes) }, family: .monocle, order: .declared,
                place: scripts.folder))
    }
}
