import Foundation
import Glibc
import TestSupport

/// A process that writes records (`Tests/LedgerWriter`), and what it said.
final class WriterProcess {
    struct Line {
        var what: String
        var id: String
        var seq: Int
        var notices: String
    }

    private let process: TestProcess
    private let output = Pipe()
    private let input = Pipe()
    private var pending = Data()

    init(_ arguments: String...) throws {
        process = try TestProcess(Self.program, arguments, input: .pipe(input), output: .pipe(output))
    }

    /// Beside the tests' own bundle.
    private static let program = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(
        "LedgerWriter")

    func kill() { process.signal(SIGKILL) }

    func endInput() { try? input.fileHandleForWriting.close() }

    /// Waits for one line.
    func line() -> Line? {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let text = String(decoding: pending[..<end], as: UTF8.self)
                pending = Data(pending[(end + 1)...])
                return Self.parse(text)
            }
            let more = output.fileHandleForReading.availableData
            guard !more.isEmpty else { return nil }
            pending += more
        }
    }

    /// Waits for so many lines, or its end.
    func lines(_ count: Int) -> [Line] { (0..<count).compactMap { _ in line() } }

    /// Waits for its end. A line that the kill cut off is left out.
    func rest() -> [Line] {
        var lines: [Line] = []
        while let line = line() { lines.append(line) }
        process.waitUntilExit()
        return lines
    }

    private static func parse(_ text: String) -> Line {
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return Line(
            what: words[0], id: words.count > 1 ? words[1] : "", seq: words.count > 2 ? Int(words[2]) ?? 0 : 0,
            notices: words.count > 3 ? words[3] : "")
    }
}
