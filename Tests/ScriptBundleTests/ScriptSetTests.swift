import Cryptography
import Foundation
import FrameFamily
import MonocleFamily
import REPL
import Support
import TestSupport
import Testing

@testable import ScriptBundle

@Suite struct ScriptSetTests {
    private func file(_ name: String, _ text: String = "") -> ScriptSet.File {
        ScriptSet.File(name: name, bytes: Array(text.utf8))
    }

    @Test func orderIsTheAppsThenNamesThenMain() throws {
        let names = ["zebra.py", "main.py", "photo.py", "a.py", "states.py", "audio.py", "graphics.py"]
        #expect(try ScriptSet(files: names.map { file($0) }).files.map(\.name) == [
            "states.py", "graphics.py", "audio.py", "photo.py", "a.py", "zebra.py", "main.py",
        ])
    }

    /// The digest is that of `sha256sum` over `states.pya\\n\\nmain.pyprint(1)\\n`, where each `\\n` is two characters.
    @Test func versionIsTheApps() throws {
        let set = try ScriptSet(files: [file("main.py", "print(1)\n"), file("states.py", "a\n\n")])
        #expect(set.version == "SHA256 digest: 553a49e7405ab28e009eb1e273c83a465d2fe6fd7ecc580392a7764f666fff5e")
        let main = try #require(set.installed.last)
        #expect(String(decoding: main.bytes, as: UTF8.self) == "ARGPT_VERSION=\"\(set.version)\"\nprint(1)\n")
        #expect(set.installed.first?.bytes == Array("a\n\n".utf8))
    }

    /// `sha256sum states.py main.py | sha256sum`
    @Test func thePlainVersionIsWhatShellToolsPrint() throws {
        let set = try ScriptSet(files: [file("main.py", "print(1)\n"), file("states.py", "a\n\n")], scheme: .sha256)
        #expect(set.version == "ff51cc84800ff07939374616bc657e04e8a152bcc4e50657a0ac631993a1271b")
        #expect(set.installed.last?.bytes.starts(with: Array("ARGPT_VERSION=\"\(set.version)\"\n".utf8)) == true)
    }

    @Test func aFrameHasLuaScripts() throws {
        let set = try ScriptSet(files: ["main.lua", "state.lua", "graphics.lua"].map { file($0) }, family: .frame)
        #expect(set.files.map(\.name) == ["graphics.lua", "state.lua", "main.lua"])
        #expect(throws: ScriptError.nameUnsafe("a.py", suffix: ".lua")) {
            try ScriptSet(files: [file("main.lua"), file("a.py")], family: .frame)
        }
    }

    @Test func aDeclaredOrderStays() throws {
        let set = try ScriptSet(files: ["z.py", "states.py", "main.py"].map { file($0) }, order: .declared)
        #expect(set.files.map(\.name) == ["z.py", "states.py", "main.py"])
        #expect(set.version != (try ScriptSet(files: set.files).version))
        #expect(throws: ScriptError.mainNotLast("main.py", place: "here")) {
            try ScriptSet(files: [file("main.py"), file("a.py")], order: .declared, place: "here")
        }
    }

    @Test func whatFlashWouldRefuseIsSaidBefore() throws {
        let long = ScriptSet.File(name: "long.py", bytes: [UInt8](repeating: 0, count: ScriptLimits.unit.fileByteCount + 1))
        let many = try ScriptSet(files: [file("main.py", "ARGPT_VERSION='x'"), long] + (0..<63).map { file("\($0).py") }, limits: .bundle)
        #expect(many.warnings.count == 3)
    }

    @Test func anyBytesAreKeptAndHaveAVersion() throws {
        let bytes = Array(UInt8.min...UInt8.max)
        let set = try ScriptSet(files: [file("main.py"), ScriptSet.File(name: "x.py", bytes: bytes)])
        #expect(set.installed.first?.bytes == bytes)
        let marked = try ScriptSet(files: [ScriptSet.File(name: "main.py", bytes: [0xEF, 0xBB, 0xBF, 0x0A])])
        #expect(marked.warnings.count == 1 && set.warnings.isEmpty)
        #expect(marked.installed[0].bytes.suffix(4) == [0xEF, 0xBB, 0xBF, 0x0A])
    }

    @Test(arguments: [
        "../x.py", "a b.py", ".py", "x.txt", "ä.py", "a/b.py", ".hidden.py", String(repeating: "a", count: 54) + ".py", "x.py\n", "a..b.py"
    ])
    func unsafeNamesAreRefused(name: String) {
        #expect(throws: ScriptError.nameUnsafe(name, suffix: ".py")) { try ScriptSet(files: [file("main.py"), file(name)]) }
    }

    @Test func badSetsAreRefused() {
        #expect(throws: ScriptError.mainMissing("main.py", place: "here")) { try ScriptSet(files: [file("a.py")], place: "here") }
        #expect(throws: ScriptError.duplicateName("main.py")) { try ScriptSet(files: [file("main.py"), file("main.py")]) }
        #expect(throws: ScriptError.tooManyFiles(65, limit: 64)) { try ScriptSet(files: (0..<65).map { file("\($0).py") }) }
        let long = ScriptSet.File(name: "main.py", bytes: [UInt8](repeating: 0, count: 1024 * 1024 + 1))
        #expect(throws: ScriptError.fileTooLong("main.py", byteCount: 1024 * 1024 + 1, limit: 1024 * 1024)) { try ScriptSet(files: [long]) }
    }

    /// By their sizes alone, before anything is unpacked: sixteen of the longest scripts.
    @Test(arguments: [0, 1]) func allScriptsOfABundleAreBoundedTogether(more: Int) throws {
        let others: [(name: String, byteCount: Int)] = (0..<15).map { (name: "m\($0).lua", byteCount: 16 << 20) }
        let files = others + [(name: "n.lua", byteCount: more), (name: "main.lua", byteCount: 16 << 20)]
        if more == 0 {
            try ScriptSet.check(files, .frame, .bundle, place: "here")
        } else {
            #expect(throws: ScriptError.setTooLong(byteCount: (256 << 20) + 1, limit: 256 << 20)) {
                try ScriptSet.check(files, .frame, .bundle, place: "here")
            }
        }
    }

    /// The set's round trips, those of each file and of each piece that it begins, and the unit's time for each byte. Where a link has no
    /// room for a byte, one goes in each piece all the same.
    @Test(arguments: [(10.0, 16.75), (0.0, 43.75)]) func aSetTakesAsLongAsItsParts(pieceByteCount: Double, seconds: Double) {
        let pace = ScriptPace(
            roundTrip: 0.5, pieceTrips: 2, pieceByteCount: pieceByteCount, fileTrips: 3, setTrips: 4, byteSeconds: 0.25)
        let files = [11, 20].map { ScriptSet.File(name: "\($0).py", bytes: [UInt8](repeating: 10, count: $0)) }
        #expect(pace.seconds(for: files) == seconds)
        #expect(pace.seconds(for: []) == 0)
    }

    @Test func folders() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-\(UUID().uuidString)")
        let path = folder.path(percentEncoded: false)
        #expect {
            try ScriptSet.load(folder: path)
        } throws: { ($0 as? ScriptError)?.diagnosis.category == .missingInput }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        #expect(throws: ScriptError.mainMissing("main.py", place: path)) { try ScriptSet.load(folder: path) }
        for name in ["main.py", "photo.py", "manifest.json", ".hidden.py"] {
            try Data("x".utf8).write(to: folder.appendingPathComponent(name))
        }
        #expect(try ScriptSet.load(folder: path).files.map(\.name) == ["photo.py", "main.py"])
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("dir.py"), withIntermediateDirectories: false)
        #expect {
            try ScriptSet.load(folder: path)
        } throws: { ($0 as? ScriptError)?.diagnosis.code == "SCR-0002" }
    }

    /// Who looks for mistakes reads no more than a release may have, and says which scripts are left out.
    @Test func looseScriptsAreBoundedTogether() throws {
        let folder = try TemporaryFolder()
        for name in ["a.py", "b.py", "main.py"] { try folder.write("1234", to: name) }
        let found = try ScriptFolder(folder.path)
            .looseScripts(of: .monocle, limits: ScriptLimits(fileCount: 3, fileByteCount: 4, totalByteCount: 8))
        #expect(found.files.map(\.name) == ["a.py", "b.py"])
        #expect(found.unreadable.map(\.name) == ["main.py"])
        #expect(found.unreadable.map(\.error) == [.setTooLong(byteCount: 12, limit: 8)])
    }

    /// A unit may say anything.
    @Test(arguments: [0, 3, 4, 99_999, -1]) func aPositionOutsideTheFileHasNoPieces(offset: Int) throws {
        let pieces = try ScriptSet.File(name: "a.py", bytes: [1, 2, 3]).commands(from: offset)
        #expect(pieces.isEmpty == (offset != 0))
    }

    @Test func chunksMakeUpTheFile() throws {
        var generator = SeededNumbers(seed: 61)
        for count in [0, 1, 400, 461, 5000] {
            let bytes = generator.bytes(count: count)
            var position = 0
            for chunk in try ScriptSet.File(name: "a.py", bytes: bytes).commands(from: 0) {
                #expect(chunk.range.lowerBound == position)
                #expect(chunk.code.bytes.count <= PythonCode.maximumPipelinedByteCount)
                position = chunk.range.upperBound
            }
            #expect(position == count)
        }
    }
}
