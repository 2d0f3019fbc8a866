import Glibc
import REPL
import Support

/// Compiles scripts with the language's own compiler, several at a time.
public struct SyntaxChecker: Sendable {
    /// Milliseconds for one script; the largest take a second.
    private static let timeLimit = 30_000
    /// A compiler's error message has about a hundred bytes.
    static let outputLimit = 4096

    private let tool: SyntaxTool
    private let path: String

    public init(_ tool: SyntaxTool, path: String) { (self.tool, self.path) = (tool, path) }

    /// - Throws: ``BundleError/syntax(_:)`` for the first file with a mistake, ``BundleError/checkFailed(file:reason:)``.
    public func check(_ files: [ScriptSet.File]) throws(BundleError) {
        try check(files) { mistake throws(BundleError) in throw .syntax(mistake) }
    }

    /// The first mistake of each file: a compiler finds no more.
    /// - Throws: ``BundleError/checkFailed(file:reason:)``.
    public func mistakes(in files: [ScriptSet.File]) throws(BundleError) -> [SyntaxMistake] {
        var found: [SyntaxMistake] = []
        try check(files) { found.append($0) }
        let order = Dictionary(files.enumerated().map { ($1.name, $0) }) { first, _ in first }
        return found.sorted { order[$0.file] ?? 0 < order[$1.file] ?? 0 }
    }

    /// Starting a compiler takes longer than most scripts, so several go as one; if a compiler refuses them, each half goes alone.
    private func check(_ files: [ScriptSet.File], _ report: (SyntaxMistake) throws(BundleError) -> Void) throws(BundleError) {
        var waiting = ScriptGroup.groups(of: files, for: tool)[...]
        var running: [(group: ScriptGroup, compiler: BoundedProcess)] = []
        defer { for (_, compiler) in running { compiler.kill() } }
        // Twice the processors: one starts while another is being judged.
        let width = max(1, 2 * sysconf(Int32(_SC_NPROCESSORS_ONLN)))
        while !waiting.isEmpty || !running.isEmpty {
            while running.count < width, let group = waiting.popFirst() {
                if let file = group.files.first, let reason = tool.refusal(of: file.bytes) {
                    try report(SyntaxMistake(file: file.name, line: nil, says: reason))
                    continue
                }
                running.append((group, try start(group)))
            }
            guard !running.isEmpty else { return }
            // In order, so that the same mistake is reported each time; the others keep running.
            let (group, compiler) = running.removeFirst()
            try judge(compiler.wait(milliseconds: Self.timeLimit), group, report)
        }
    }

    private func judge(
        _ ending: BoundedProcess.Ending, _ group: ScriptGroup, _ report: (SyntaxMistake) throws(BundleError) -> Void
    ) throws(BundleError) {
        if group.files.count == 1 {
            if let mistake = try mistake(ending, in: group.files[0]) { try report(mistake) }
        } else if ending != .exited(status: 0, output: []) {
            for half in group.halves { try judge(start(half).wait(milliseconds: Self.timeLimit), half, report) }
        }
    }

    private func start(_ group: ScriptGroup) throws(BundleError) -> BoundedProcess {
        let text = group.text
        guard let compiler = BoundedProcess(path, tool.arguments(byteCount: text.count), input: text, outputLimit: Self.outputLimit) else {
            throw .checkFailed(file: group.files[0].name, reason: "\(path) cannot be started")
        }
        return compiler
    }

    private func mistake(_ ending: BoundedProcess.Ending, in file: ScriptSet.File) throws(BundleError) -> SyntaxMistake? {
        switch ending {
        case .exited(0, _): return nil
        // 126 and 127 come from the system: the program could not be run.
        case .exited(let status, let output) where status < 126: return SyntaxMistake(file: file.name, compilerSays: words(output))
        case .exited(let status, _): throw .checkFailed(file: file.name, reason: "\(path) ended with status \(status)")
        case .killed(let signal): throw .checkFailed(file: file.name, reason: "\(path) died of signal \(signal)")
        case .timedOut: throw .checkFailed(file: file.name, reason: "it took longer than \(Self.timeLimit / 1000) s")
        }
    }

    /// The compiler's message on one line, without its own name and boilerplate.
    private func words(_ output: [UInt8]) -> String {
        let lines = output.split { $0 == 0x0A || $0 == 0x0D }.map { PrintableText.of($0).replacing("\(path): ", with: "") }
        let telling = lines.filter { !$0.hasPrefix("Traceback") }
        let text = telling.map { $0.drop { $0 == " " } }.joined(separator: ": ")
        return text.isEmpty ? "the compiler refused it without a message" : text
    }
}
