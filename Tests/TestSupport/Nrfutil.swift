import Foundation

/// A folder for the files of one test, and foreign programs that work in it.
package struct ToolFolder: Sendable {
    package struct Run: Sendable {
        package let status: Int32
        package let output: String
    }

    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    package func remove() { try? FileManager.default.removeItem(at: folder) }

    package func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Writes a file and names its path.
    @discardableResult
    package func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
        return path(name)
    }

    package func read(_ name: String) throws -> [UInt8] { try Array(Data(contentsOf: folder.appendingPathComponent(name))) }

    /// Both outputs of a program, which finds no input.
    package func run(_ executable: String, _ arguments: [String]) async throws -> Run {
        let output = folder.appendingPathComponent("output-\(UUID().uuidString)")
        try Data().write(to: output)
        let handle = try FileHandle(forWritingTo: output)
        defer { try? handle.close() }
        let status = try await TestProcess(
            URL(fileURLWithPath: executable), arguments, folder: folder, output: .file(handle), errors: .file(handle)
        ).exitStatus()
        return try Run(status: status, output: String(decoding: Data(contentsOf: output), as: UTF8.self))
    }
}

/// Nordic's own command-line tool, installed from PyPI for the tests.
package struct Nrfutil: Sendable {
    package let files: ToolFolder
    private let tool: String

    package init() throws {
        tool = try TestTools.require(TestTools.nrfutil, "nrfutil")
        files = try ToolFolder()
    }

    package func callAsFunction(_ arguments: String...) async throws -> ToolFolder.Run { try await files.run(tool, arguments) }

    /// Runs a script with nrfutil's own Python, which has its `nordicsemi` package.
    package func python(_ script: String, _ arguments: [String]) async throws -> ToolFolder.Run {
        let python = URL(fileURLWithPath: tool).deletingLastPathComponent().appendingPathComponent("python").path
        return try await files.run(python, ["-c", script] + arguments)
    }
}

/// Intel HEX as a linker writes it.
package enum IntelHexText {
    /// Images at addresses, each in records of 16 bytes after a linear address record.
    package static func of(_ images: [(address: Int, bytes: [UInt8])]) -> String {
        images.map { lines(of: $0.bytes, at: $0.address) }.joined() + record([0, 0, 0, 1])
    }

    private static func lines(of bytes: [UInt8], at base: Int) -> String {
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 16) {
            let address = base + start
            if start == 0 || address & 0xFFFF == 0 { text += record([2, 0, 0, 4] + big(address >> 16)) }
            let line = bytes[start..<min(start + 16, bytes.count)]
            text += record([UInt8(line.count)] + big(address & 0xFFFF) + [0] + line)
        }
        return text
    }

    /// One record with its checksum, from count, address, type and data.
    package static func record(_ content: [UInt8]) -> String {
        let sum = content.reduce(UInt8(0), &+)
        return ":" + (content + [0 &- sum]).map { String(format: "%02X", $0) }.joined() + "\n"
    }

    private static func big(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }
}
