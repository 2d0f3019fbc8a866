import DFU
import FPGA
import ScriptBundle

extension AssetSet {
    /// All that a catalogue has for a family, development images included: for a bench whose unit is virtual. The package may
    /// be signed with the vendor's key or with the one that the catalogue names.
    /// - Throws: ``CatalogueError``, ``DFUError``, errors of the image and of the scripts.
    public init(catalogue: AssetCatalogue, for family: Family) throws {
        self.init()
        let hardware = family.id.rawValue
        if let bootloader = family.bootloader {
            let firmware = try catalogue.firmware(for: hardware)
            let key = try firmware.key.map { [try TrustedKey(name: $0.name, pem: $0.bytes)] } ?? []
            self.firmware = try FirmwareAsset(
                package: try DFUPackage(bytes: firmware.file.bytes), version: firmware.version, target: bootloader.target,
                trusting: [bootloader.vendorKey] + key)
        }
        if family.components.contains(.fpga) {
            let fpga = try catalogue.fpga(for: hardware)
            self.fpga = BitstreamAsset(image: try FPGAImage(fpga.file.bytes), version: fpga.version)
        }
        if let language = family.provisioning?.scripts {
            let scripts = try catalogue.scripts(for: hardware)
            self.scripts = try ScriptSet(
                files: scripts.files.map { .init(name: $0.name, bytes: $0.bytes) }, family: language, order: .declared,
                place: scripts.folder)
        }
    }
}
