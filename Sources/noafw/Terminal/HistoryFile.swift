import Bluetooth
import Foundation
import Glibc
import Support

/// What a person typed in earlier sessions. Only their owner can read them.
struct HistoryFile: Sendable {
    /// Bytes to read at the file's end.
    static let sizeLimit = 1 << 20

    let path: String

    /// - Parameter verb: where it was typed.
    init(stateFolder: String, of verb: String = "chat") { path = "\(stateFolder)/\(verb)-history" }

    /// Empty if the file is missing or unreadable: the conversation goes on.
    func load() -> InputHistory {
        guard let (bytes, isWhole) = tail() else { return InputHistory() }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").dropFirst(isWhole ? 0 : 1).map(Self.decode)
        let usable = lines.filter { $0.utf8.count <= LineEditor.limit }
        if !isWhole || lines.count > 2 * InputHistory.limit { rewrite(usable.suffix(InputHistory.limit)) }
        return InputHistory(lines: usable)
    }

    private func tail() -> (bytes: [UInt8], isWhole: Bool)? {
        guard let file = try? OpenedFile(path), let bytes = try? file.tail(limit: Self.sizeLimit) else { return nil }
        return (bytes, file.byteCount <= Self.sizeLimit)
    }

    func append(_ line: String) {
        guard line.utf8.count <= LineEditor.limit else { return }
        try? PrivateFile.makeFolder((path as NSString).deletingLastPathComponent)
        guard let file = try? AppendedFile(path, followsLinks: false) else { return }
        _ = file.write(Self.encode(line))
    }

    private func rewrite(_ lines: ArraySlice<String>) {
        try? FileWriter.replace(path, with: lines.map { Self.encode($0) + "\n" }.joined().utf8)
    }

    static func encode(_ line: String) -> String { line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n") }

    static func decode(_ line: some StringProtocol) -> String {
        var result = ""
        var isEscaped = false
        for character in line {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
