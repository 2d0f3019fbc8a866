import Foundation
import Glibc

/// Typed lines of earlier conversations, for their owner alone.
struct HistoryFile: Sendable {
    private static let sizeLimit = 2 << 20

    let path: String

    init(stateFolder: String) { path = "\(stateFolder)/chat-history" }

    /// Empty when there is none, or none that can be read: a conversation does not end for that.
    func load() -> InputHistory {
        guard let bytes = try? InputFile.read(path, limit: Self.sizeLimit) else { return InputHistory() }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(Self.decode)
        if lines.count > 2 * InputHistory.limit { rewrite(lines.suffix(InputHistory.limit)) }
        return InputHistory(lines: lines.filter { $0.utf8.count <= LineEditor.limit })
    }

    func append(_ line: String) {
        try? PrivateFile.makeFolder((path as NSString).deletingLastPathComponent)
        guard let file = try? AppendedFile(path) else { return }
        _ = file.write(Self.encode(line))
    }

    private func rewrite(_ lines: ArraySlice<String>) {
        guard let descriptor = try? PrivateFile.open(path + ".new", O_WRONLY | O_TRUNC) else { return }
        let isWritten = PrivateFile.write(lines.map { Self.encode($0) + "\n" }.joined().utf8, to: descriptor)
        close(descriptor)
        if isWritten { rename(path + ".new", path) }
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
