import Foundation
import Provisioning
import TestSupport
import Testing

@testable import noafw

/// What noafw tells people to run, and what it tells of itself.
@Suite struct CommandTextTests {
    @Test(arguments: [
        ("verify --device verify", "noafw flash --device verify --only scripts"),
        ("verify --virtual monocle --scripts verify --deep", "noafw flash --virtual monocle --scripts verify --only scripts"),
        ("verify --only fpga,scripts --json --nearest", "noafw flash --nearest --only scripts"),
    ])
    func theRepairKeepsWhatWasGiven(words: String, repair: String) {
        let arguments = words.split(separator: " ").map(String.init)
        #expect(CommandLineText.repair(arguments, parts: [.scripts]) == repair)
    }

    @Test func theVersionIsTold() async {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(["--version"])) == 0)
        #expect(harness.output == ToolVersion.current + " (development build)\n" && harness.diagnostics == "")
    }

    @Test func helpShowsEachOptionOnce() async throws {
        let commands = try await Self.helpOfEachCommand()
        #expect(commands.count > 15)
        for (command, help) in commands {
            let names = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
                .compactMap { $0.split(whereSeparator: { " ,".contains($0) }).first { $0.hasPrefix("--") } }
            let repeated = Dictionary(grouping: names, by: { $0 }).filter { $0.value.count > 1 }.keys
            #expect(repeated.isEmpty, "\(command): \(repeated)")
        }
    }

    @Test func helpShowsAnExampleOfEachVerb() async throws {
        for (command, help) in try await Self.helpOfEachCommand() {
            let examples = help.split(separator: "\n").drop { !$0.hasPrefix("Example") }.prefix { !$0.hasPrefix("USAGE") }
            // A bundle is created without the word.
            let words = "noafw" + (command.isEmpty ? "" : " " + command.replacing(" create", with: ""))
            #expect(examples.contains { $0.contains("  " + words) || $0.contains("| " + words) }, "\(command): \(examples)")
        }
    }

    /// For each option of all verbs, whatever else is wrong.
    @Test func aMistypedOptionIsAnsweredWithTheRightOne() async throws {
        var seen: Set<Substring> = ["--help", "--version"]
        // What may hold a secret is not repeated.
        for (command, help) in try await Self.helpOfEachCommand() where command != "type" {
            let names = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
                .compactMap { $0.split(whereSeparator: { " ,/".contains($0) }).first { $0.hasPrefix("--") && $0.count > 6 } }
            for name in names where seen.insert(name).inserted && (TestRange.isFull || seen.count % 4 == 0) {
                var mistyped = name
                mistyped.remove(at: mistyped.index(mistyped.startIndex, offsetBy: 4))
                guard !names.contains(mistyped) else { continue }
                let harness = Harness()
                let code = await Noafw.execute(in: harness.context(command.split(separator: " ").map(String.init) + [String(mistyped)]))
                #expect(code == 64 && harness.diagnostics.contains("id you mean '--"), "\(command) \(mistyped): \(harness.diagnostics)")
            }
        }
        #expect(seen.count > 100)
    }

    /// A verb and its options that a message names exist.
    @Test func messagesNameRealCommands() async throws {
        let commands = try await Self.helpOfEachCommand()
        var count = 0
        for (file, line) in try Self.remedies() {
            for found in line.matches(of: /noafw ([a-z]+)((?: [a-z]+)*)((?: (?:--?[a-z-]+|[A-Z]+))*)/) where !Self.prose.contains(found.1) {
                count += 1
                // A word of prose may follow the verb.
                let words = found.2.split(separator: " ").prefix(2).map(String.init)
                let names = (0...words.count).reversed().map { ([String(found.1)] + words.prefix($0)).joined(separator: " ") }
                guard let help = names.compactMap({ commands[$0] }).first else {
                    Issue.record("\(file): noafw \(found.1)")
                    continue
                }
                let options = Set(help.split { " ,/\n[]".contains($0) })
                for option in found.3.split(separator: " ") where option.hasPrefix("-") {
                    #expect(options.contains(option), "\(file): \(found.0)")
                }
            }
        }
        #expect(count > 20)
    }

    /// Verbs of English after the program's name.
    private static let prose: Set<Substring> = [
        "does", "has", "needs", "process", "knows", "may", "looked", "looks", "received", "supports", "was", "wrote"
    ]

    private static func remedies() throws -> [(file: String, line: String)] {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.flatMap { file in
            try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .filter { $0.contains("remedy:") || $0.contains("fix:") }.map { (file.lastPathComponent, String($0)) }
        }
    }

    /// By the words that name a command.
    static func helpOfEachCommand() async throws -> [String: String] { try await helps.value }

    private static let helps = Task<[String: String], any Error> {
        var found: [String: String] = [:]
        var open: [[String]] = [[]]
        while let words = open.popLast() {
            let harness = Harness()
            try #require(await Noafw.execute(in: harness.context(words + ["--help"])) == 0)
            found[words.joined(separator: " ")] = harness.output
            let lines = harness.output.components(separatedBy: "\nSUBCOMMANDS:\n").dropFirst().first?.split(separator: "\n") ?? []
            open += lines.compactMap { $0.firstMatch(of: /^  ([a-z]+)\s/).map { words + [String($0.1)] } }
        }
        return found
    }
}
