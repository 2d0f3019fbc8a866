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
