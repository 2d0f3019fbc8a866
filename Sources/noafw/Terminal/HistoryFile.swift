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
        let lines = Self.lines(in: bytes, isWhole: isWhole)
        let usable = lines.filter { $0.utf8.count <= LineEditor.limit }
        if !isWhole || lines.count > 2 * InputHistory.limit { rewrite(usable.suffix(InputHistory.limit)) }
        return InputHistory(lines: usable)
    }

    /// What a person may have changed in the file steers no terminal either.
    static func lines(in bytes: [UInt8], isWhole: Bool = true) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n")).dropFirst(isWhole ? 0 : 1)
            .map { LineEditor.harmless(decode(String(decoding: $0, as: UTF8.self))) }.filter { !$0.isEmpty }
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

    // By scalars: a mark joins the character before it, also a backslash or an n.
    static func encode(_ line: String) -> String {
        line.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    static func decode(_ line: String) -> String {
        var result = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in line.unicodeScalars {
            if isEscaped {
                result.append(scalar == "n" ? "\n" : scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
