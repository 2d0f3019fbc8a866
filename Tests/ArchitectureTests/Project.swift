import Foundation
import TestSupport
import Testing

/// The project as it stands on disk.
struct Project {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    struct Target {
        var name: String
        var isTest: Bool
        /// Targets and products.
        var dependencies: Set<String>
        var folder: URL
    }

    let targets: [Target]

    /// Read once for all tests: SwiftPM takes seconds.
    static let current = Result { try Project() }

    /// Reads the package through SwiftPM, in a scratch folder of its own: the test run holds the lock of the usual one.
    private init() throws {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-dump-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let pipe = Pipe()
        let swift = try TestProcess(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["swift", "package", "--package-path", Self.root.path, "--scratch-path", scratch.path, "dump-package"],
            output: .pipe(pipe), errors: .nothing)
        let dump = try pipe.fileHandleForReading.readToEnd() ?? Data()
        try #require(swift.terminationStatus == 0, "swift package dump-package failed")
        targets = try JSONDecoder().decode(Dump.self, from: dump).targets.map(\.value)
    }

    /// The Swift files below a folder.
    static func swiftFiles(in folder: URL) -> [URL] {
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (names?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    }

    /// The files that hold a text: a look at each line of every file takes seconds.
    static func files(_ files: [URL], holding text: String) throws -> [URL] {
        try files.filter { try String(contentsOf: $0, encoding: .utf8).contains(text) }
    }

    /// A file's lines, with those inside a multi-line string literal (such as a unit's Python) emptied.
    static func lines(of file: URL) throws -> [Substring] {
        var isInLiteral = false
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.map { line in
            let wasInLiteral = isInLiteral
            guard line.utf8.contains(quote) else { return wasInLiteral ? "" : line }
            let delimiters = line.replacing("\\\"\"\"", with: "").ranges(of: "\"\"\"")
            if !delimiters.count.isMultiple(of: 2) { isInLiteral.toggle() }
            return wasInLiteral ? "" : line
        }
    }

    private static let quote = UInt8(ascii: "\"")

    /// A file's lines that hold one of the words, without comments, and without the texts of string literals; one with an interpolation
    /// stays.
    static func code(of file: URL, holding words: [String]) throws -> [String] {
        try lines(of: file).filter { line in words.contains { line.contains($0) } }.map { line in
            String(line.replacing(/"([^"\\]|\\[^(])*"/, with: "\"\"").prefix { $0 != "/" })
        }
    }

    /// The modules that a file imports, whatever the form: `@testable import X`, `import struct X.Y`.
    static func imports(of file: URL) throws -> Set<String> {
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias", "actor"]
        return try lines(of: file).filter { $0.contains("import") }.reduce(into: []) { modules, line in
            let words = line.prefix { $0 != "/" }.split(whereSeparator: \.isWhitespace)
            guard let at = words.firstIndex(of: "import"), words[..<at].allSatisfy(isModifier), at + 1 < words.count else { return }
            let name = kinds.contains(words[at + 1]) && at + 2 < words.count ? words[at + 2] : words[at + 1]
            modules.insert(String(name.prefix { $0 != "." && $0 != ";" }))
        }
    }

    private static func isModifier(_ word: Substring) -> Bool {
        word.hasPrefix("@") || ["public", "package", "internal", "fileprivate", "private"].contains(word)
    }
}

/// What `swift package dump-package` prints, as far as it matters here.
private struct Dump: Decodable {
    struct Target: Decodable {
        struct Dependency: Decodable {
            /// The first element of each is the name.
            var byName: [Name?]?
            var product: [Name?]?
            var target: [Name?]?
        }

        /// A name, or any other value: those are conditions and module aliases.
        struct Name: Decodable {
            var text: String?
            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }

        var name: String
        var type: String
        var path: String?
        var dependencies: [Dependency]

        var value: Project.Target {
            let names = dependencies.compactMap { dependency -> String? in
                let list = dependency.byName ?? dependency.product ?? dependency.target ?? []
                return list.first.flatMap { $0 }?.text
            }
            let folder = Project.root.appendingPathComponent(path ?? "\(type == "test" ? "Tests" : "Sources")/\(name)")
            return Project.Target(name: name, isTest: type == "test", dependencies: Set(names), folder: folder)
        }
    }

    var targets: [Target]
}
