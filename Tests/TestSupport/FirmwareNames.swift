import Foundation

/// What the released Monocle firmware has by name (`Tests/Facts`).
package enum FirmwareNames {
    private struct Question: Encodable {
        var pieces: [String]
        var modules: [String: String]
    }

    private struct Lists: Decodable {
        /// Names with blanks between them, by module or type.
        var absent: [String: String]
    }

    private static let folder = TestTools.root.appendingPathComponent("Tests/Facts")
    private static let lists = folder.appendingPathComponent("monocle-v23.248.0754-names.json")

    /// Names, such as `binascii.hexlify`, that do not stand in the firmware's image.
    package static func absent() throws -> [String] {
        try JSONDecoder().decode(Lists.self, from: try Data(contentsOf: lists)).absent.flatMap { owner, names in
            names.isEmpty ? [owner] : names.split(separator: " ").map { "\(owner).\($0)" }
        }.sorted()
    }

    /// Names that code for a unit uses and that neither it nor the firmware has.
    /// - Parameters:
    ///   - pieces: code that is sent to one unit, one piece after the other.
    ///   - modules: scripts by the names of their modules.
    package static func foreign(pieces: [String] = [], modules: [String: String] = [:]) throws -> [String] {
        let input = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-names-\(UUID().uuidString)")
        try JSONEncoder().encode(Question(pieces: pieces, modules: modules)).write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let output = Pipe()
        let files = [
            folder.appendingPathComponent("used_names.py"), lists, folder.appendingPathComponent("monocle-firmware-modules.json")
        ]
        let process = try TestProcess(
            URL(fileURLWithPath: try TestTools.require(TestTools.python, "the Python of .venv")),
            files.map { $0.path(percentEncoded: false) }, input: .file(try FileHandle(forReadingFrom: input)), output: .pipe(output))
        let answer = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return try JSONDecoder().decode([String].self, from: answer)
    }
}
