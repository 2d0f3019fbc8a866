import Foundation

extension UnitFolder {
    /// Opens a Frame's folder, or makes a factory-new unit there: old firmware, no bond, no scripts.
    /// - Parameter firmware: what a new unit leaves the factory with.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that is not made yet.
    public static func frame(root: URL, name: String, firmware: FrameFirmware = .v24_248) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: FrameModel.family) { folder in
            try folder.save(
                BootloaderStorage(application: firmware.image(), applicationStart: UInt32(FrameMemory.applicationStart)))
        }
    }
}
