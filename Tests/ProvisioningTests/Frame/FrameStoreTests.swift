import Bluetooth
import Foundation
import FrameFamily
import Glibc
import Provisioning
import REPL
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices

/// A Frame's console against real Lua behind a played prompt, where a test says what becomes of each write.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua is missing")) struct FrameStoreTests {
    private func play<Value: Sendable>(
        isHalo: Bool = false, writeFault: @escaping LuaPrompt.Fault = { $1 },
        _ body: @escaping @Sendable (LuaPrompt, SessionClock) async throws -> Value
    ) async throws -> Value {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let unit = try LuaPrompt(folder: folder.url, isHalo: isHalo, writeFault: writeFault)
        let time = VirtualTime.simulated()
        return try await time.run { try await body(unit, time.clock) }
    }

    private static func open(_ unit: LuaPrompt, _ clock: SessionClock) async throws -> any ProgramConsole {
        let rules = try #require(Family.frame.provisioning)
        return try #require(try await rules.open(unit, clock, RestoreGuard()) as? any ProgramConsole)
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func questionsAreAnswered() async throws {
        try await play { unit, clock in
            let console = try await Self.open(unit, clock)
            #expect(try await console.version(of: .firmware) == "v25.080.0838")
            #expect(try await console.version(of: .scripts) == nil)
            #expect(try await console.facts() == [.battery(percent: 53)])
            try await console.reboot(into: .bootloader)
            #expect(unit.state.withLock { $0.isUpdating })
        }
    }

    @Test(arguments: ["-1", "101", "256", "'x'", "nil"]) func whatIsNoPercentageIsNoBatteryLevel(value: String) async throws {
        try await play(writeFault: { _, bytes in
            let text = Self.text(bytes)
            return text.contains("battery_level()")
                ? Array(text.replacing("math.floor(frame.battery_level()+.5)", with: value).utf8) : bytes
        }) { unit, clock in
            let console = try await Self.open(unit, clock)
            #expect(try await console.facts() == [])
        }
    }

    /// Each file is told by a name of its own, however alike they look.
    @Test func filesThatLookAlikeAreSeveral() async throws {
        try await play { unit, clock in
            let console = try await Self.open(unit, clock)
            let store = console.store(for: try FrameSamples.set("local xx = 1"))
            _ = try await store.install(["odd.lua", "main.lua"]) { _ in }
            for name in ["\u{E9}.lua", "e\u{301}.lua", "main.lua "] {
                Glibc.close(Glibc.open(unit.folder.path + "/" + name, O_CREAT | O_WRONLY, 0o600))
            }
            #expect(
                try await store.deepCheck().map(\.description).sorted()
                    == ["\"main.lua \"", "e\\u{301}.lua", "\u{E9}.lua"].map { ScriptDifference.extra($0).description })
        }
    }

    /// Sizes that no file has, and more files than a file system holds.
    @Test(arguments: ["'1 70000 - x/'", "'1 -1 - x/'", "('1 0 - x/'):rep(1100)"])
    func aListThatCannotBeIsNoList(answer: String) async throws {
        try await play(writeFault: { _, bytes in
            Array(Self.text(bytes).replacing("return _nf.v(", with: "return (function()return \(answer) end)(").utf8)
        }) { unit, clock in
            let store = try await Self.open(unit, clock).store(for: try FrameSamples.set("local xx = 1"))
            await #expect(throws: REPLError.garbage("a list of files")) { _ = try await store.deepCheck() }
        }
    }

    /// A piece that was altered on its way is found by reading back, and the file sent again.
    @Test func aDamagedPieceIsSentAgain() async throws {
        let once = Once()
        try await play(writeFault: { _, bytes in
            guard Self.text(bytes).contains("_nf.w,0,"), let place = bytes.firstIndex(of: UInt8(ascii: "x")), once.first() else {
                return bytes
            }
            var damaged = bytes
            damaged[place] = UInt8(ascii: "y")
            return damaged
        }) { unit, clock in
            let console = try await Self.open(unit, clock)
            let scripts = try FrameSamples.set("local xx = 1")
            let notices = Notices()
            let sent = try await console.store(for: scripts).install(["odd.lua", "main.lua"]) { notices.note($0) }
            #expect(sent > scripts.installed.reduce(0) { $0 + $1.bytes.count })
            #expect(notices.texts.count == 1 && notices.texts.first?.contains("arrived damaged") == true, "\(notices.texts)")
            #expect(try await console.store(for: scripts).deepCheck() == [])
            #expect(try Data(contentsOf: unit.folder.appendingPathComponent("odd.lua")) == Data(FrameSamples.oddModule))
        }
    }

    /// It arrives damaged whenever it is sent.
    @Test func aFileThatAlwaysArrivesDamagedIsGivenUp() async throws {
        try await play(writeFault: { _, bytes in
            guard Self.text(bytes).contains("_nf.w,0,"), let place = bytes.firstIndex(of: UInt8(ascii: "x")) else { return bytes }
            var damaged = bytes
            damaged[place] = UInt8(ascii: "y")
            return damaged
        }) { unit, clock in
            let console = try await Self.open(unit, clock)
            let notices = Notices()
            await #expect(throws: ScriptError.uploadFailed("odd.lua")) {
                try await console.store(for: try FrameSamples.set("local x = 1")).install(["odd.lua", "main.lua"]) { notices.note($0) }
            }
            #expect(notices.texts == Array(repeating: "odd.lua arrived damaged; sending it again", count: 2))
            #expect(!FileManager.default.fileExists(atPath: unit.folder.appendingPathComponent("odd.lua").path))
        }
    }

    /// What a person calls `.new` is a person's; what noafw left of another set goes.
    @Test func onlyWhatNoafwLeftIsTakenAway() async throws {
        try await play { unit, clock in
            let own = ["mine.lua.new", "main.lua.new", "notes.new", "x.noafw.txt"]
            for name in own + ["old.lua.noafw"] { try Data(name.utf8).write(to: unit.folder.appendingPathComponent(name)) }
            let console = try await Self.open(unit, clock)
            _ = try await console.store(for: try FrameSamples.set("local x = 1")).install(["odd.lua", "main.lua"]) { _ in }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: unit.folder.path).sorted() == (own + ["main.lua", "odd.lua"]).sorted())
            for name in own { #expect(try Data(contentsOf: unit.folder.appendingPathComponent(name)) == Data(name.utf8)) }
        }
    }

    /// The copy of the main script is damaged after its proof: the old one would claim its version over the new files.
    @Test func nothingIsPutInPlaceWithoutTheNewMain() async throws {
        let place = Mutex<URL?>(nil)
        try await play(writeFault: { _, bytes in
            if Self.text(bytes).contains("return _nf.v("), let folder = place.withLock({ $0 }),
                FileManager.default.fileExists(atPath: folder.appendingPathComponent("main.lua.noafw").path),
                Self.text(bytes).contains("odd.lua")
            {
                try? Data("damaged".utf8).write(to: folder.appendingPathComponent("main.lua.noafw"))
            }
            return bytes
        }) { unit, clock in
            for name in ["main.lua", "odd.lua"] { try Data("-- old".utf8).write(to: unit.folder.appendingPathComponent(name)) }
            place.withLock { $0 = unit.folder }
            let console = try await Self.open(unit, clock)
            await #expect(throws: ScriptError.verificationFailed("main.lua")) {
                try await console.store(for: try FrameSamples.set("local x = 1")).install(["odd.lua", "main.lua"]) { _ in }
            }
            for name in ["main.lua", "odd.lua"] {
                #expect(try Data(contentsOf: unit.folder.appendingPathComponent(name)) == Data("-- old".utf8), "\(name)")
            }
        }
    }

    /// A unit that stands elsewhere in the file than it was told does not get the next piece.
    @Test func aPieceThatWasNotTakenStopsTheUpload() async throws {
        let once = Once()
        try await play(writeFault: { _, bytes in
            guard let call = bytes.firstRange(of: Array("_nf.w,0,".utf8)), once.first() else { return bytes }
            var elsewhere = bytes
            elsewhere[call.upperBound - 2] = UInt8(ascii: "9")
            return elsewhere
        }) { unit, clock in
            let console = try await Self.open(unit, clock)
            await #expect(throws: REPLError.garbage("a position in a file")) {
                try await console.store(for: try FrameSamples.set("local x = 1")).install(["odd.lua", "main.lua"]) { _ in }
            }
        }
    }

    /// What is not in place after the renaming fails, whatever the unit answered.
    @Test func aRenamingThatDidNothingIsFound() async throws {
        try await play(writeFault: { _, bytes in
            let text = Self.text(bytes)
            guard let list = text.firstRange(of: "_nf.m{") else { return bytes }
            return Array((text[..<list.upperBound] + "}\")").utf8)
        }) { unit, clock in
            let console = try await Self.open(unit, clock)
            let scripts = try FrameSamples.set("local x = 1")
            await #expect(throws: ScriptError.verificationFailed("odd.lua")) {
                try await console.store(for: scripts).install(["odd.lua", "main.lua"]) { _ in }
            }
        }
    }

    /// What an interrupted run left is not sent again: whole files, and the beginning of one.
    @Test func anUploadGoesOnWhereItStopped() async throws {
        try await play { unit, clock in
            let scripts = try FrameSamples.set("local x = 1")
            try Data(FrameSamples.oddModule.prefix(2000)).write(to: unit.folder.appendingPathComponent("odd.lua.noafw"))
            let main = try #require(scripts.installed.last)
            try Data(main.bytes).write(to: unit.folder.appendingPathComponent("main.lua.noafw"))
            let console = try await Self.open(unit, clock)
            let sent = try await console.store(for: scripts).install(["odd.lua", "main.lua"]) { _ in }
            #expect(sent == FrameSamples.oddModule.count - 2000)
            #expect(try await console.store(for: scripts).deepCheck() == [])
            #expect(!FileManager.default.fileExists(atPath: unit.folder.appendingPathComponent("odd.lua.noafw").path))
        }
    }

    @Test func aBeginningThatIsWrongIsSentAnew() async throws {
        try await play { unit, clock in
            let scripts = try FrameSamples.set("local x = 1")
            try Data(repeating: 0x61, count: 2000).write(to: unit.folder.appendingPathComponent("odd.lua.noafw"))
            let console = try await Self.open(unit, clock)
            let sent = try await console.store(for: scripts).install(["odd.lua", "main.lua"]) { _ in }
            #expect(sent == scripts.installed.reduce(0) { $0 + $1.bytes.count })
            #expect(try await console.store(for: scripts).deepCheck() == [])
        }
    }

    /// One that prints at once and much, and one that prints on.
    @Test(arguments: [(bytes: 200, pause: Duration.milliseconds(100), most: 5), (bytes: 10, pause: .seconds(1), most: 20)])
    func aProgramThatPrintsOnIsTold(bytes: Int, pause: Duration, most: Int) async throws {
        try await play { unit, clock in
            try Data("ARGPT_VERSION = 1".utf8).write(to: unit.folder.appendingPathComponent("main.lua"))
            let console = try await Self.open(unit, clock)
            let printing = clock.task {
                for _ in 0..<1000 {
                    unit.say(Array(repeating: UInt8(ascii: "p"), count: bytes))
                    try await clock.sleep(until: clock.deadline(in: pause))
                }
            }
            defer { printing.cancel() }
            let start = clock.now
            let text = String(repeating: "p", count: bytes)
            await #expect(throws: ProvisioningError.programPrints(text)) {
                _ = try await console.verifyProgram(of: try FrameSamples.set("local x = 1"), watching: .seconds(2))
            }
            #expect(start.duration(to: clock.now) < .seconds(most))
        }
    }

    @Test func aFolderInTheWayIsSaidSo() async throws {
        try await play { unit, clock in
            try FileManager.default.createDirectory(at: unit.folder.appendingPathComponent("odd.lua"), withIntermediateDirectories: false)
            let console = try await Self.open(unit, clock)
            let scripts = try FrameSamples.set("local x = 1")
            await #expect(throws: FrameError.folderInPlace("odd.lua")) {
                try await console.store(for: scripts).install(["odd.lua", "main.lua"]) { _ in }
            }
        }
    }

    private final class Notices: Sendable {
        private let all = Mutex<[String]>([])
        var texts: [String] { all.withLock { $0 } }
        func note(_ event: ScriptEvent) {
            if case .notice(let text) = event { all.withLock { $0.append(text) } }
        }
    }

    private final class Once: Sendable {
        private let isDone = Mutex(false)
        func first() -> Bool {
            isDone.withLock { done in
                defer { done = true }
                return !done
            }
        }
    }
}
