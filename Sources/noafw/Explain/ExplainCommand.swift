import ArgumentParser
import Support

/// `noafw explain`
struct ExplainCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain an error by its code.",
        discussion: """
            Shows what an error means, its likely cause and what to do. Words in capitals stand for the names of a case. \
            docs/errors.md lists every error.

            Examples:
              noafw explain BLE-0011
              noafw explain noa0024
              noafw explain DFU-0B05 --json

            Exit codes: 0 explained, 64 there is no such code.
            """)

    @Argument(
        help: "The code as it was shown, such as BLE-0011.", completion: LiveCompletion.kind { Set(ErrorEntry.all.map(\.code)).sorted() })
    var code: String

    @Flag(help: "Print one JSON document on standard output (schema noafw.explain/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let asked = ErrorEntry.code(code)
        return await OfflineCommand(context: context, isJSON: json).run(failure: { ExplainDocument(code: asked, error: $0) }) { style in
            let entries = ErrorEntry.entries(of: asked)
            guard !entries.isEmpty else {
                let nearest = Nearest.closest(to: asked, among: Set(ErrorEntry.all.map(\.code)).union(ErrorEntry.merged.keys).sorted())
                throw CommandError.noSuchCode(code, nearest: nearest ?? "-")
            }
            return OfflineCommand.Result(
                lines: Self.lines(asked, entries, style), document: ExplainDocument(code: asked, entries: entries, error: nil))
        }
    }

    private static func lines(_ asked: String, _ entries: [ErrorEntry], _ style: TextStyle) -> [String] {
        var lines: [String] = []
        if let new = ErrorEntry.merged[asked] { lines.append("\(asked) is \(new) in this version") }
        for entry in entries {
            lines.append("\(style.paint(entry.code, .strong)): \(entry.message)")
            lines.append("  cause: \(entry.cause)")
            lines.append("  do:    \(entry.remedy)")
        }
        return lines + ["  exit code \(entries[0].exit)"]
    }
}

/// The document `noafw.explain/1`.
struct ExplainDocument: Encodable, Sendable {
    struct Meaning: Encodable, Sendable { var message, cause, hint: String }

    let schema = "noafw.explain/1"
    /// As it was asked for.
    var code: String
    /// What it is called in this version.
    var current: String?
    var exit: Int?
    var meanings: [Meaning] = []
    var error: Diagnosis?

    init(code: String, entries: [ErrorEntry] = [], error: Diagnosis?) {
        (self.code, self.error) = (code, error)
        (current, exit) = (entries.first?.code, entries.first.map { Int($0.exit) })
        meanings = entries.map { Meaning(message: $0.message, cause: $0.cause, hint: $0.remedy) }
    }
}
