import Archive
import Bluetooth
import Cryptography
import Foundation
import FrameFamily
import MonocleFamily
import REPL
import Support
import TestSupport
import Testing

@testable import ScriptBundle

/// What breaks the phone app's upload, and what bounds do.
private let awkward: [String: [UInt8]] = [
    "quotes.py": Array("x = '''a'''\ny = \"]===]\"\n".utf8),
    "escapes.py": [0x5C, 0x0A, 0x5C, 0x6E, 0x03, 0x1C, 0x00, 0xFF],
    "crlf.py": Array("a = 1\r\nb = 2\r\n".utf8),
    "bom.py": [0xEF, 0xBB, 0xBF] + Array("a = 1".utf8),
    "unfinished.py": Array("a = 1".utf8),
    "empty.py": [],
]

private func scripts(seed: UInt64, family: ScriptFamily = .monocle, scheme: VersionScheme = .app) throws -> ScriptSet {
    var numbers = SeededNumbers(seed: seed)
    var files = awkward.map { ScriptSet.File(name: $0.key.replacing(".py", with: family.suffix), bytes: $0.value) }
    files += (0..<4).map { .init(name: "r\($0)\(family.suffix)", bytes: numbers.bytes(count: Int.random(in: 0...3000, using: &numbers))) }
    files.append(.init(name: family.mainName, bytes: numbers.bytes(count: 700)))
    return try ScriptSet(files: files, family: family, scheme: scheme, limits: .bundle)
}

private func bundle(_ scripts: ScriptSet, signedBy key: BundleSigningKey? = nil) throws -> ReleaseBundle {
    let recipe = BundleRecipe(
        scripts: scripts, firmware: .init(version: "v23.248.0754", bytes: [1, 2]), fpga: .init(version: "v23.230.0808", bytes: [3]),
        tool: "1.2.3")
    return try ReleaseBundle(bytes: recipe.archive(signedBy: key), place: "test.zip")
}

private func problem(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        guard let diagnosis = (error as? any DiagnosableError)?.diagnosis else { return "\(error)" }
        #expect(diagnosis.category == .badData, "\(diagnosis)")
        return diagnosis.code
    }
}

@Suite struct BundleTests {
    @Test(arguments: ScriptFamily.tested, VersionScheme.allCases)
    func whatGoesInComesOut(family: ScriptFamily, scheme: VersionScheme) throws {
        for seed in 0..<20 as Range<UInt64> {
            let set = try scripts(seed: seed, family: family, scheme: scheme)
            let opened = try bundle(set)
            let back = try opened.scripts()
            #expect(back == set && back.version == set.version)
            #expect(try opened.image(of: "firmware")?.bytes == [1, 2])
            #expect(try opened.image(of: "fpga")?.bytes == [3])
            #expect(opened.manifest.tool == "1.2.3" && opened.family == family && opened.manifest.family == family.name)
        }
    }

    @Test func theArchiveHoldsWhatLandsOnTheUnit() throws {
        let set = try scripts(seed: 5)
        let recipe = BundleRecipe(scripts: set, tool: "1")
        let limits = ArchiveLimits(entryCount: 100, contentByteCount: 1 << 20, allowsFolders: true)
        try ArchiveReader.open(recipe.archive(signedBy: nil), limits: limits) { archive in
            for file in set.installed {
                let stored = try archive.read("scripts/\(file.name)", limit: 1 << 20)
                #expect(stored == file.bytes)
            }
            #expect(archive.names.count == set.files.count + 1)
        }
    }

    /// Every entry replaced, dropped, added or renamed, and every bit of the file flipped somewhere.
    @Test func doctoredBundlesAreRefused() throws {
        let recipe = BundleRecipe(scripts: try scripts(seed: 6), firmware: .init(version: "v23.248.0754", bytes: [1]), tool: "1")
        let good = try recipe.entries(signedBy: nil)
        func open(_ entries: [String: [UInt8]]) -> String? {
            problem { _ = try ReleaseBundle(bytes: ArchiveWriter.archive(entries), place: "x") }
        }
        #expect(open(good) == nil)
        for name in good.keys {
            var changed = good
            changed[name] = (changed[name] ?? []) + [0x20]
            // A blank behind the manifest changes nothing that it says.
            #expect(open(changed) == (name == "bundle.json" ? nil : "ZIP-0006"), "\(name)")
            changed[name] = nil
            #expect(open(changed) == (name == "bundle.json" ? "ZIP-0005" : "BND-0001"), "\(name)")
        }
        var swapped = good
        swapped["firmware.zip"] = [2]
        #expect(open(swapped) == "BND-0003")
        #expect(open(good.merging(["scripts/extra.py": []]) { $1 }) == "BND-0002")
        #expect(open(good.merging(["bundle.sig": [1]]) { $1 }) == "BND-0012")
    }

    /// What is listed by another name than its own is refused, although everything else fits.
    @Test(arguments: [("scripts/a.py", "scriptz/a.py"), ("firmware.zip", "firmware.bin"), ("fpga.bin", "scripts/b.py")])
    func whatIsInAnotherPlaceIsRefused(name: String, other: String) throws {
        let set = try ScriptSet(files: [.init(name: "a.py", bytes: [7]), .init(name: "main.py", bytes: [10])])
        let image = BundleRecipe.Image(version: "v23.248.0754", bytes: [1])
        var entries = try BundleRecipe(scripts: set, firmware: image, fpga: image, tool: "1").entries(signedBy: nil)
        let manifest = String(decoding: entries["bundle.json"] ?? [], as: UTF8.self)
        entries["bundle.json"] = Array(manifest.replacing("\"\(name)\"", with: "\"\(other)\"").utf8)
        entries[other] = entries.removeValue(forKey: name)
        let doctored = entries
        #expect(problem { _ = try ReleaseBundle(bytes: ArchiveWriter.archive(doctored), place: "x") } == "BND-0001")
    }

    @Test func doctoredManifestsAreRefused() throws {
        let recipe = BundleRecipe(scripts: try ScriptSet(files: [.init(name: "main.py", bytes: [10])]), tool: "1")
        let good = try recipe.entries(signedBy: nil)
        let text = String(decoding: good["bundle.json"] ?? [], as: UTF8.self)
        let version = recipe.scripts.version
        for (from, to, code) in [
            ("noafw.bundle/1", "noafw.bundle/2", "BND-0001"), ("monocle", "other", "BND-0001"), ("monocle", "frame", "SCR-0003"),
            ("scripts/main.py", "../main.py", "BND-0001"), (version, "SHA256 digest: 00", "BND-0004"),
            ("\"app\"", "\"sha256\"", "BND-0004"), ("\"bytes\":", "\"bytes\":-", "BND-0001"),
            ("\"bytes\":", "\"bytes\":9999999999999", "BND-0001"),
            (#"{"bytes""#, #"{"bytes":1,"file":"bundle.json","sha256":""},{"bytes""#, "BND-0001"), (text, "", "BND-0001"),
            (text, "[[", "BND-0001")
        ] {
            let changed = text.replacing(from, with: to)
            #expect(changed != text)
            let entries = good.merging(["bundle.json": Array(changed.utf8)]) { $1 }
            #expect(problem { _ = try ReleaseBundle(bytes: ArchiveWriter.archive(entries), place: "x") } == code, "\(from) -> \(to)")
        }
    }

    /// Whatever is flipped or cut, an opened bundle holds what was put in.
    @Test func noDamageGoesUnnoticed() throws {
        let set = try ScriptSet(files: [.init(name: "main.py", bytes: Array("print(1)\n".utf8)), .init(name: "a.py", bytes: [7, 7])])
        let key = try BundleSigningKey(name: "k", pem: BundleSigningKey.generate())
        let good = try BundleRecipe(scripts: set, tool: "1").archive(signedBy: key)
        for index in good.indices {
            var bytes = good
            bytes[index] ^= 1 << UInt8(index & 7)
            if let opened = try? ReleaseBundle(bytes: bytes, place: "x") {
                let back = try opened.scripts()
                #expect(back == set, "byte \(index)")
            }
            if index.isMultiple(of: 7) {
                #expect(throws: BundleError.self) { try ReleaseBundle(bytes: Array(good.prefix(index)), place: "x") }
            }
        }
    }

    @Test func bombsAreRefused() throws {
        let bomb = RawZip.deflatedZeros(matches: 1_500_000)
        var entry = RawZip.Entry("bundle.json", bomb.stream)
        entry.method = 8
        entry.statedSize = UInt32(bomb.length)
        #expect(problem { _ = try ReleaseBundle(bytes: RawZip(entries: [entry]).bytes, place: "x") } == "ZIP-0007")
    }

    /// What a unit is not given is refused by what the manifest says, before a byte of it is unpacked.
    @Test func whatIsTooLargeForAUnitIsNotUnpacked() throws {
        let set = try ScriptSet(files: [.init(name: "main.py", bytes: [10])])
        let recipe = BundleRecipe(scripts: set, tool: "1")
        let good = try recipe.entries(signedBy: nil)
        let text = String(decoding: good["bundle.json"] ?? [], as: UTF8.self)
        let size = set.installed.first?.bytes.count ?? 0
        // The file itself is not even there: its absence would be another error.
        let changed = text.replacing("\"bytes\":\(size),", with: "\"bytes\":\(2 << 20),")
        #expect(changed != text)
        let entries = good.merging(["bundle.json": Array(changed.utf8)]) { $1 }.filter { $0.key == "bundle.json" }
        let archive = try ArchiveWriter.archive(entries)
        #expect(problem { _ = try ReleaseBundle(bytes: archive, place: "x", limits: .unit) } == "SCR-0007")
        #expect(problem { _ = try ReleaseBundle(bytes: archive, place: "x") } == "BND-0001")
    }

    /// The version's line is not the script's: what can be bundled can be opened.
    @Test(arguments: [0, 1]) func aMainScriptMayHaveAllThatAScriptMayHave(more: Int) throws {
        var limits = ScriptLimits.unit
        (limits.fileByteCount, limits.totalByteCount) = (100, 101)
        let files = [ScriptSet.File(name: "a.py", bytes: [10]), .init(name: "main.py", bytes: Array(repeating: 10, count: 100 + more))]
        let archive = try BundleRecipe(scripts: ScriptSet(files: files), tool: "1").archive(signedBy: nil)
        let refusal = more == 0 ? nil : "SCR-0007"
        #expect(problem { _ = try ScriptSet(files: files, limits: limits) } == refusal)
        #expect(problem { _ = try ReleaseBundle(bytes: archive, place: "x", limits: limits).scripts() } == refusal)
    }

    /// Images come beside the scripts: what all scripts may have together does not bound them.
    @Test func imagesMayBeFarLongerThanTheScripts() throws {
        var limits = ScriptLimits.unit
        limits.totalByteCount = 100
        let set = try ScriptSet(files: [.init(name: "main.py", bytes: [10])])
        let image = BundleRecipe.Image(version: "v23.248.0754", bytes: [UInt8](repeating: 7, count: 9 << 20))
        let archive = try BundleRecipe(scripts: set, firmware: image, tool: "1").archive(signedBy: nil)
        #expect(problem { _ = try ReleaseBundle(bytes: archive, place: "x", limits: limits) } == nil)
    }

    /// Each script is short enough, and all together are not.
    @Test func scriptsThatAreTooLongTogetherAreNotUnpacked() throws {
        let names = ["main.py"] + (0..<10).map { "m\($0).py" }
        let set = try ScriptSet(files: names.map { .init(name: $0, bytes: [10]) })
        let good = try BundleRecipe(scripts: set, tool: "1").entries(signedBy: nil)
        var limits = ScriptLimits.unit
        limits.totalByteCount = 9 * limits.fileByteCount
        var text = String(decoding: good["bundle.json"] ?? [], as: UTF8.self)
        for size in Set(set.installed.map(\.bytes.count)) {
            text = text.replacing("\"bytes\":\(size),", with: "\"bytes\":\(limits.fileByteCount),")
        }
        let archive = try ArchiveWriter.archive(["bundle.json": Array(text.utf8)])
        #expect(problem { _ = try ReleaseBundle(bytes: archive, place: "x", limits: limits) } == "SCR-0014")
    }

    @Test func aBombForAUnitIsRefusedUnopened() throws {
        let bomb = RawZip.deflatedZeros(matches: 600_000)
        var entry = RawZip.Entry("bundle.json", bomb.stream)
        entry.method = 8
        entry.statedSize = UInt32(bomb.length)
        #expect(problem { _ = try ReleaseBundle(bytes: RawZip(entries: [entry]).bytes, place: "x", limits: .unit) } == "ZIP-0007")
    }

    @Test func differencesAreNamed() throws {
        func set(_ files: [String: String]) throws -> ScriptSet {
            try ScriptSet(files: files.map { .init(name: $0.key, bytes: Array($0.value.utf8)) })
        }
        let bundled = try set(["main.py": "1", "a.py": "1", "b.py": "12", "c.py": ""])
        #expect(bundled.differences(in: bundled).isEmpty)
        #expect(bundled.differences(in: try set(["main.py": "2", "b.py": "1", "c.py": "", "d.py": ""])) == [
            .onlyInBundle("a.py"), .differs("b.py", bundle: 2, folder: 1), .onlyInFolder("d.py"), .differs("main.py", bundle: 1, folder: 1),
        ])
        let turned = try ScriptSet(files: [bundled.files[1], bundled.files[0], bundled.files[2], bundled.files[3]], order: .declared)
        #expect(bundled.differences(in: turned) == [.order])
    }
}

@Suite struct BundleSignatureTests {
    private let set: ScriptSet
    private let key: BundleSigningKey

    init() throws {
        set = try scripts(seed: 9)
        key = try BundleSigningKey(name: "ours", pem: BundleSigningKey.generate())
    }

    @Test func onlyATrustedKeyVerifies() throws {
        let other = try BundleSigningKey(name: "other", pem: BundleSigningKey.generate())
        let signed = try bundle(set, signedBy: key)
        #expect(signed.signature?.signer.fingerprint == "ed25519:" + SHA256.text(of: key.publicKey.bytes).prefix(16))
        #expect(try signed.verify(trusting: [other.publicKey, key.publicKey]).name == "ours")
        #expect(problem { try signed.verify(trusting: [other.publicKey]) } == "BND-0011")
        #expect(problem { try signed.verify(trusting: []) } == "BND-0011")
        #expect(problem { try bundle(set).verify(trusting: [key.publicKey]) } == "BND-0010")
    }

    /// Of an envelope's signatures sixteen are looked at.
    @Test func aStatementsSignaturesAreBounded() throws {
        var statement = try SignedStatement([1, 2, 3], signedBy: key)
        let good = statement.signatures[0]
        let other = SignedStatement.Signature(keyid: good.keyid, sig: "AAAA")
        for (count, expected) in [(15, nil), (16, "BND-0044")] as [(Int, String?)] {
            statement.signatures = [SignedStatement.Signature](repeating: other, count: count) + [good]
            let bytes = [UInt8](try JSONEncoder().encode(statement))
            #expect(problem { _ = try SignedStatement.payload(of: bytes, place: "test", trusting: [key.publicKey]) } == expected)
        }
    }

    /// More than 4 MiB are not read, whatever they say.
    @Test(arguments: [0, 1]) func aStatementsLengthIsBounded(more: Int) throws {
        let bytes = [UInt8](try JSONEncoder().encode(SignedStatement([1, 2, 3], signedBy: key)))
        let padded = bytes + [UInt8](repeating: 0x20, count: (4 << 20) - bytes.count + more)
        let expected = more == 0 ? nil : "BND-0043"
        #expect(problem { _ = try SignedStatement.payload(of: padded, place: "test", trusting: [key.publicKey]) } == expected)
    }

    /// No digest covers what stands around the files, but nothing of it is free either.
    @Test func everyBitOfASignedBundleCounts() throws {
        let key = try BundleSigningKey(name: "k", pem: BundleSigningKey.generate())
        let set = try ScriptSet(files: [.init(name: "b.py", bytes: [1]), .init(name: "main.py", bytes: [2])], family: .monocle)
        let recipe = BundleRecipe(scripts: set, tool: "1")
        let good = try recipe.archive(signedBy: key)
        func verify(_ bytes: [UInt8]) throws { _ = try ReleaseBundle(bytes: bytes, place: "test.zip").verify(trusting: [key.publicKey]) }
        #expect(problem { try verify(good) } == nil)
        var codes: Set<String?> = []
        var isContent = [Bool](repeating: false, count: good.count)
        for content in try recipe.entries(signedBy: key).values {
            for index in try #require(good.firstRange(of: content)) { isContent[index] = true }
        }
        for index in good.indices {
            for bit in isContent[index] ? [index % 8] : Array(0..<8) {
                var bytes = good
                bytes[index] ^= 1 << bit
                let code = problem { try verify(bytes) }
                #expect(code != nil, "bit \(bit) of byte \(index)")
                codes.insert(code)
            }
        }
        for bytes in [good + [0], [0] + good, good + good] { #expect(problem { try verify(bytes) } != nil) }
        #expect(codes.contains("ZIP-0010"))
    }

    @Test func signingIsReproducible() throws {
        let recipe = BundleRecipe(scripts: set, tool: "1")
        let first = try recipe.archive(signedBy: key)
        #expect(try recipe.archive(signedBy: key) == first)
        #expect(try recipe.archive(signedBy: nil) != first)
    }

    /// Somebody else's signer entry over the same manifest is a signature of theirs, and one over another is none.
    @Test func aSignatureDoesNotTransfer() throws {
        let mine = try BundleRecipe(scripts: set, tool: "1").entries(signedBy: key)
        var other = try BundleRecipe(scripts: try scripts(seed: 10), tool: "1").entries(signedBy: nil)
        other["bundle.sig"] = mine["bundle.sig"]
        other["bundle.pub.pem"] = mine["bundle.pub.pem"]
        #expect(problem { _ = try ReleaseBundle(bytes: ArchiveWriter.archive(other), place: "x") } == "BND-0012")
    }

    @Test(arguments: ["", "-----BEGIN PUBLIC KEY-----\nMCow\n-----END PUBLIC KEY-----\n", String(repeating: "x", count: 20_000)])
    func otherKeysAreRefused(pem: String) {
        #expect(problem { _ = try BundleKey(name: "k", pem: Array(pem.utf8)) } == "BND-0013")
        #expect(problem { _ = try BundleSigningKey(name: "k", pem: Array(pem.utf8)) } == "BND-0013")
    }

    @Test func aPrivateKeyIsNoKeyToTrust() throws {
        #expect(problem { _ = try BundleKey(name: "k", pem: BundleSigningKey.generate()) } == "BND-0013")
    }

    /// OpenSSL reads our keys and accepts our signature.
    @Test(.enabled(if: openssl != nil || TestTools.mustAllBeThere, "openssl is missing"))
    func opensslAgrees() throws {
        let program = try TestTools.require(openssl, "openssl")
        let folder = try TemporaryFolder()
        let entries = try BundleRecipe(scripts: set, tool: "1").entries(signedBy: key)
        for name in ["bundle.json", "bundle.sig", "bundle.pub.pem"] { try folder.write(try #require(entries[name]), to: name) }
        let arguments = [
            "pkeyutl", "-verify", "-pubin", "-inkey", "bundle.pub.pem", "-rawin", "-in", "bundle.json", "-sigfile", "bundle.sig"
        ]
        let verified = try runProgram(program, arguments, folder: folder.path)
        #expect(verified.status == 0, "\(verified.output)")
        try folder.write(try #require(entries["bundle.json"]) + [0x20], to: "bundle.json")
        #expect(try runProgram(program, arguments, folder: folder.path).status != 0)

        #expect(try runProgram(program, ["genpkey", "-algorithm", "ed25519", "-out", "theirs.pem"], folder: folder.path).status == 0)
        #expect(
            try runProgram(program, ["pkey", "-in", "theirs.pem", "-pubout", "-out", "theirs.pub.pem"], folder: folder.path).status == 0)
        let theirs = try BundleSigningKey(name: "theirs", pem: folder.read("theirs.pem"))
        #expect(try folder.read("theirs.pub.pem") == Array(theirs.publicKey.pem.utf8))
        #expect(try BundleKey(name: "theirs", pem: folder.read("theirs.pub.pem")) == theirs.publicKey)
    }
}

private let openssl = ["/usr/bin/openssl"].first(where: FileManager.default.isExecutableFile)

/// Random content bundled, brought to a unit and read back there.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct BundleOnUnitTests {
    @Test(arguments: [101, 102, 103] as [UInt64])
    func bytesArriveOnMicroPython(seed: UInt64) async throws {
        let set = try scripts(seed: seed, scheme: seed == 102 ? .sha256 : .app)
        let opened = try bundle(set)
        let host = try MicroPythonHost(folder: try makeUnitFolder(), heap: "48k")
        defer { host.endAndRemove() }
        let repl = try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
        _ = try await ScriptInstaller(repl: repl, scripts: opened.scripts(), way: .literals).install()
        for file in set.installed {
            let there = [UInt8](try Data(contentsOf: host.folder.appendingPathComponent(file.name)))
            #expect(there == file.bytes, "\(file.name)")
        }
        #expect(try await ScriptInstaller.installedVersion(repl) == set.version)
    }

    /// A real program: real Lua loads the bundled bytes, and its first line sets the version.
    @Test(.enabled(if: TestTools.mayRunLua, "Lua is missing: run Tools/setup tests"))
    func luaLoadsWhatWasBundled() throws {
        let text = "local s = [==[\n]===] ''' \\\\ ]==]\r\nprint(ARGPT_VERSION, #s, '\\3\\28')\r\n"
        let set = try ScriptSet(files: [.init(name: "main.lua", bytes: Array(text.utf8))], family: .frame)
        let folder = try TemporaryFolder()
        let stored = try #require(try bundle(set).scripts().installed.last)
        try folder.write(stored.bytes, to: "main.lua")
        let run = try runProgram(try TestTools.require(TestTools.lua, "Lua"), ["main.lua"], folder: folder.path)
        #expect(run.status == 0 && run.output == "\(set.version)\t13\t\u{3}\u{1C}\n", "\(run.output)")
    }
}
