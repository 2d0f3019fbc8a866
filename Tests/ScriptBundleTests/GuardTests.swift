import Cryptography
import Foundation
import Support
import TestSupport
import Testing

@testable import REPL
@testable import ScriptBundle

/// Files that are damaged, and room that is missing, at the moment when the next guard is all that can see it.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct GuardTests {
    private let set: ScriptSet

    init() throws {
        set = try ScriptSet(files: [
            .init(name: "main.py", bytes: Array("import states\n".utf8)),
            .init(name: "states.py", bytes: SeededNumbers.bytes(5000, seed: 81)),
        ])
    }

    private func attach(_ host: MicroPythonHost) async throws -> PythonREPL {
        try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
    }

    private static func damage(_ name: String, in folder: URL) throws {
        let file = folder.appendingPathComponent(name)
        var bytes = try Data(contentsOf: file)
        bytes[7] ^= 1
        try bytes.write(to: file)
    }

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "modules" }.sorted()
    }

    // MARK: - Damage

    /// The upload is asked for its digest before it is used.
    @Test func aCopyThatIsDamagedDuringItsUploadIsSentAgain() async throws {
        let folder = try makeUnitFolder()
        let isDone = Once()
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            if String(decoding: bytes, as: UTF8.self).contains("_ns.sha('states.py.noafw',"),
                FileManager.default.fileExists(atPath: folder.appendingPathComponent("states.py.noafw").path), isDone.claim()
            {
                try? Self.damage("states.py.noafw", in: folder)
            }
            return bytes
        })
        defer { host.endAndRemove() }
        var notices: [String] = []
        _ = try await ScriptInstaller(repl: try await attach(host), scripts: set, way: .literals).install {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices == ["states.py arrived damaged; sending it again"])
        #expect([UInt8](try Data(contentsOf: folder.appendingPathComponent("states.py"))) == set.files[0].bytes)
    }

    /// All of it was sent, and then it changes: it does not take the old file's place.
    @Test func aCopyThatIsDamagedBeforeItsProofIsSentAgain() async throws {
        let folder = try makeUnitFolder()
        try Data("old".utf8).write(to: folder.appendingPathComponent("states.py"))
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let total = set.installed.reduce(0) { $0 + $1.bytes.count }
        let isDone = Once()
        var notices: [String] = []
        _ = try await ScriptInstaller(repl: repl, scripts: set, way: .literals).install {
            if case .uploading(total, _) = $0, isDone.claim() { try? Self.damage("states.py.noafw", in: folder) }
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices == ["states.py arrived damaged; sending it again"])
        #expect([UInt8](try Data(contentsOf: folder.appendingPathComponent("states.py"))) == set.files[0].bytes)
    }

    /// The answer is lost, so the copies are looked at again, and the new main is not whole any more: the old one would claim its version
    /// over the new files.
    @Test func nothingIsPutInPlaceWithoutTheNewMain() async throws {
        let folder = try makeUnitFolder()
        for name in ["main.py", "states.py"] { try Data("old".utf8).write(to: folder.appendingPathComponent(name)) }
        let isDone = Once()
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            guard String(decoding: bytes, as: UTF8.self).contains("_ns.place("), isDone.claim() else { return bytes }
            try? Self.damage("main.py.noafw", in: folder)
            return [0x03]
        })
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        await #expect(throws: ScriptError.verificationFailed("main.py")) {
            _ = try await ScriptInstaller(repl: repl, scripts: set, way: .literals).install()
        }
        for name in ["main.py", "states.py"] {
            #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == Data("old".utf8), "\(name)")
        }
    }

    /// As before, and it is another copy: it does not take the old file's place.
    @Test func aCopyThatIsDamagedAfterItsProofIsNotPutInPlace() async throws {
        let folder = try makeUnitFolder()
        try Data("old".utf8).write(to: folder.appendingPathComponent("states.py"))
        let isDone = Once()
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            guard String(decoding: bytes, as: UTF8.self).contains("_ns.place("), isDone.claim() else { return bytes }
            try? Self.damage("states.py.noafw", in: folder)
            return [0x03]
        })
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        await #expect(throws: ScriptError.verificationFailed("states.py")) {
            _ = try await ScriptInstaller(repl: repl, scripts: set, way: .literals).install()
        }
        #expect(try Data(contentsOf: folder.appendingPathComponent("states.py")) == Data("old".utf8))
    }

    /// The command that puts a copy in its file's place is lost, or the end of its answer is damaged.
    @Test(arguments: [false, true]) func aCopyWhosePlacingIsLostIsInPlace(isCarriedOut: Bool) async throws {
        let folder = try makeUnitFolder()
        try Data("old".utf8).write(to: folder.appendingPathComponent("states.py"))
        let (isSent, isDone) = (Once(), Once())
        let host = try MicroPythonHost(
            folder: folder,
            packetFault: { _, bytes in
                guard String(decoding: bytes, as: UTF8.self).contains("_ns.place("), isSent.claim() else { return bytes }
                return isCarriedOut ? bytes : [0x03]
            },
            notificationFault: { _, bytes in
                guard isCarriedOut, isSent.isClaimed, bytes.contains(UInt8(ascii: ">")), isDone.claim() else { return bytes }
                return bytes.map { $0 == UInt8(ascii: ">") ? UInt8(ascii: "X") : $0 }
            })
        defer { host.endAndRemove() }
        let helper = ScriptHelper(repl: try await attach(host), way: .literals)
        try await helper.session.ensure()
        try await helper.replace(set.files[0]) { _ in }
        #expect(isSent.isClaimed && isDone.isClaimed == isCarriedOut)
        #expect([UInt8](try Data(contentsOf: folder.appendingPathComponent("states.py"))) == set.files[0].bytes)
        #expect(try names(in: folder) == ["states.py"])
    }

    /// It arrives damaged whenever it is sent.
    @Test func aFileThatAlwaysArrivesDamagedIsGivenUp() async throws {
        let folder = try makeUnitFolder()
        try Data("old".utf8).write(to: folder.appendingPathComponent("states.py"))
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            if String(decoding: bytes, as: UTF8.self).contains("_ns.sha('states.py.noafw',"),
                FileManager.default.fileExists(atPath: folder.appendingPathComponent("states.py.noafw").path)
            {
                try? Self.damage("states.py.noafw", in: folder)
            }
            return bytes
        })
        defer { host.endAndRemove() }
        let notices = try await noticesOfGivingUp(host)
        #expect(notices == Array(repeating: "states.py arrived damaged; sending it again", count: 2))
        #expect(try Data(contentsOf: folder.appendingPathComponent("states.py")) == Data("old".utf8))
    }

    /// No piece of it is ever taken.
    @Test func aFileOfWhichNothingArrivesIsGivenUp() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            guard FileManager.default.fileExists(atPath: folder.appendingPathComponent("states.py.noafw").path) else { return bytes }
            return bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "x") : $0 }
        })
        defer { host.endAndRemove() }
        let notices = try await noticesOfGivingUp(host)
        #expect(notices == Array(repeating: "data was lost on the way; going on with states.py", count: 2))
    }

    /// What is said before the upload of `states.py` is given up.
    private func noticesOfGivingUp(_ host: MicroPythonHost) async throws -> [String] {
        let repl = try await attach(host)
        var notices: [String] = []
        await #expect(throws: ScriptError.uploadFailed("states.py")) {
            _ = try await ScriptInstaller(repl: repl, scripts: set, way: .literals).install {
                if case .notice(let text) = $0 { notices.append(text) }
            }
        }
        return notices
    }

    // MARK: - What is not ours

    /// What a person calls `.new` is a person's; what noafw left of another set goes.
    @Test func onlyWhatNoafwLeftIsTakenAway() async throws {
        let folder = try makeUnitFolder()
        let own = ["mine.py.new", "main.py.new", "notes.new", "noafw", "x.noafw.txt"]
        for name in own + ["old.py.noafw"] { try Data(name.utf8).write(to: folder.appendingPathComponent(name)) }
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        _ = try await ScriptInstaller(repl: try await attach(host), scripts: set, way: .literals).install()
        #expect(try names(in: folder) == (own + ["main.py", "states.py"]).sorted())
        for name in own { #expect(try Data(contentsOf: folder.appendingPathComponent(name)) == Data(name.utf8)) }
    }

    /// Only the files that were asked for are looked at, sent and replaced.
    @Test func onlyTheNamedFilesAreReplaced() async throws {
        let folder = try makeUnitFolder()
        for file in set.installed { try Data(file.bytes).write(to: folder.appendingPathComponent(file.name)) }
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let installer = ScriptInstaller(repl: try await attach(host), scripts: set, way: .literals)
        #expect(try await installer.install(["states.py"]) { _ in } == 5000)
    }

    /// Everything is in place, and then a file changes: only the last look sees it.
    @Test func aFileThatIsDamagedInItsPlaceIsNoInstallation() async throws {
        let host = try MicroPythonHost(folder: try makeUnitFolder())
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let installer = ScriptInstaller(repl: repl, scripts: set, way: .literals)
        try await installer.session.ensure()
        let damage = """
            _r=_ns.o.rename
            def _d(a,b):
             _r(a,b)
             if b=='main.py':
              f=open('states.py','r+b')
              f.write(b'#')
              f.close()
            _ns.o.rename=_d
            """
        _ = try await repl.runText(damage, within: .seconds(20))
        await #expect(throws: ScriptError.verificationFailed("states.py")) {
            _ = try await installer.install()
        }
    }

    /// While files are replaced there is no `main.py`, so nothing can start a mixture, or say its version.
    @Test func theOldMainIsGoneBeforeAnyFileIsReplaced() async throws {
        let folder = try makeUnitFolder()
        for name in ["main.py", "states.py"] { try Data("old".utf8).write(to: folder.appendingPathComponent(name)) }
        let seen = Once()
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            // The names go in the order in which the unit takes them; the old one of the main script is removed before.
            let text = String(decoding: bytes, as: UTF8.self)
            if text.contains("_ns.place("), !text.contains("_ns.place('main.py','states.py','main.py')") { _ = seen.claim() }
            return bytes
        })
        defer { host.endAndRemove() }
        _ = try await ScriptInstaller(repl: try await attach(host), scripts: set, way: .literals).install()
        #expect(!seen.isClaimed)
        #expect(try names(in: folder) == ["main.py", "states.py"])
    }

    /// A file of another upload is open on the unit: nothing is appended to it.
    @Test func anotherUploadsFileIsNotGoneOnWith() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let helper = ScriptHelper(repl: repl)
        try await helper.session.ensure()
        _ = try await helper.session.ask("new('foreign.txt')")
        _ = try await ScriptInstaller(repl: repl, scripts: set, way: .literals).install()
        #expect([UInt8](try Data(contentsOf: folder.appendingPathComponent("states.py"))) == set.files[0].bytes)
        #expect(try Data(contentsOf: folder.appendingPathComponent("foreign.txt")).isEmpty)
    }

    // MARK: - Pieces

    /// One piece is damaged on the way: the unit refuses it, the installer sees that at once, and goes on there.
    @Test func aDamagedPieceIsNotAppended() async throws {
        let folder = try makeUnitFolder()
        let isDone = Once()
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard !text.contains("_ns."), text.contains("7"), !bytes.contains(0x04),
                FileManager.default.fileExists(atPath: folder.appendingPathComponent("states.py.noafw").path), isDone.claim()
            else { return bytes }
            return bytes.map { $0 == UInt8(ascii: "7") ? UInt8(ascii: "6") : $0 }
        })
        defer { host.endAndRemove() }
        try await expectGoesOn(host, in: folder)
        #expect(isDone.isClaimed)
    }

    /// The beginning of an answer is lost: what the unit does now nobody knows, so its prompt is found before it is asked for its position.
    @Test func afterHalfAnAnswerThePromptIsFoundAgain() async throws {
        let folder = try makeUnitFolder()
        let copy = folder.appendingPathComponent("states.py.noafw")
        let isDone = Once()
        let host = try MicroPythonHost(folder: folder, notificationFault: { _, bytes in
            guard bytes.contains(UInt8(ascii: "O")), (try? Data(contentsOf: copy))?.isEmpty == false, isDone.claim() else { return bytes }
            return bytes.map { $0 == UInt8(ascii: "O") ? UInt8(ascii: "X") : $0 }
        })
        defer { host.endAndRemove() }
        try await expectGoesOn(host, in: folder)
        #expect(isDone.isClaimed)
    }

    private func expectGoesOn(_ host: MicroPythonHost, in folder: URL) async throws {
        var notices: [String] = []
        _ = try await ScriptInstaller(repl: try await attach(host), scripts: set, way: .literals).install {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices == ["data was lost on the way; going on with states.py"])
        #expect([UInt8](try Data(contentsOf: folder.appendingPathComponent("states.py"))) == set.files[0].bytes)
    }

    @Test func theHelperAppendsOnlyWhatFits() async throws {
        let folder = try makeUnitFolder()
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let helper = ScriptHelper(repl: try await attach(host))
        try await helper.session.ensure()
        #expect(try await helper.session.ask("new('x.py.noafw')") == "0")
        let check = SHA256.number(of: Array("abc".utf8))
        #expect(try await helper.session.ask("a(5,\(check),b'abc')") == "0", "another place")
        #expect(try await helper.session.ask("a(0,\(check),b'abd')") == "0", "another content")
        #expect(try await helper.session.ask("a(0,\(check),b'abc')") == "3")
        try await helper.session.tell("end()")
        #expect(try Data(contentsOf: folder.appendingPathComponent("x.py.noafw")) == Data("abc".utf8))
        // The helper of another version of ours.
        _ = try await helper.session.repl.runText("_ns.v='0'\n_ns.n=7", within: .seconds(20))
        try await helper.session.repl.recover(within: .seconds(20))
        try await helper.session.ensure()
        #expect(try await helper.session.ask("at()") == "-1")
    }

    // MARK: - Room

    /// Small files stand in their folder; later blocks begin with pointers (littlefs, `SPEC.md`).
    @Test(arguments: [(0, 0), (128, 0), (129, 1), (4096, 1), (4097, 2), (4096 + 4092, 2), (4096 + 4093, 3), (65_536, 17)])
    func blocksAreThoseOfLittleFS(byteCount: Int, count: Int) {
        #expect(FileBlocks(size: 4096, cacheSize: 128).count(of: byteCount) == count)
    }

    /// An eighth of a block at most stands in a folder, whatever the cache holds.
    @Test(arguments: [(64, 0), (65, 1)]) func smallBlocksLeaveLessRoomInTheFolder(byteCount: Int, count: Int) {
        #expect(FileBlocks(size: 512, cacheSize: 128).count(of: byteCount) == count)
    }

    /// The reserve is for what a folder needs; its log takes a pair of blocks for each 4096 bytes.
    @Test(arguments: [(1, 2), (40, 2), (146, 2), (148, 4)]) func aFolderGrowsWithItsFiles(files: Int, blocks: Int) {
        let names = (0..<files).map { (name: "f\(1000 + $0)", byteCount: $0 % 2 == 0 ? 5000 : 6) }
        #expect(FileBlocks(size: 4096, cacheSize: 32).count(ofFolder: names) == blocks)
    }

    @Test func aSetIsNoLongerThanAUnitTakes() throws {
        let files = [ScriptSet.File(name: "a.py", bytes: [UInt8](repeating: 10, count: 10)), .init(name: "main.py", bytes: [10, 10, 10])]
        for (limit, fits) in [(13, true), (12, false)] {
            let limits = ScriptLimits(fileCount: 2, fileByteCount: 10, totalByteCount: limit)
            if fits {
                _ = try ScriptSet(files: files, limits: limits)
            } else {
                #expect(throws: ScriptError.setTooLong(byteCount: 13, limit: limit)) { _ = try ScriptSet(files: files, limits: limits) }
            }
        }
    }

    /// Two blocks for a file, none for one that stands in its folder, and two for the directory: four fit, three do not.
    @Test(arguments: [(4, true), (3, false), (2, false), (0, false)])
    func newFilesNeedTheirBlocksAndTwoMore(freeBlocks: Int, fits: Bool) async throws {
        let folder = try makeUnitFolder()
        try Data("old".utf8).write(to: folder.appendingPathComponent("states.py"))
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        try await ScriptHelper(repl: repl).session.ensure()
        _ = try await repl.runText("_ns.o.statvfs=lambda p:(4096,4096,147,\(freeBlocks))", within: .seconds(20))
        let installer = ScriptInstaller(repl: repl, scripts: set, way: .literals)
        if fits {
            try await installer.check(["states.py", "main.py"], isAfterFirmware: false)
            #expect(try await installer.install().replaced == ["states.py", "main.py"])
        } else {
            await #expect(
                throws: ScriptError.noSpace(needed: 4 * 4096, free: freeBlocks * 4096, removal: ShadowRemoval.code(for: ["modules/"]))
            ) {
                try await installer.check(["states.py", "main.py"], isAfterFirmware: false)
            }
            await #expect(
                throws: ScriptError.noSpace(needed: 4 * 4096, free: freeBlocks * 4096, removal: ShadowRemoval.code(for: ["modules/"]))
            ) { _ = try await installer.install() }
            #expect(try Data(contentsOf: folder.appendingPathComponent("states.py")) == Data("old".utf8))
            #expect(try names(in: folder) == ["states.py"], "nothing was begun")
        }
    }
}

/// Claimed by one of many threads.
private final class Once: @unchecked Sendable {
    private let lock = NSLock()
    private var wasClaimed = false

    var isClaimed: Bool { lock.withLock { wasClaimed } }

    /// Whether this was the first time.
    func claim() -> Bool {
        lock.withLock {
            defer { wasClaimed = true }
            return !wasClaimed
        }
    }
}
