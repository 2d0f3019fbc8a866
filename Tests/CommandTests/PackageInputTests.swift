import DFU
import Foundation
import REPL
import Support
import TestSupport
import Testing

@testable import noafw

@Suite struct PackageInputTests {
    @Test(arguments: [
        ["create", "-o", "a.zip", "--unsigned", "--family", "monocle"],
        ["create", "-o", "a.zip", "--family", "monocle", "--application", "a.hex", "--application-version", "1"],
        [
            "create", "-o", "a.zip", "--family", "monocle", "--application", "a.hex", "--application-version", "1", "--unsigned",
            "--key-file", "k"
        ],
        ["create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--application", "a.hex"],
        ["create", "-o", "a.zip", "--unsigned", "--application", "a.hex", "--application-version", "1"],
        ["create", "-o", "a.zip", "--unsigned", "--hw-version", "52", "--application", "a.hex", "--application-version", "1"],
        ["create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--bootloader", "b.hex"],
        [
            "create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--application", "a", "--application-version", "1",
            "--bootloader", "b", "--bootloader-version", "1"
        ],
        [
            "create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--application", "a", "--application-version", "1",
            "--softdevice", "s"
        ],
        ["create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--softdevice", "s", "--external-app"],
        ["create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--softdevice", "s", "--sd-boot-validation", "ecdsa"],
        [
            "create", "-o", "a.zip", "--unsigned", "--family", "monocle", "--bootloader", "b", "--bootloader-version", "1", "--sd-id",
            "0x0124"
        ],
        ["create", "-o", "a.zip", "--unsigned", "--hw-version", "52", "--sd-req", "0x10000", "--softdevice", "s"],
        ["create", "-o", "a.zip", "--unsigned", "--hw-version", "-1", "--sd-req", "0x0124", "--softdevice", "s"],
        ["create", "-o", "a.zip", "--unsigned", "--family", "other", "--softdevice", "s"],
        ["create", "--unsigned", "--family", "monocle", "--softdevice", "s"],
        ["inspect"], ["verify"], ["key", "show"], ["key", "new"], ["key", "show", "k", "--format", "private"],
    ])
    func wrongCommandLinesWriteNothing(arguments: [String]) async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let run = await bench.run(arguments)
        #expect(run.status == 64 && run.output == "" && run.diagnostics.hasPrefix("Error: "), "\(run.diagnostics)")
    }

    @Test(arguments: [
        ("1.2.3", 10_203), ("0.0.0", 0), ("2.7.31", 20_731), ("429496.72.95", 4_294_967_295), ("1.2", nil), ("1.2.3.4", nil),
        ("1.100.0", nil), ("1.2.-3", nil), ("+1.2.3", nil), ("", nil), ("429497.0.0", nil),
    ] as [(String, UInt32?)])
    func versionTextsBecomeNumbersAsInNrfutil(text: String, number: UInt32?) { #expect(DottedVersion(argument: text)?.value == number) }

    @Test(
        arguments: [
            ("0", 0), ("52", 52), ("0x34", 52), ("4294967295", .max), ("4294967296", nil), ("-1", nil), ("0x", nil), ("", nil),
            ("0x-1", nil), ("+1", nil)
        ] as [(String, UInt32?)])
    func numbersAreDecimalOrHexadecimal(text: String, number: UInt32?) { #expect(WireNumber(argument: text)?.value == number) }

    @Test(arguments: [
        ("no.hex", nil, 66, "NOA-0066"), ("a.hex", "", 65, "DFU-1046"), ("a.hex", ":00000001FF\n", 65, "DFU-1046"),
        ("a.hex", "junk\n", 65, "line 1 is not an Intel HEX record"),
        ("a.hex", ":020000040002F8\n:0460000001020304FF\n:00000001FF\n", 65, "line 2 has checksum 0xFF"),
        ("a.hex", ":020000040002F8\n:046000000102030492\n", 65, "line 2 is the last one"),
        ("a.hex", ":020000040002F8\n:046000000102030492\n:046000000102030492\n:00000001FF\n", 65, "line 3 writes 0x00026000"),
        ("a.hex", ":020000040002F8\n:046000000102030492\n:020000040642B2\n:046000000102030492\n:00000001FF\n", 65, "line 4 and line 2 lie"),
        ("a.bin", "", 65, "DFU-1046"),
    ] as [(String, String?, Int32, String)])
    func badImagesAreRefusedAndNothingIsWritten(name: String, text: String?, status: Int32, words: String) async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        if let text { try bench.files.write(text.utf8, to: name) }
        let run = await bench.run([
            "create", "--family", "monocle", "--application", bench.files.path(name), "--application-version", "1", "--unsigned",
            "-o", bench.files.path("out.zip"), "--json",
        ])
        #expect(run.status == status)
        #expect(run.diagnostics.contains(words), "\(run.diagnostics)")
        #expect(run.output.hasPrefix(#"{"schema":"noafw.package/1","#) && run.output.contains(#""verdict":"fail""#))
        #expect(!FileManager.default.fileExists(atPath: bench.files.path("out.zip")))
    }

    /// What a family has no room for is refused; the same image for a larger one is not.
    @Test func imagesPastTheFlashAreRefused() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let path = try bench.files.write(PackageBench.image(400_000), to: "app.bin")
        func status(_ family: String) async -> Int32 {
            await bench.run([
                "create", "--family", family, "--application", path, "--application-version", "1", "--unsigned", "-o",
                bench.files.path("out.zip"),
            ]).status
        }
        #expect(await status("monocle") == 65)
        #expect(await status("frame") == 0)
    }

    @Test(arguments: ["", "text", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n"])
    func badKeysAreRefused(text: String) async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let key = try bench.files.write(text.utf8, to: "key.pem")
        let run = await bench.run([
            "create", "--family", "monocle", "--application", try bench.application(), "--application-version", "1",
            "--key-file", key, "-o", bench.files.path("out.zip"),
        ])
        #expect(run.status == 65 && run.diagnostics.hasPrefix("error DFU-1030: "))
        #expect(await bench.run(["key", "show", key]).status == 65)
        #expect(await bench.run(["verify", key, "--key", key]).status == 65)
    }

    @Test func aPublicKeyDoesNotSign() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let shown = await bench.run(["key", "show", try await bench.key(), "--format", "pem"])
        let key = try bench.files.write(shown.output.utf8, to: "public.pem")
        let run = await bench.run([
            "create", "--family", "monocle", "--application", try bench.application(), "--application-version", "1",
            "--key-file", key, "-o", bench.files.path("out.zip"),
        ])
        #expect(run.status == 65 && run.diagnostics.hasPrefix("error DFU-1030: "))
    }
}

@Suite struct PackageKeyTests {
    @Test func aNewKeyIsSecretAndNeverReplaced() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let path = try await bench.key()
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let before = try bench.files.read("key.pem")
        let again = await bench.run(["key", "new", "-o", path])
        #expect(again.status == 74 && again.diagnostics.hasPrefix("error NOA-0007: "))
        #expect(try bench.files.read("key.pem") == before)
        #expect(await bench.run(["key", "new", "-o", bench.files.path("no/key.pem")]).status == 74)
    }

    @Test func thePrivateHalfIsNeverPrinted() async throws {
        let bench = try PackageBench()
        defer { bench.remove() }
        let made = await bench.run(["key", "new", "-o", bench.files.path("key.pem")])
        let shown = await bench.run(["key", "show", bench.files.path("key.pem")])
        #expect(shown.status == 0 && !shown.output.contains("PRIVATE"))
        // SEC 1: a sequence, version 1, then the 32 bytes that are the secret.
        let text = String(decoding: try bench.files.read("key.pem"), as: UTF8.self).split(separator: "\n")
        let key = try #require(Data(base64Encoded: text.dropFirst().dropLast().joined()))
        let secret = Array(key[7..<39])
        #expect(text[0] == "-----BEGIN EC PRIVATE KEY-----" && Array(key[5..<7]) == [4, 32])
        let forms = [HexText.encode(secret), HexText.encode(secret.reversed()), String(text[1])]
        for form in forms { #expect(!shown.output.contains(form) && !made.output.contains(form)) }
    }
}

@Suite struct OutputFileTests {
    private func place(_ path: String) -> OutputPlace { OutputPlace(NamedPath(path, in: "/")) }

    @Test func aFileIsReplacedWholeOrNotAtAll() throws {
        let files = try ToolFolder()
        defer { files.remove() }
        try files.write([1], to: "a")
        try OutputFile.replace(place(files.path("a")), with: [2, 3])
        #expect(try files.read("a") == [2, 3])
        // Of a process that was killed; one that is at work holds the other.
        for name in [".noafw-1.whole", ".noafw-2.whole"] { try files.write([9], to: name) }
        let other = open(files.path(".noafw-2.whole"), O_RDONLY)
        #expect(flock(other, LOCK_EX) == 0)
        try OutputFile.replaceText(place(files.path("a"))) { try $0("text") }
        #expect(try files.read("a") == Array("text".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder.path).sorted() == [".noafw-2.whole", "a"])
        close(other)
        #expect(throws: CommandError.self) { try OutputFile.replaceText(place(files.path("a"))) { _ in throw CommandError.noStateFolder } }
        try OutputFile.replace(place(files.path("a")), with: [2, 3])
        #expect(throws: CommandError.self) { try OutputFile.replace(place(files.path("no/a")), with: [1]) }
        try FileManager.default.createDirectory(atPath: files.path("folder"), withIntermediateDirectories: true)
        #expect(throws: CommandError.self) { try OutputFile.replace(place(files.path("folder")), with: [1]) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder.path).sorted() == ["a", "folder"])
    }

    @Test func whatASignalSaysIsWhatIsThere() throws {
        let files = try ToolFolder()
        defer { files.remove() }
        let (early, late, old) = (place(files.path("early")), place(files.path("late")), place(files.path("late")))
        #expect(throws: CommandError.self) {
            try OutputFile.replaceText(early) { write in
                try write("a")
                #expect(early.abandon() == .notWritten(path: early.path.name))
            }
        }
        try OutputFile.replace(late, with: [1])
        #expect(late.abandon() == .written(path: late.path.name))
        #expect(old.abandon() == .untouched(path: old.path.name))
        #expect(throws: CommandError.self) { try OutputFile.replace(old, with: [2]) }
        #expect(try files.read("late") == [1])
        #expect(try FileManager.default.contentsOfDirectory(atPath: files.folder.path) == ["late"])
    }

    /// A rename would put a file in the place of `/dev/stdout` and everything like it.
    @Test func whatIsNoPlainFileIsLeftAlone() throws {
        let files = try ToolFolder()
        defer { files.remove() }
        try FileManager.default.createSymbolicLink(atPath: files.path("link"), withDestinationPath: "target")
        #expect(throws: CommandError.self) { try OutputFile.replace(place(files.path("link")), with: [1]) }
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: files.path("link")) == "target")
    }
}
