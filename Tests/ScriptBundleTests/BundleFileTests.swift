import Foundation
import Glibc
import Support
import TestSupport
import Testing

@testable import ScriptBundle

/// Bundles that are read from their file, where and when something is needed.
@Suite(.serialized) struct BundleFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("bundle.zip") }

    init() throws { folder = try TemporaryFolder() }

    private func write(sizes: [Int]) throws -> ScriptSet {
        var files = sizes.enumerated().map { number, size in
            ScriptSet.File(
                name: "f\(number).py", bytes: SeededNumbers.bytes(1024, seed: UInt64(number)) + Array(repeating: 0x61, count: size))
        }
        files.append(ScriptSet.File(name: "main.py", bytes: Array("print(1)\n".utf8)))
        let set = try ScriptSet(files: files, limits: .bundle)
        try Data(BundleRecipe(scripts: set, tool: "1").archive(place: "x", signedBy: nil)).write(to: URL(fileURLWithPath: path))
        return set
    }

    private func opened() throws -> ReleaseBundle {
        try ReleaseBundle(OpenedFile(path), place: "x")
    }

    @Test func itIsWhatItIsInMemory() throws {
        let set = try write(sizes: [0, 700_000])
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let (file, memory) = (try opened(), try ReleaseBundle(bytes: bytes, place: "x"))
        #expect(try file.scripts() == set && memory.scripts() == set)
        #expect(file.sha256 == memory.sha256 && file.manifest == memory.manifest && file.byteCount == bytes.count)
    }

    /// What was held against its digest at the opening is so again when it is used.
    @Test func whatChangesAfterwardsIsNotGivenAway() throws {
        _ = try write(sizes: [5000])
        let bundle = try opened()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let place = try #require(bytes.firstRange(of: Data("print(1)".utf8)))
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: UInt64(place.lowerBound))
        try handle.write(contentsOf: Data("print(2)".utf8))
        #expect(throws: BundleError.self) { try bundle.scripts() }
        bytes.removeAll()
        try handle.truncate(atOffset: 100)
        #expect(throws: BundleError.self) { try bundle.scripts() }
        try handle.close()
    }

    private static func memory(_ name: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(name + ":") })
        return try #require(Int(line.split(separator: " ").dropLast().last ?? "")) << 10
    }

    /// 60 MiB took 130 MB.
    @Test func aLargeOneIsNotHeldInMemory() throws {
        _ = try write(sizes: Array(repeating: 15 << 20, count: 4))
        // The kernel begins its peak anew.
        let reset = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
        try #require(reset >= 0 && Glibc.write(reset, "5", 1) == 1)
        close(reset)
        let before = try Self.memory("VmRSS")
        let bundle = try opened()
        #expect(bundle.byteCount > 60 << 20)
        #expect(try Self.memory("VmHWM") - before < 12 << 20)
    }
}
