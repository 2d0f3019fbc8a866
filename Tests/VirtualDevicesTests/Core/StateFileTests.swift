import Bluetooth
import Foundation
import Glibc
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// The files that a virtual unit keeps its state in: whatever became of them, the process stays small and its owner's.
@Suite struct StateFileTests {
    private let place: TemporaryFolder
    private let folder: UnitFolder

    init() throws {
        place = try TemporaryFolder()
        folder = try UnitFolder.monocle(root: place.url.appendingPathComponent("unit"), name: "default")
    }

    private func problem(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? any DiagnosableError)?.diagnosis.message.components(separatedBy: ": ").last
        }
    }

    private func readAll() throws {
        _ = try folder.identity()
        _ = try folder.loadBootloader()
        _ = try FPGAFlash(file: folder.flash)
    }

    /// 4 GiB that take no room on the disk.
    @Test(arguments: [("unit.json", 65536), ("bootloader.json", 16_777_216), ("fpga-flash.bin", 446_464)])
    func filesThatGrewAreRefusedUnread(name: String, limit: Int) {
        #expect(problem(readAll) == nil)
        #expect(truncate(place.path("unit/\(name)"), 4 << 30) == 0)
        #expect(problem(readAll) == "it is larger than \(limit) bytes")
    }

    @Test(arguments: ["unit.json", "bootloader.json", "fpga-flash.bin"]) func pipesAndLinksAreRefused(name: String) throws {
        let path = place.path("unit/\(name)")
        #expect(rename(path, place.path("elsewhere")) == 0 && symlink(place.path("elsewhere"), path) == 0)
        #expect(problem(readAll) == "it is a link")
        #expect(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
        #expect(problem(readAll) == "it is no regular file")
    }

    @Test func theLockAndTheDisplayAreNotWrittenThroughALink() throws {
        try place.write("victim", to: "victim")
        unlink(place.path("unit/unit.lock"))
        #expect(symlink(place.path("victim"), place.path("unit/unit.lock")) == 0)
        #expect(symlink(place.path("victim"), place.path("unit/display.json")) == 0)
        #expect(problem { _ = try folder.lock() } == "Too many levels of symbolic links")
        try UnitFolder.replace(folder.display, with: [1])
        #expect(try place.read("victim") == Array("victim".utf8) && place.read("unit/display.json") == [1])
    }

    @Test func nobodyElseReadsThem() throws {
        for name in try FileManager.default.subpathsOfDirectory(atPath: place.path("unit")) + [""] {
            var status = stat()
            #expect(lstat(place.path("unit/\(name)"), &status) == 0 && status.st_mode & 0o077 == 0, "\(name)")
        }
    }
}
