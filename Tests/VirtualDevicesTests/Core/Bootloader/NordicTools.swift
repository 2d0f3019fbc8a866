import Foundation
import TestSupport
import Testing
import VirtualDevices

/// The Python environment that holds `nrfutil` 6.1.7.
struct NordicTools: Sendable {
    let python: URL

    init() throws {
        let nrfutil = try TestTools.require(TestTools.nrfutil, "nrfutil")
        python = URL(fileURLWithPath: nrfutil).deletingLastPathComponent().appendingPathComponent("python")
    }

    var sender: URL { TestTools.root.appendingPathComponent("Tests/Interop/nordic_sender.py") }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs `nrfutil` with `arguments` and gives what it prints.
    func nrfutil(_ arguments: [String]) throws -> String {
        let run = try runProgram(
            python.path, [python.deletingLastPathComponent().appendingPathComponent("nrfutil").path] + arguments)
        guard run.status == 0 else { throw Failed(description: run.output) }
        return run.output
    }
}

/// A DFU package and the key that signed it, made by `nrfutil` in a folder of its own.
struct NordicPackage {
    let folder: URL
    let archive: URL
    /// x then y, big-endian.
    let publicKey: [UInt8]

    init(_ tools: NordicTools, image: [UInt8], hardwareVersion: Int = 52, version: Int = 9) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let key = folder.appendingPathComponent("key.pem")
        let hex = folder.appendingPathComponent("application.hex")
        archive = folder.appendingPathComponent("package.zip")
        try Data(Self.intelHex(image, at: 0x26000).utf8).write(to: hex)
        _ = try tools.nrfutil(["keys", "generate", key.path])
        publicKey = try Self.publicKey(tools.nrfutil(["keys", "display", "--key", "pk", "--format", "hex", key.path]))
        _ = try tools.nrfutil([
            "pkg", "generate", "--hw-version", "\(hardwareVersion)", "--sd-req", "0x0124", "--application", hex.path,
            "--application-version", "\(version)", "--key-file", key.path, archive.path,
        ])
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// nrfutil prints x and y byte-reversed.
    private static func publicKey(_ text: String) throws -> [UInt8] {
        let digits = text.split(whereSeparator: \.isWhitespace).last { $0.count == 128 } ?? ""
        let bytes = [UInt8](nordicHex: digits)
        guard bytes.count == 64 else { throw NordicTools.Failed(description: text) }
        return bytes[..<32].reversed() + bytes[32...].reversed()
    }

    private static func intelHex(_ bytes: [UInt8], at base: Int) -> String {
        var lines: [String] = []
        var segment = -1
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let address = base + start
            if address >> 16 != segment {
                segment = address >> 16
                lines.append(record(0, 4, [UInt8(segment >> 8), UInt8(segment & 0xFF)]))
            }
            lines.append(record(address & 0xFFFF, 0, Array(bytes[start..<min(start + 16, bytes.count)])))
        }
        return (lines + [record(0, 1, [])]).joined(separator: "\n") + "\n"
    }

    private static func record(_ address: Int, _ type: UInt8, _ data: [UInt8]) -> String {
        let body = [UInt8(data.count), UInt8(address >> 8), UInt8(address & 0xFF), type] + data
        let sum = body.reduce(UInt8(0), &+)
        return ":" + (body + [0 &- sum]).nordicHex.uppercased()
    }
}

extension [UInt8] {
    var nordicHex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    init(nordicHex digits: some StringProtocol) {
        let characters = Array<Character>(digits)
        self = stride(from: 0, to: characters.count - 1, by: 2).compactMap {
            UInt8(String(characters[$0...($0 + 1)]), radix: 16)
        }
    }
}
