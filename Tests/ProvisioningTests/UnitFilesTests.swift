import Bluetooth
import Foundation
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// An owner's files: exact bytes, in folders, on both families.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct UnitFilesTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case monocle, frame
        var testDescription: String { rawValue }
        var bench: Bench { Bench(self == .monocle ? .monocle : .frame) }
    }

    static func visit<Value: Sendable>(
        _ bench: Bench, notice: @escaping @Sendable (String) -> Void = { _ in },
        _ body: @escaping @Sendable (any UnitFiles) async throws -> Value
    ) async throws -> Value {
        try await bench.play { central, unit in
            try await UnitVisit(family: bench.kind.family, central: central, address: unit.address, notice: notice).run {
                try await body($0.files)
            }
        }
    }

    /// The unit's own files, by their path.
    static func held(_ bench: Bench) throws -> [String: [UInt8]] {
        let folder = bench.root.appendingPathComponent("files")
        var found: [String: [UInt8]] = [:]
        for case let file as URL in try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)) {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file.path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
            found[String(file.standardizedFileURL.path.dropFirst(folder.standardizedFileURL.path.count + 1))] =
                [UInt8](try Data(contentsOf: file))
        }
        return found
    }

    /// What lines, escapes and pieces may stumble over.
    private static let contents: [String: [UInt8]] = [
        "empty.txt": [], "all.bin": Array(0...255) + Array((0...255).reversed()), "ends.txt": Array("a\n\n".utf8),
        "lib/long.txt": Array(repeating: 0x61, count: 512) + [0x0A] + Array(repeating: 0x62, count: 1024) + [0x0A, 0x0A],
        "lib/deep/escapes.txt": Array(repeating: UInt8(ascii: "\\"), count: 300) + [0, 1, 3, 4, 0x1C, 0x0D, 0x0A],
        "lib/deep/noise.bin": SeededNumbers.bytes(5000, seed: 28),
    ]

    @Test(arguments: Kind.allCases) func whatIsWrittenIsReadBack(kind: Kind) async throws {
        let bench = kind.bench
        defer { bench.remove() }
        try await Self.visit(bench) { files in
            for (name, bytes) in Self.contents.sorted(by: { $0.key < $1.key }) {
                let path = try UnitPath(name)
                try await files.makeFolders(path.parent)
                #expect(try await !files.holds(bytes, at: path))
                try await files.write(bytes, to: path) { _ in }
                #expect(try await files.holds(bytes, at: path))
                #expect(try await !files.holds(bytes + [1], at: path))
            }
            let found = try await files.tree(.root)
            #expect(Set(found.filter { !$0.isFolder }.map { $0.path?.text }) == Set(Self.contents.keys))
            #expect(found.allSatisfy { !$0.isFolder || $0.byteCount == 0 }, "\(found)")
            for file in found where !file.isFolder {
                let path = try file.usablePath
                #expect(file.byteCount == Self.contents[path.text]?.count)
                var progress = [0]
                let bytes = try await files.read(path, byteCount: file.byteCount) { progress.append($0) }
                #expect(bytes == Self.contents[path.text], "\(path)")
                #expect(progress == progress.sorted() && progress.last == bytes.count, "\(path)")
            }
            let space = try await files.space()
            #expect(space.used >= 5000 && (space.total == nil) == (kind == .frame) && space.used < space.total ?? .max)
        }
        #expect(try Self.held(bench) == Self.contents)
    }

    @Test(arguments: Kind.allCases) func whatCannotBeDoneIsSaid(kind: Kind) async throws {
        let bench = kind.bench
        defer { bench.remove() }
        try await Self.visit(bench) { files in
            let (file, folder) = (try UnitPath("a.txt"), try UnitPath("lib"))
            try await files.write([1], to: file) { _ in }
            #expect(try await files.makeFolders(folder.appending("deep")!))
            #expect(try await !files.makeFolders(folder))
            await #expect(throws: UnitFileError.missing(":none")) { _ = try await files.list(try UnitPath("none")) }
            await #expect(throws: UnitFileError.isFile(":a.txt")) { try await files.makeFolders(file.appending("x")!) }
            await #expect(throws: UnitFileError.self) { try await files.remove(folder, isFolder: true) }
            await #expect(throws: UnitFileError.self) { _ = try await files.read(try UnitPath("none"), byteCount: 4) { _ in } }
            try await files.remove(folder.appending("deep")!, isFolder: true)
            try await files.remove(folder, isFolder: true)
            try await files.remove(file, isFolder: false)
            #expect(try await files.tree(.root).isEmpty)
            await #expect(throws: UnitFileError.self) {
                try await files.write(SeededNumbers.bytes(kind == .frame ? 65_537 : 700_000, seed: 1), to: file) { _ in }
            }
            #expect(try await files.find(file) == nil)
        }
    }

    @Test func namesAreBounded() throws {
        for name in ["../x", "a/../b", "a\u{7}", String(repeating: "x", count: 201), "1/2/3/4/5/6/7/8/9/10/11/12/13"] {
            #expect(throws: UnitFileError.self, "\(name)") { try UnitPath(name) }
        }
        #expect(try UnitPath("//lib/./a.py").text == "lib/a.py" && UnitPath("/").isRoot && UnitPath(".").isRoot)
        // One character to Swift, two to a file system.
        #expect(try UnitPath("a/\u{301}b").parts == ["a", "\u{301}b"])
    }

    /// Whatever ends a copy in between: each file is the old one or the new one, and the next run finishes.
    @Test(arguments: Kind.allCases, TestRange.of(Array(0..<100), quick: [0, 7, 21, 33]))
    func nothingIsTorn(kind: Kind, seed: Int) async throws {
        var bench = kind.bench
        defer { bench.remove() }
        let old = Dictionary(uniqueKeysWithValues: (0..<4).map { ("lib/f\($0).txt", SeededNumbers.bytes(300 + $0, seed: 1)) })
        let new = old.mapValues { SeededNumbers.bytes($0.count * 3, seed: UInt64(seed) + 2) }
        try await Self.visit(bench) { try await Self.put(old, $0) }
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<6 {
            bench.faults.cuts[Int.random(in: 20...220, using: &generator)] = Bool.random(using: &generator) ? .power : .link
        }
        for _ in 0..<2 {
            _ = try? await Self.visit(bench) { try await Self.put(new, $0) }
            for (name, bytes) in try Self.held(bench) where !name.hasSuffix(ScriptSet.copySuffix) {
                #expect(bytes == old[name] || bytes == new[name], "\(name)")
            }
            bench.faults = FaultPlan()
        }
        #expect(try Self.held(bench) == new)
    }

    private static func put(_ contents: [String: [UInt8]], _ files: any UnitFiles) async throws {
        for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
            let path = try UnitPath(name)
            guard try await !files.holds(bytes, at: path) else { continue }
            try await files.makeFolders(path.parent)
            try await files.write(bytes, to: path) { _ in }
        }
    }
}
