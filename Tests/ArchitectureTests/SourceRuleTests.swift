import Foundation
import Testing

/// Rules of CONTRIBUTING.md that a compiler does not hold.
@Suite struct SourceRuleTests {
    private static let sources = Project.root.appendingPathComponent("Sources")

    private func libraryFiles() -> [URL] {
        Project.swiftFiles(in: Self.sources).filter { !$0.path.contains("/Sources/noafw/") && !$0.lastPathComponent.hasSuffix(".pb.swift") }
    }

    private func filesWithTests() -> [URL] {
        Project.swiftFiles(in: Self.sources) + Project.swiftFiles(in: Project.root.appendingPathComponent("Tests"))
    }

    /// Unstructured work outlives its session; these end a process on somebody else's data; print belongs to a renderer.
    @Test(arguments: [
        "Task.detached", "Task {", "Task.sleep", "DispatchQueue", "fatalError(", "preconditionFailure(", "try!", "as!", "print(",
    ])
    func librariesDoWithout(construct: String) throws {
        let files = libraryFiles()
        #expect(files.count > 20)
        for file in try Project.files(files, holding: construct) {
            for (number, line) in try Project.lines(of: file).enumerated() {
                let code = line.range(of: "//").map { line[..<$0.lowerBound] } ?? line
                #expect(!holds(code, construct), "\(file.lastPathComponent):\(number + 1): \(line)")
            }
        }
    }

    /// Foundation's errors describe themselves by a domain and a number: `SystemError.text` has words.
    @Test func noErrorDescribesItself() throws {
        for file in Project.swiftFiles(in: Self.sources)
        where !["SystemError.swift", "TransportReason.swift", "Program.swift"].contains(file.lastPathComponent) {
            for line in try Project.lines(of: file) {
                #expect(!line.contains("localizedDescription") && !line.contains(#""\(error)""#), "\(file.lastPathComponent): \(line)")
            }
        }
    }

    /// Handlers of `exit` free what another thread may still use; nothing here is buffered.
    @Test func theToolEndsAtOnce() throws {
        for file in try Project.files(Project.swiftFiles(in: Self.sources.appendingPathComponent("noafw")), holding: "exit(") {
            for line in try Project.lines(of: file) where !line.contains("\"") {
                #expect(line.firstMatch(of: /(^|[^_\w.])exit\(/) == nil, "\(file.lastPathComponent): \(line)")
            }
        }
    }

    /// SwiftPM's accessor ends the process when the binary was moved without its resources.
    @Test func resourcesAreLookedFor() throws {
        for file in try Project.files(Project.swiftFiles(in: Self.sources), holding: "Bundle.module") {
            for line in try Project.lines(of: file) { #expect(!holds(line[...], "Bundle.module"), "\(file.lastPathComponent): \(line)") }
        }
    }

    /// An address of memory is used again: what comes there is taken for what was there.
    @Test(arguments: ["ObjectIdentifier", "hashValue"])
    func nothingIsKnownByItsAddressInMemory(construct: String) throws {
        for file in try Project.files(Project.swiftFiles(in: Self.sources), holding: construct) {
            for (number, line) in try Project.lines(of: file).enumerated() {
                #expect(!line.contains(construct), "\(file.lastPathComponent):\(number + 1): \(line)")
            }
        }
    }

    /// libdispatch watches a file by its descriptor: one that is closed in time for a hang-up ends the process
    /// (`_dispatch_event_loop_drain`).
    @Test(arguments: ["readability" + "Handler", "writeability" + "Handler", "makeRead" + "Source", "makeWrite" + "Source"])
    func noFileIsWatchedByItsDescriptor(construct: String) throws {
        for file in filesWithTests() {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains(construct), "\(file.lastPathComponent)")
        }
    }

    /// Foundation's ended the tests about once in fifty runs on a busy machine, within its own `run()`.
    @Test func programsAreStartedWithoutFoundation() throws {
        for file in try Project.files(filesWithTests(), holding: "Process()") {
            for line in try Project.lines(of: file) { #expect(!holds(line[...], "Process()"), "\(file.lastPathComponent): \(line)") }
        }
    }

    @Test func importsAreFoundInEveryForm() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-imports-\(UUID().uuidString).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try """
            @testable import A
            public import struct B.Inner
            @_exported import C // import D
            // import E
            let text = "import F"
            let python = \"""
            import G
            \"""
            import H; important import
            """.write(to: file, atomically: true, encoding: .utf8)
        #expect(try Project.imports(of: file) == ["A", "B", "C", "H"])
    }

    /// A key, a digest or a document of a test cannot be broken: a line may hold one long word. What a program prints is as wide as it is.
    @Test(arguments: ["Sources", "Tests"])
    func linesAreAtMost140ColumnsWide(folder: String) throws {
        for file in Project.swiftFiles(in: Project.root.appendingPathComponent(folder)) where !file.path.hasSuffix(".pb.swift") {
            var isText = false
            for (number, line) in try Project.lines(of: file).enumerated() {
                if line.contains("\"\"\""), line.components(separatedBy: "\"\"\"").count == 2 { isText.toggle() }
                guard line.utf8.count > 140 else { continue }
                let longest = line.split(separator: " ").map(\.count).max() ?? 0
                #expect(line.count <= 140 || isText || longest > 75, "\(file.lastPathComponent):\(number + 1): \(line)")
            }
        }
    }

    @Test func filesStayUnder400Lines() throws {
        for file in Project.swiftFiles(in: Self.sources) where !file.lastPathComponent.hasSuffix(".pb.swift") {
            let count = try Project.lines(of: file).count
            #expect(count <= 400, "\(file.lastPathComponent) has \(count) lines")
        }
    }

    /// The construct as a word of its own outside a string, so that `fprint(` or a Python line does not count.
    private func holds(_ code: Substring, _ construct: String) -> Bool {
        let unquoted = code.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map { String($0.element) }.joined(separator: " ")
        var rest = unquoted[...]
        while let found = rest.range(of: construct) {
            let before = found.lowerBound > rest.startIndex ? rest[rest.index(before: found.lowerBound)] : " "
            if !before.isLetter, !before.isNumber, before != "_", before != "." { return true }
            rest = rest[found.upperBound...]
        }
        return false
    }
}
