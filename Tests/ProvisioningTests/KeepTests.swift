import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// Nothing of an owner's goes before it is kept.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct KeepTests {
    /// What was kept, call by call.
    private final class Shelf: Sendable {
        let kept = Mutex<[[KeptFile]]>([])
        let owed = Mutex<[[KeptFile]]>([])
        let isFull: Bool

        init(isFull: Bool = false) { self.isFull = isFull }

        var keeping: FileKeeping {
            FileKeeping(folder: { _ in "SHELF" }, keep: { [self] files, _, _, isOwed in
                if isFull { throw UnitFileError.tooMany("SHELF", limit: 0) }
                kept.withLock { $0.append(files) }
                if isOwed { owed.withLock { $0.append(files) } }
                return "SHELF/1"
            }, owed: { [self] _ in owed.withLock { $0.last ?? [] } }, settle: { [self] _ in owed.withLock { $0 = [] } })
        }

        var owes: Bool { owed.withLock { !$0.isEmpty } }

        var files: [String: [UInt8]] {
            Dictionary(kept.withLock { $0.flatMap(\.self) }.map { ($0.path.text, $0.bytes) }, uniquingKeysWith: { $1 })
        }
    }

    private static func options(_ shelf: Shelf) -> JobOptions {
        var options = JobOptions()
        options.keeping = shelf.keeping
        return options
    }

    private static func leave(_ text: String, as name: String, _ bench: Bench) throws {
        let file = bench.root.appendingPathComponent("files/\(name)")
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    private static let lua = "-- mine\nwhile true do frame.sleep(0.1) end"
    private static let python = "# mine\nimport time\nwhile True:\n    time.sleep(1)\n"

    /// Another firmware formats a Frame's file system; without scripts all goes, with them what is not theirs.
    @Test(arguments: [true, false]) func whatAFrameLosesIsKept(withScripts: Bool) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        let own = ["main.lua": Self.lua, "mine.lua": "x = 1", "lib/deep/d.lua": "return {}"]
        for (name, text) in own { try Self.leave(text, as: name, bench) }
        let (shelf, journal) = (Shelf(), Journal())
        let assets = try FrameSamples.assets()
        let report = try await bench.flash(
            withScripts ? assets : AssetSet(assets[.firmware]), options: Self.options(shelf)) { journal.add($0) }
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(shelf.files.filter { own[$0.key] != nil } == own.mapValues { Array($0.utf8) })
        #expect((shelf.files["odd.lua"] != nil) == !withScripts, "\(shelf.files.keys.sorted())")
        #expect(try UnitFilesTests.held(bench)["mine.lua"] == nil)
        #expect(journal.text.contains { $0.contains("kept in SHELF/1") })
        #expect(report.plan?.erases.contains("mine.lua") == true)
    }

    /// What was taken is back before the unit is verified.
    @Test func anUpdatePutsBack() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        _ = try await bench.verify(AssetSet(try FrameSamples.telling()))
        let own = ["main.lua": Self.lua, "lib/deep/d.lua": "return {}"]
        for (name, text) in own { try Self.leave(text, as: name, bench) }
        var options = Self.options(Shelf())
        options.putsBack = true
        let journal = Journal()
        let report = try await bench.flash(AssetSet(try FrameSamples.assets()[.firmware]), options: options) { journal.add($0) }
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(try UnitFilesTests.held(bench) == own.mapValues { Array($0.utf8) })
        #expect(journal.text.contains { $0.contains("2 files are back on the unit") }, "\(journal.text)")
    }

    /// A run that is cut short owes the unit its files: the next update brings them, and any other run says so.
    @Test(arguments: TestRange.of(Array(0..<100), quick: [4, 11, 23, 31, 47]))
    func anUpdateThatWasCutShortPutsBack(seed: Int) async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        _ = try await bench.verify(AssetSet(try FrameSamples.telling()))
        let own = ["main.lua": Self.lua, "lib/deep/d.lua": "return {}", "mine.txt": String(repeating: "x\n", count: 300)]
        for (name, text) in own { try Self.leave(text, as: name, bench) }
        let bytes = own.mapValues { Array($0.utf8) }
        var generator = SeededGenerator(seed: UInt64(seed))
        let (shelf, journal) = (Shelf(), Journal())
        var options = Self.options(shelf)
        options.putsBack = true
        let firmware = AssetSet(try FrameSamples.assets()[.firmware])
        for _ in 0..<3 {
            // What the next process knows is on the unit and on the shelf.
            try await bench.flashCancelled(firmware, options: options, atEvent: Int.random(in: 3...90, using: &generator)) { _ in true }
            let held = try UnitFilesTests.held(bench)
            for (name, text) in bytes { #expect(held[name] == text || shelf.files[name] == text, "\(name)") }
        }
        let isOwed = shelf.owes
        _ = try await bench.flash(firmware, options: Self.options(shelf)) { journal.add($0) }
        #expect(journal.text.contains { $0.contains("since an update was cut short: noafw update") } == isOwed, "\(journal.text)")
        let report = try await bench.flash(firmware, options: options) { journal.add($0) }
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(try UnitFilesTests.held(bench) == bytes, "\(journal.text)")
        #expect(!shelf.owes)
    }

    /// What an owner has put in the place of a file that is owed stays.
    @Test func aFileThatIsAnotherNowStays() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        let firmware = AssetSet(try FrameSamples.assets()[.firmware])
        let (shelf, journal) = (Shelf(), Journal())
        #expect(try await bench.flash(firmware).passed)
        try Self.leave("-- newer", as: "main.lua", bench)
        let files = [KeptFile(path: try UnitPath("main.lua"), bytes: [1]), KeptFile(path: try UnitPath("lib/a.lua"), bytes: [2])]
        shelf.owed.withLock { $0 = [files] }
        var options = Self.options(shelf)
        options.putsBack = true
        #expect(try await bench.flash(firmware, options: options) { journal.add($0) }.passed)
        #expect(try UnitFilesTests.held(bench) == ["main.lua": Array("-- newer".utf8), "lib/a.lua": [2]])
        #expect(journal.text.contains("notice 1 file is back on the unit"), "\(journal.text)")
        #expect(journal.text.contains("notice left as they are on the unit, since they are others now: main.lua (kept in SHELF)"))
    }

    /// A program of one's own goes when scripts come, with a new firmware and without.
    @Test(arguments: [false, true]) func whatAMonocleLosesIsKept(withFirmware: Bool) async throws {
        let bench = Bench(.monocle)
        defer { bench.remove() }
        let assets = try Bench.assets()
        let scripts = AssetSet(assets[.scripts])
        #expect(try await bench.flash(scripts).passed)
        for name in ["main.py", "mine.py"] { try Self.leave(Self.python, as: name, bench) }
        let shelf = Shelf()
        var options = Self.options(shelf)
        let asked = Mutex<[[String]]>([])
        options.beforeChange = { plan in asked.withLock { $0.append(plan?.erases ?? []) } }
        let report = try await bench.flash(
            withFirmware ? AssetSet(assets[.firmware], assets[.scripts]) : scripts, options: options)
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(asked.withLock { $0 } == [["main.py"]])
        #expect(shelf.files == ["main.py": Array(Self.python.utf8)])
        #expect(try UnitFilesTests.held(bench)["mine.py"] == Array(Self.python.utf8))
    }

    /// A release follows another without a question; one that its owner has edited below its version line does not.
    @Test(arguments: [UnitFilesTests.Kind.monocle, .frame], [false, true])
    func anEditedReleaseIsItsOwners(kind: UnitFilesTests.Kind, isEdited: Bool) async throws {
        let bench = kind.bench
        defer { bench.remove() }
        let old = kind == .monocle
            ? AssetSet(try Bench.assets()[.scripts]) : AssetSet(try FrameSamples.telling())
        let main = kind == .monocle ? "main.py" : "main.lua"
        let new = kind == .monocle
            ? AssetSet(try ScriptSet(files: [.init(name: main, bytes: Array((Self.python + "# 2\n").utf8))], family: .monocle))
            : AssetSet(try FrameSamples.telling(padding: 100))
        #expect(try await bench.flash(old).passed)
        let whole = String(decoding: try #require(try UnitFilesTests.held(bench)[main]), as: UTF8.self)
        let edit = whole + (kind == .monocle ? "# edited\n" : "\n-- edited\n")
        if isEdited { try Self.leave(edit, as: main, bench) }
        try Self.leave("", as: kind == .monocle ? "extra.txt" : "extra.dat", bench)
        let shelf = Shelf()
        let report = try await bench.flash(new, options: Self.options(shelf))
        #expect(report.passed, "\(String(describing: report.error))")
        #expect(isEdited ? shelf.files[main] == Array(edit.utf8) : shelf.files.isEmpty, "\(shelf.files.keys.sorted())")
    }

    /// A dry run says where files would be kept, and keeps none. Where they cannot be kept, nothing is changed.
    @Test func whatCannotBeKeptStays() async throws {
        let bench = Bench(.frame)
        defer { bench.remove() }
        _ = try await bench.verify(AssetSet(try FrameSamples.telling()))
        for name in ["main.lua", "mine.lua"] { try Self.leave(Self.lua, as: name, bench) }
        let (shelf, journal) = (Shelf(), Journal())
        var options = Self.options(shelf)
        options.dryRun = true
        #expect(try await bench.flash(try FrameSamples.assets(), options: options) { journal.add($0) }.passed)
        #expect(shelf.files.isEmpty)
        #expect(journal.text.contains { $0.contains("may erase on the unit: main.lua, mine.lua (kept in SHELF)") }, "\(journal.text)")
        let report = try await bench.flash(try FrameSamples.assets(), options: Self.options(Shelf(isFull: true)))
        #expect(report.error?.code == "FIL-0010", "\(String(describing: report.error))")
        #expect(try UnitFilesTests.held(bench) == ["main.lua": Array(Self.lua.utf8), "mine.lua": Array(Self.lua.utf8)])
    }

    /// Whatever cuts a run off: an owner's file is on the unit or on the shelf.
    @Test(arguments: TestRange.of(Array(0..<60), quick: [2, 9, 17])) func nothingIsLostInBetween(seed: Int) async throws {
        var bench = Bench(seed.isMultiple(of: 3) ? .monocle : .frame)
        let isMonocle = seed.isMultiple(of: 3)
        defer { bench.remove() }
        let assets = isMonocle ? try Bench.assets() : try FrameSamples.assets()
        _ = try await bench.verify(AssetSet(assets[.scripts]))
        let main = isMonocle ? "main.py" : "main.lua"
        let own = [main: isMonocle ? Self.python : Self.lua, "mine.txt": String(repeating: "x\n", count: 300)]
        for (name, text) in own { try Self.leave(text, as: name, bench) }
        var generator = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<5 { bench.faults.cuts[Int.random(in: 40...900, using: &generator)] = .power }
        let shelf = Shelf()
        for _ in 0..<3 {
            _ = try await bench.flash(assets, options: Self.options(shelf))
            let held = try UnitFilesTests.held(bench)
            for (name, text) in own { #expect(held[name] == Array(text.utf8) || shelf.files[name] == Array(text.utf8), "\(name)") }
            bench.faults = FaultPlan()
        }
        #expect(shelf.files[main] == Array(own[main]!.utf8))
    }
}
