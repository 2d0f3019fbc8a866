import Foundation

/// Where things lie in a Frame's internal flash (frame-codebase, `memory_layout.ld`, `section_layout.ld`).
enum FrameMemory {
    static let pageSize = 4096
    static let applicationStart = 0x27000
    /// The page of the bond, behind the file system.
    static let bondPage = 0xF4000
    static let bootloaderStart = 0xF5000

    /// The first page of the file system: the one after the application.
    static func fileSystemStart(imageSize: Int) -> Int {
        (applicationStart + imageSize + pageSize - 1) / pageSize * pageSize
    }

    /// Blocks of the file system: the pages up to the bond, less one. Negative where the image covers them all.
    static func blockCount(imageSize: Int) -> Int { (bondPage - fileSystemStart(imageSize: imageSize)) / pageSize - 1 }
}

extension UnitFolder {
    /// What the bootloader wrote behind the application lies in the pages of the file system, which is lost, or in that of the bond,
    /// which then is whatever stands there.
    func settleFlash(imageSize: Int) throws {
        var storage = try loadBootloader()
        let end = FrameMemory.fileSystemStart(imageSize: imageSize) - FrameMemory.applicationStart
        guard storage.flash.count > end, storage.flash[end...].contains(where: { $0 != 0xFF }) else { return }
        let bond = FrameMemory.bondPage - FrameMemory.applicationStart
        if storage.flash.count > bond {
            let key = storage.image(at: bond, count: FrameBond.keyLength)
            if key.contains(where: { $0 != 0xFF }) { try save(FrameBond(key: key)) }
        }
        try saveBlockCount(nil)
        storage.flash.removeLast(storage.flash.count - end)
        try save(storage)
    }
}
