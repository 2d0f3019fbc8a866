import Cryptography
import FPGA
import Foundation
import Support
import TestSupport
import VirtualDevices
import VirtualFaults

/// What all worlds of a process share: small files for the units, and units that hold them already.
final class StormStation: Sendable {
    static let files = TestTools.root.appendingPathComponent("Tests/Storm", isDirectory: true)
    static let shared = Result { try StormStation() }

    /// By the sizes of a Frame's firmware: small, large; then with the project's own scripts, and with programs that raise an error
    /// right after their sign, or end without any.
    enum Catalogue: String, Codable, CaseIterable { case small, large, talking, raising, ending }

    private static let monocleFirmware = "monocle-v26.330.0100"
    private static let fpga = ("v26.330.0101", [UInt8]("storm v26.330.0101".utf8))
    /// The beginning of a program that says that it is ready.
    private static let ready = """
        import bluetooth, states, time
        while not bluetooth.connected():
            time.sleep_ms(10)
        bluetooth.send(b'rdy:')

        """

    private static func monocle(_ program: String) -> [(name: String, text: String)] {
        [("states.py", "IDLE = 'idle'\n"), ("tale.py", "WORDS = ['once']\n"), ("main.py", program)]
    }

    private static let scripts: [String: [(name: String, text: String)]] = [
        "monocle": [
            ("states.py", "IDLE = 'idle'\n# \u{3}\u{1C}\u{4} ''' \\ \r\n"),
            ("tale.py", "WORDS = ['once']\n"),
            ("main.py", "import states\nimport time\nwhile True:\n    time.sleep(1)\n"),
        ],
        "monocle large": monocle("\(ready)while True:\n    time.sleep(1)\n"),
        "monocle raising": monocle("\(ready)time.sleep_ms(1200)\nraise ValueError('too early')\n"),
        "monocle ending": monocle("import states\nimport time\ntime.sleep(4)\n"),
        "frame raising": [
            ("odd.lua", "return {}\n"), ("tale.lua", "return { \"once\" }\n"),
            ("main.lua", """
                require("odd")
                frame.bluetooth.receive_callback(function(data) if data == "\\x17" then end end)
                frame.bluetooth.send("\\x18" .. ARGPT_VERSION)
                frame.sleep(1.2)
                error("too early")

                """),
        ],
        "frame ending": [
            ("odd.lua", "return {}\n"), ("tale.lua", "return { \"once\" }\n"),
            ("main.lua", "require(\"odd\")\nframe.sleep(4)\n"),
        ],
        "frame": [
            ("odd.lua", "local M = { name = \"odd\" }\r\n--[==[\n\n" + String(repeating: "x", count: 513) + "\n]==]\nreturn M"),
            ("tale.lua", "return { \"once\" }\n"),
            ("main.lua", """
                require("odd")
                local asked = false
                local function tell() pcall(frame.bluetooth.send, "\\x18" .. ARGPT_VERSION) end
                frame.bluetooth.receive_callback(function(data) if data == "\\x17" then asked = true end end)
                tell()
                while true do
                    if asked then asked = false tell() end
                    frame.sleep(0.05)
                end

                """),
        ],
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for catalogue in Catalogue.allCases { try fill(catalogue) }
    }

    func path(_ catalogue: Catalogue) -> String { folder.path(catalogue.rawValue) }

    func firmware(of family: String, _ catalogue: Catalogue) -> String {
        Self.files.appendingPathComponent(Self.firmwareName(family, catalogue) + ".zip").path
    }

    func fpgaImage(_ catalogue: Catalogue) -> String { "\(path(catalogue))/FPGA/monocle.bin" }

    /// The scripts' places by name.
    func scripts(of family: String, _ catalogue: Catalogue) throws -> [String: String] {
        let place = "\(path(catalogue))/Scripts/\(family)"
        let names = try FileManager.default.contentsOfDirectory(atPath: place).filter { $0 != "manifest.json" }
        return Dictionary(uniqueKeysWithValues: names.map { ($0, "\(place)/\($0)") })
    }

    private static func firmwareName(_ family: String, _ catalogue: Catalogue) -> String {
        guard family == "frame" else { return monocleFirmware }
        return catalogue == .large ? "frame-v26.330.0300" : "frame-v26.330.0200"
    }

    private func fill(_ catalogue: Catalogue) throws {
        let root = catalogue.rawValue
        let key = [UInt8](try Data(contentsOf: TestTools.root.appendingPathComponent("Firmware/development-key.pub.pem")))
        try folder.write(key, to: "\(root)/Firmware/key.pem")
        let firmware = try ["monocle", "frame"].map { family -> String in
            let name = Self.firmwareName(family, catalogue)
            let bytes = [UInt8](try Data(contentsOf: Self.files.appendingPathComponent("\(name).zip")))
            try folder.write(bytes, to: "\(root)/Firmware/\(name).zip")
            let version = name.split(separator: "-")[1]
            return Self.entry("\(version)", family, #""file":"\#(name).zip","sha256":"\#(SHA256.text(of: bytes))","key":"key.pem""#)
        }
        try write(firmware, to: "\(root)/Firmware")
        let image = BitstreamBytes.make(text: String(decoding: Self.fpga.1, as: UTF8.self))
        let padded = image + [UInt8](repeating: 0xFF, count: FPGALimits.imageByteCount - image.count)
        try folder.write(padded, to: "\(root)/FPGA/monocle.bin")
        try write(
            [Self.entry(Self.fpga.0, "monocle", #""file":"monocle.bin","sha256":"\#(SHA256.text(of: padded))""#)], to: "\(root)/FPGA")
        for family in ["monocle", "frame"] {
            guard catalogue != .talking else {
                try FileManager.default.createDirectory(atPath: folder.path("\(root)/Scripts"), withIntermediateDirectories: true)
                let scripts = TestTools.root.appendingPathComponent("Scripts/\(family)").path
                try FileManager.default.copyItem(atPath: scripts, toPath: folder.path("\(root)/Scripts/\(family)"))
                continue
            }
            let files = try (Self.scripts["\(family) \(root)"] ?? Self.scripts[family] ?? []).map { file -> String in
                try folder.write(file.text, to: "\(root)/Scripts/\(family)/\(file.name)")
                return #"{"file":"\#(file.name)","sha256":"\#(SHA256.text(of: Array(file.text.utf8)))"}"#
            }
            try write(
                [Self.entry("v26.330.0400", family, #""files":[\#(files.joined(separator: ","))]"#)], to: "\(root)/Scripts/\(family)")
        }
    }

    private static func entry(_ version: String, _ family: String, _ more: String) -> String {
        #"{"version":"\#(version)","hardware":"\#(family)",\#(more)}"#
    }

    private func write(_ entries: [String], to place: String) throws {
        try folder.write(#"{"entries":[\#(entries.joined(separator: ","))]}"#, to: "\(place)/manifest.json")
    }
}
