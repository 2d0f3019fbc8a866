import DFU
import FPGA
import ScriptBundle

extension MonocleAssets {
    /// All that a catalogue has for a Monocle, development images included: for a bench whose unit is virtual. The package may
    /// be signed with the vendor's key or with the one that the catalogue names.
    /// - Throws: ``CatalogueError``, ``DFUError``, errors of the image and of the scripts.
    public init(catalogue: AssetCatalogue) throws {
        let firmware = try catalogue.firmware(for: "monocle")
        let fpga = try catalogue.fpga(for: "monocle")
        let scripts = try catalogue.scripts(for: "monocle")
        let key = try firmware.key.map { [try TrustedKey(name: $0.name, pem: $0.bytes)] } ?? []
        self.init(
            firmware: try Firmware(
                package: try DFUPackage(bytes: firmware.file.bytes), version: firmware.version, trusting: [.monocleVendor] + key),
            fpga: Bitstream(image: try FPGAImage(fpga.file.bytes), version: fpga.version),
            scripts: try ScriptSet(
                files: scripts.files.map { .init(name: $0.name, bytes: $0.bytes) }, order: .declared, place: scripts.folder))
    }
}
