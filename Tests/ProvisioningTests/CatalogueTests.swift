import Bluetooth
import Cryptography
import Foundation
import Support
import Testing

@testable import Provisioning

/// A folder of assets that a test fills; gone when the test is.
private final class AssetFolder: Sendable {
    let path: String

    init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-catalogue-\(UUID().uuidString)")
        path = folder.path
        for name in ["Firmware", "FPGA", "Scripts/monocle"] {
            try FileManager.default.createDirectory(at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var catalogue: AssetCatalogue { AssetCatalogue(root: path) }

    func write(_ content: String, to name: String) throws {
        try Data(content.utf8).write(to: URL(fileURLWithPath: "\(path)/\(name)"))
    }

    /// Writes the file and returns its manifest entry.
    func add(
        _ name: String, version: String, hardware: String = "monocle", development: Bool = false, extra: String = ""
    ) throws -> String {
        let content = "\(name) \(version)"
        try write(content, to: "Firmware/\(name)")
        return """
            {"version": "\(version)", "hardware": "\(hardware)", "file": "\(name)", "sha256": "\(digest(content))",
             "development": \(development)\(extra)}
            """
    }

    func digest(_ content: String) -> String { SHA256.text(of: content.utf8) }

    func manifest(_ entries: [String], default version: String? = nil, in folder: String = "Firmware") throws {
        let preferred = version.map { "\"default\": {\"monocle\": \"\($0)\"}," } ?? ""
        try write("{\(preferred) \"entries\": [\(entries.joined(separator: ","))]}", to: "\(folder)/manifest.json")
    }
}

@Suite struct CatalogueTests {
    private let folder: AssetFolder
    init() throws { folder = try AssetFolder() }

    private func code(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? CatalogueError)?.diagnosis.code
        }
    }

    /// As many as fit a manifest; comparing each with each would take minutes.
    @Test func manyEntriesAreReadAtOnce() throws {
        let digest = String(repeating: "0", count: 64)
        func entries(_ count: Int) -> [String] {
            (0..<count).map { number in
                let version = "v\(String(format: "%02d.%03d.0000", number / 366, number % 366 + 1))"
                return #"{"version":"\#(version)","hardware":"monocle","file":"a","sha256":"\#(digest)"}"#
            }
        }
        for name in ["FPGA", "Scripts/monocle"] { try folder.manifest([], in: name) }
        try folder.manifest(entries(7000))
        #expect(try folder.catalogue.items(of: TestFamilies.all).count == 7000)
        try folder.manifest(entries(10) + entries(1))
        #expect(code { _ = try folder.catalogue.items(of: TestFamilies.all) } == "CAT-0003")
    }

    private func firmwareCode() -> String? { code { _ = try folder.catalogue.firmware(for: "monocle") } }

    @Test func digestIsTheWellKnownOne() {
        // FIPS 180-2, appendix B.1.
        #expect(SHA256.text(of: "abc".utf8) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func theNewestReleaseWins() throws {
        try folder.manifest([
            folder.add("a.zip", version: "v23.248.0754"), folder.add("b.zip", version: "v24.001.0000"),
            folder.add("dev.zip", version: "v26.001.0000", development: true),
            folder.add("frame.zip", version: "v25.001.0000", hardware: "frame"),
        ])
        let image = try folder.catalogue.firmware(for: "monocle")
        #expect(image.version == "v24.001.0000" && !image.isDevelopment)
        #expect(image.files[0].bytes == Array("b.zip v24.001.0000".utf8))
        #expect(image.files[0].path == "\(folder.path)/Firmware/b.zip")
    }

    @Test func aDevelopmentImageServesWhereThereIsNoRelease() throws {
        try folder.write("PEM", to: "Firmware/dev.pem")
        try folder.manifest([
            folder.add("old.zip", version: "v25.001.0000", development: true),
            folder.add("new.zip", version: "v26.001.0000", development: true, extra: ", \"key\": \"dev.pem\""),
        ])
        let image = try folder.catalogue.firmware(for: "monocle")
        #expect(image.version == "v26.001.0000" && image.isDevelopment)
        #expect(image.key?.bytes == Array("PEM".utf8))
    }

    @Test func theManifestsDefaultWins() throws {
        try folder.manifest(
            [folder.add("a.zip", version: "v23.248.0754", development: true), folder.add("b.zip", version: "v24.001.0000")],
            default: "v23.248.0754")
        #expect(try folder.catalogue.firmware(for: "monocle").files[0].name == "a.zip")
        try folder.manifest([folder.add("b.zip", version: "v24.001.0000")], default: "v23.248.0754")
        #expect(firmwareCode() == "CAT-0005")
    }

    /// Their text order is their age order only while all have one form.
    @Test(arguments: ["v9.001.0000", "26.001.0000", "v26.001.00000", "v99.999.9999", "latest", ""])
    func aVersionOfAnotherFormIsRefused(version: String) throws {
        try folder.manifest([folder.add("a.zip", version: version)])
        #expect(firmwareCode() == "CAT-0003")
    }

    @Test func scriptsKeepTheirOrder() throws {
        let names = ["states.py", "main.py", "audio.py"]
        for name in names { try folder.write(name, to: "Scripts/monocle/\(name)") }
        let files = names.map { "{\"file\": \"\($0)\", \"sha256\": \"\(folder.digest($0).uppercased())\"}" }.joined(separator: ",")
        try folder.manifest(
            ["{\"version\": \"v26.001.0000\", \"hardware\": \"monocle\", \"files\": [\(files)]}"], in: "Scripts/monocle")
        let scripts = try folder.catalogue.content(of: .scripts, for: "monocle")
        #expect(scripts.files.map(\.name) == names)
        #expect(scripts.files.map(\.bytes) == names.map { Array($0.utf8) })
    }

    /// Whoever looks at the catalogue refuses what a run would.
    @Test func anImageIsOneFile() throws {
        let files = ["a.zip", "b.zip"].map { "{\"file\": \"\($0)\", \"sha256\": \"\(folder.digest($0))\"}" }
        for name in ["a.zip", "b.zip"] { try folder.write(name, to: "Firmware/\(name)") }
        for name in ["FPGA", "Scripts/monocle"] { try folder.manifest([], in: name) }
        let entry = "{\"version\": \"v26.001.0000\", \"hardware\": \"monocle\", \"files\": [\(files.joined(separator: ","))]}"
        try folder.manifest([entry])
        #expect(firmwareCode() == "CAT-0003")
        let item = try #require(try folder.catalogue.items(of: TestFamilies.all).first)
        #expect(code { try folder.catalogue.check(item, for: TestFamilies.all) } == "CAT-0003")
    }

    @Test func fpgaVersionsAreKnownByDigestWithoutTheFiles() throws {
        let digest = folder.digest("gone")
        try folder.manifest(
            ["{\"version\": \"v23.230.0808\", \"hardware\": \"monocle\", \"file\": \"gone.bin\", \"sha256\": \"\(digest)\"}"],
            in: "FPGA")
        #expect(try folder.catalogue.fpgaVersions(for: "monocle") == [digest: "v23.230.0808"])
        #expect(code { _ = try folder.catalogue.content(of: .fpga, for: "monocle") } == "CAT-0007")
    }

    @Test func aChangedFileIsRefusedByName() throws {
        try folder.manifest([folder.add("a.zip", version: "v24.001.0000")])
        try folder.write("a.zip v24.001.0001", to: "Firmware/a.zip")
        #expect(throws: CatalogueError.digestDiffers(
            path: "\(folder.path)/Firmware/a.zip", expected: folder.digest("a.zip v24.001.0000"),
            actual: folder.digest("a.zip v24.001.0001"))
        ) { try folder.catalogue.firmware(for: "monocle") }
    }

    @Test func theFirstChangedScriptIsNamed() throws {
        for name in ["a.py", "b.py"] { try folder.write("changed", to: "Scripts/monocle/\(name)") }
        let files = ["a.py", "b.py"].map { "{\"file\": \"\($0)\", \"sha256\": \"\(folder.digest($0))\"}" }.joined(separator: ",")
        try folder.manifest(
            ["{\"version\": \"v26.001.0000\", \"hardware\": \"monocle\", \"files\": [\(files)]}"], in: "Scripts/monocle")
        #expect(throws: CatalogueError.digestDiffers(
            path: "\(folder.path)/Scripts/monocle/a.py", expected: folder.digest("a.py"), actual: folder.digest("changed"))
        ) { try folder.catalogue.content(of: .scripts, for: "monocle") }
    }

    @Test func missingThings() throws {
        #expect(firmwareCode() == "CAT-0002")
        try folder.manifest([folder.add("a.zip", version: "v24.001.0000", hardware: "frame")])
        #expect(firmwareCode() == "CAT-0004")
        try folder.manifest([folder.add("a.zip", version: "v24.001.0000")])
        try FileManager.default.removeItem(atPath: "\(folder.path)/Firmware/a.zip")
        #expect(firmwareCode() == "CAT-0007")
    }

    @Test func onlyBoundedRegularFilesAreRead() throws {
        try folder.manifest([folder.add("a.zip", version: "v24.001.0000")])
        let path = "\(folder.path)/Firmware/a.zip"
        try Data(count: (4 << 20) + 1).write(to: URL(fileURLWithPath: path))
        #expect(firmwareCode() == "CAT-0009")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
        #expect(firmwareCode() == "CAT-0008")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        #expect(firmwareCode() == "CAT-0008")
    }

    @Test(arguments: ["../a.zip", "/etc/passwd", "sub/a.zip", "..", ".hidden", "", "a\\\\b", "a\\u0000b", "a\\u001fb", "a\\u007fb"])
    func namesWithPathsAreRefused(name: String) throws {
        let digest = folder.digest("")
        try folder.manifest(["{\"version\": \"v24.001.0000\", \"hardware\": \"monocle\", \"file\": \"\(name)\", \"sha256\": \"\(digest)\"}"]
        )
        #expect(firmwareCode() == "CAT-0006")
    }

    @Test(arguments: [(128, nil), (129, "CAT-0006")] as [(Int, String?)]) func aNameIsBounded(length: Int, code: String?) throws {
        try folder.manifest([folder.add(String(repeating: "a", count: length), version: "v24.001.0000")])
        #expect(firmwareCode() == code)
    }

    private static func digits(_ digit: String, _ count: Int = 64) -> String { String(repeating: digit, count: count) }

    @Test(arguments: [
        "", "[]", "{\"entries\": 3}", "{\"entries\": [{\"version\": \"v24.001.0000\"}]}",
        "{\"entries\": [{\"version\": \"24.1\", \"hardware\": \"monocle\", \"file\": \"a\", \"sha256\": \"\"}]}",
        "{\"entries\": [{\"version\": \"v24.001.0000\", \"hardware\": \"monocle\", \"file\": \"a\"}]}",
        "{\"entries\": [{\"version\": \"v24.001.0000\", \"hardware\": \"monocle\", \"file\": \"a\", \"sha256\": \"12\"}]}",
        "{\"entries\": [{\"version\": \"v24.001.0000\", \"hardware\": \"monocle\", \"file\": \"a\", \"sha256\": \"\(Self.digits("g"))\"}]}",
        "{\"entries\": [{\"version\": \"v24.001.0000\", \"hardware\": \"monocle\", \"file\": \"a\", \"sha256\": \"\(Self.digits("Ａ", 20))abcd\"}]}",
        "{\"entries\": [{\"version\": \"v24.001.0000\", \"hardware\": \"monocle\", \"files\": []}]}",
    ])
    func brokenManifestsAreNamed(text: String) throws {
        try folder.write(text, to: "Firmware/manifest.json")
        do {
            _ = try folder.catalogue.firmware(for: "monocle")
            Issue.record("accepted \(text)")
        } catch {
            #expect(error.diagnosis.code == "CAT-0003")
            #expect(error.diagnosis.category == .badData)
            #expect(error.diagnosis.message.contains("\(folder.path)/Firmware/manifest.json"))
        }
    }

    @Test func oneVersionStandsOnce() throws {
        let entry = try folder.add("a.zip", version: "v24.001.0000")
        try folder.manifest([entry, entry])
        #expect(firmwareCode() == "CAT-0003")
    }
}

@Suite struct CatalogueLocationTests {
    private let folder: AssetFolder
    init() throws { folder = try AssetFolder() }

    private func fill(_ prefix: String = "") throws {
        for name in ["Firmware", "FPGA", "Scripts/monocle"] {
            let path = "\(folder.path)/\(prefix)\(name)"
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try folder.write("{\"entries\": []}", to: "\(prefix)\(name)/manifest.json")
        }
    }

    private func locate(
        given: String? = nil, environment: [String: String] = [:], in current: String = "/", executable: String? = nil
    ) throws -> String {
        let catalogue = try AssetCatalogue.locate(
            given: given, environment: environment, currentDirectory: current, executable: executable)
        return URL(fileURLWithPath: catalogue.root).resolvingSymlinksInPath().path
    }

    private var root: String { URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path }

    @Test func theOptionBeatsTheEnvironmentAndBothTheCurrentFolder() throws {
        try fill()
        #expect(try locate(given: "Firmware", environment: ["NOAFW_ASSETS": "FPGA"], in: root) == "\(root)/Firmware")
        #expect(try locate(environment: ["NOAFW_ASSETS": "\(root)/FPGA"], in: root) == "\(root)/FPGA")
        #expect(try locate(environment: ["NOAFW_ASSETS": ""], in: root) == root)
    }

    @Test func anAbsentFolderIsNotReplacedByAnother() throws {
        try fill()
        #expect(throws: CatalogueError.rootNotFound(searched: ["absent"])) { try locate(given: "absent", in: root) }
    }

    @Test func aCheckoutIsFoundFromItsExecutable() throws {
        try fill()
        let executable = "\(root)/.build/debug/noafw"
        #expect(throws: CatalogueError.self) { try locate(executable: executable) }
        try folder.write("", to: "Package.swift")
        #expect(try locate(executable: executable) == root)
    }

    @Test func anInstallationIsFoundFromItsExecutable() throws {
        try fill("share/noafw/")
        #expect(try locate(executable: "\(root)/bin/noafw") == "\(root)/share/noafw")
    }
}
