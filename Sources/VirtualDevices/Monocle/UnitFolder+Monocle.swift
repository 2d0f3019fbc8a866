import Foundation

extension UnitFolder {
    /// The content of the FPGA's flash.
    var flash: URL { root.appendingPathComponent("fpga-flash.bin") }

    /// Opens a Monocle's folder, or makes a factory-new unit there: old firmware, an old FPGA image, no scripts.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that is not made yet.
    public static func monocle(root: URL, name: String) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: MonocleModel.family) { folder in
            try replace(folder.flash, with: FactoryImages.fpga() + FPGAFlash.marker)
            try folder.save(BootloaderStorage(application: FactoryImages.application()))
        }
    }
}
