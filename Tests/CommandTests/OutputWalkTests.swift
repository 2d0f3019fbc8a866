import Foundation
import TestSupport
import Testing

@testable import noafw

/// Every option of every verb, as the parser itself lists them: what names a file says what becomes of it, and no result is written over
/// anything that is to stay.
@Suite struct OutputWalkTests {
    enum Role: Sendable, Hashable {
        case file, folder, catalogue, output, new
        /// Its files are named within a value.
        case server

        var isOutput: Bool { self == .output || self == .new }
    }

    /// What names files. Positional ones by the name of their value, with their verb.
    private static let roles: [String: Role] = [
        "--bundle": .file, "--firmware": .file, "--fpga": .file, "--scripts": .folder, "--trust": .file, "--assets": .catalogue,
        "--devices": .file, "--expect": .file, "--baseline": .file, "--allow": .file, "--script": .file, "--sign": .file, "--check": .file,
        "--key": .file, "--key-file": .file, "--application": .file, "--softdevice": .file, "--bootloader": .file, "--ledger": .server,
        "--csv": .output, "--junit": .output, "--events": .output, "--html": .output, "--transcript": .output, "--save-media": .output,
        "bundle create --output": .output, "package create --output": .output, "ledger export --output": .output,
        "bundle key new --output": .new, "package key new --output": .new,
        "bundle create <folder>": .folder, "bundle show <file>": .file, "bundle key show <file>": .file, "package key show <file>": .file,
        "lint <folder>": .folder, "bundle verify <file>": .file, "bundle sbom <file>": .file, "bundle provenance <file>": .file,
        "--provenance": .file, "bundle sbom --output": .output, "bundle provenance --output": .output,
        "screen --output": .output, "photo --output": .output,
        "package inspect <file>": .file, "package verify <file>": .file, "assets add <file>": .file,
        "robot image <file>": .file, "run <file>": .file, "dev <folder>": .folder, "--log": .output,
    ]

    /// What takes a value and names no file.
    private static let others: Set<String> = [
        "--adapter", "--app-boot-validation", "--application-version", "--application-version-string", "--assistant", "--base-url",
        "--batch",
        "--bootloader-version", "--canary", "--claims", "--code", "--count", "--device", "--family", "--fixture", "--format",
        "--fpga-version",
        "--hardware", "--hw-version", "--jobs", "--limit", "--min-battery", "--model", "--near", "--only", "--operator", "--order",
        "--part",
        "--query", "--sd-boot-validation", "--sd-id", "--sd-req", "--seconds", "--seed", "--serial", "--serial-pattern", "--sha256",
        "--since", "--url", "--firmware-version", "--ctrl", "--magic", "--layout", "--prove", "--for", "--speed", "--status", "type <text>",
        "fs ls <place>", "fs cat <place>", "fs cp <place>", "fs rm <place>", "fs mkdir <place>",
        "restore <time>", "run <argument>", "exec <code>",
        "robot drive <left right>", "robot lights <front>", "robot lights <back>", "robot indicate <side>",
        "--station", "--stop-after", "--timeout", "--unit", "--verb", "--verdict", "--version", "--version-scheme", "--virtual",
        "--virtual-speed", "--wait", "--watch-program", "ledger show <run>",
        "--after", "--quality", "--size",
        "--label", "--mirror", "assets fetch <family>", "--name", "--source", "--commit", "--builder", "--invocation",
        "explain <code>", "units name <unit>", "units name <name>",
        "units forget <unit>",
    ]

    /// What a verb needs beside the option that is looked at; in place of `PLACE` a name that is not there.
    private static let needs = [
        "explain": "NOA-0001", "assets fetch": "frame --dry-run",
        "lint": "PLACE", "bundle verify": "PLACE", "bundle sbom": "PLACE", "bundle provenance": "PLACE",
        "units name": "C6:05:04:03:02:01 Room", "units forget": "C6:05:04:03:02:01",
        "bundle create": "src -o PLACE", "bundle show": "PLACE", "bundle key show": "PLACE", "package key show": "PLACE",
        "package inspect": "PLACE", "run": "PLACE", "dev": "PLACE", "exec": "1",
        "package verify": "PLACE", "assets add": "PLACE", "ledger export": "--csv", "bundle key new": "-o PLACE",
        "package key new": "-o PLACE",
        "package create": "--family monocle --application PLACE --application-version 1 --key-file PLACE -o PLACE",
    ]
    /// What an option needs.
    private static let company = [
        "--fpga": "--fpga-version v23.230.0808", "--softdevice": "--sd-id 0x0123",
        "--bootloader": "--bootloader-version 1 --softdevice PLACE --sd-id 0x0123",
    ]
    /// Their results may go to standard output.
    private static let piped = ["bundle create", "bundle sbom", "bundle provenance", "package create"]
    private static let shorts = ["-o": "--output"]

    private let folder: TemporaryFolder
    private let environment: [String: String]

    init() throws {
        folder = try TemporaryFolder()
        environment = [
            "HOME": folder.path("home"), "NOAFW_STATE_DIR": folder.path("state"), "NOAFW_TRUST_DIR": folder.path("trust"),
            "NOAFW_ASSETS": folder.path("assets"),
        ]
        for name in Self.own + ["in", "sub/main.py", "cat/Firmware/a.zip", "src/main.py"] { try folder.write("\(name)\n", to: name) }
        try folder.write("-----BEGIN PRIVATE KEY-----\n", to: "k.pem")
    }

    private static let own = [
        "state/ledger/ledger.sqlite", "state/ledger/spool/run", "state/units.json", "state/units.lock", "state/locks/a.lock",
        "state/chat-history",
        "state/virtual/frame/default/main.lua", "home/.config/noafw/config.json", "trust/a.pem", "assets/Firmware/manifest.json",
        "assets/FPGA/manifest.json", "assets/Scripts/frame/main.lua",
    ]
    /// Not there, and to be noafw's own where they are.
    private static let coming = [
        "state/ledger/ledger.sqlite-wal", "state/virtual/monocle/new", "trust/b.pem", "assets/Scripts/monocle/new.py"
    ]

    private func content() throws -> [String: [UInt8]] {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return Dictionary(uniqueKeysWithValues: paths.map { ($0, (try? folder.read($0)) ?? []) })
    }

    // MARK: - The list

    private struct Verb: Sendable {
        var name: String
        var arguments: [Argument]
        var flags: Set<String>
    }

    private struct Argument: Sendable {
        var name: String
        var role: Role?
        /// Whether shells complete it as one.
        var isFile: Bool
    }

    private struct Dump: Decodable {
        struct Argument: Decodable {
            var kind: String
            var valueName: String?
            var preferredName: Name?
            var completionKind: Completion?
        }
        struct Completion: Decodable {
            enum Key: CodingKey { case file, directory }
            let isFile: Bool

            init(from decoder: any Decoder) throws { isFile = try !decoder.container(keyedBy: Key.self).allKeys.isEmpty }
        }
        struct Name: Decodable { var name: String }
        struct Command: Decodable {
            var commandName: String
            var arguments: [Argument]?
            var subcommands: [Command]?
        }
        var command: Command
    }

    /// The verbs with what takes a value.
    private static func verbs() async throws -> [Verb] {
        let harness = Harness()
        #expect(await Noafw.execute(in: harness.context(["--experimental-dump-help"])) == 0)
        let dump = try JSONDecoder().decode(Dump.self, from: Data(harness.output.utf8))
        return (dump.command.subcommands ?? []).flatMap { leaves($0, []) }
    }

    private static func leaves(_ command: Dump.Command, _ above: [String]) -> [Verb] {
        let names = above + [command.commandName]
        if command.commandName == "help" { return [] }
        if let subcommands = command.subcommands { return subcommands.flatMap { leaves($0, names) } }
        let verb = names.joined(separator: " ")
        let all = command.arguments ?? []
        let arguments = all.filter { $0.kind != "flag" }.map { argument in
            let name = argument.kind == "option" ? "--" + (argument.preferredName?.name ?? "") : "<\(argument.valueName ?? "")>"
            return Argument(name: name, role: roles["\(verb) \(name)"] ?? roles[name], isFile: argument.completionKind?.isFile == true)
        }
        return [Verb(name: verb, arguments: arguments, flags: Set(all.filter { $0.kind == "flag" }.compactMap(\.preferredName?.name)))]
    }

    /// A command line of the verb with a name for each of these.
    private func line(_ verb: Verb, _ values: [(name: String, value: String)]) -> [String] {
        var words = (Self.needs[verb.name] ?? "").split(separator: " ").map(String.init)
        for (name, value) in values {
            let place = name.hasPrefix("<") ? words.indices.first : words.firstIndex { (Self.shorts[$0] ?? $0) == name }.map { $0 + 1 }
            if let place { words[place] = value } else { words += [name, value] }
            words += (Self.company[name] ?? "").split(separator: " ").map(String.init)
        }
        return verb.name.split(separator: " ").map(String.init) + words.map { $0 == "PLACE" ? "none" : $0 }
    }

    // MARK: - Tests

    @Test func eachValueIsDeclared() async throws {
        let verbs = try await Self.verbs()
        #expect(verbs.count > 20)
        for verb in verbs {
            for argument in verb.arguments where argument.role == nil {
                guard argument.isFile || Self.others.isDisjoint(with: [argument.name, "\(verb.name) \(argument.name)"]) else { continue }
                Issue.record("\(verb.name) \(argument.name): is it a file that is read or written? Say so here, and by its type (FileName)")
            }
        }
        let all = Set(verbs.flatMap { verb in verb.arguments.flatMap { [$0.name, "\(verb.name) \($0.name)"] } })
        #expect(all.isSuperset(of: Self.roles.keys) && all.isSuperset(of: Self.others), "what is gone")
    }

    @Test func noResultReplacesAnInput() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("soft"), withDestinationPath: "in")
        try FileManager.default.createSymbolicLink(atPath: folder.path("way"), withDestinationPath: "sub")
        try FileManager.default.linkItem(atPath: folder.path("sub/main.py"), toPath: folder.path("hard"))
        var (count, turns) = (0, Turns())
        for verb in try await Self.verbs() {
            for output in verb.arguments where output.role?.isOutput == true {
                // Standard output, or nothing.
                if !["--csv", "--junit", "--events"].contains(output.name), !Self.piped.contains(verb.name) {
                    await refuse(line(verb, [(output.name, "-")]), "NOA-0064")
                }
                for input in verb.arguments {
                    guard let role = input.role, let (given, code, results) = Self.places(role), input.name != "--check" else { continue }
                    for result in turns.next(of: results) {
                        count += results.count
                        await refuse(line(verb, [(input.name, given), (output.name, result)]), code)
                    }
                }
                for other in verb.arguments where other.role?.isOutput == true && other.name != output.name {
                    count += 1
                    await refuse(line(verb, [(output.name, "new"), (other.name, "sub/../new")]), "NOA-0064")
                }
            }
        }
        #expect(count > 150 && turns.areOver, "\(count)")
    }

    /// What is given as an input, and where no result goes then.
    private static func places(_ role: Role) -> (given: String, code: String, results: [String])? {
        switch role {
        case .file: ("in", "NOA-0024", ["in", "./sub/../in", "soft"])
        case .folder: ("sub", "NOA-0025", ["sub/main.py", "sub/new", "way/new", "hard", "none/../sub/new"])
        case .catalogue: ("cat", "NOA-0025", ["cat/Firmware/a.zip", "cat/Firmware/new"])
        case .server: ("postgresql://localhost/noafw?sslrootcert=in", "NOA-0024", ["in", "soft"])
        case .output, .new: nil
        }
    }

    @Test func noResultReplacesWhatIsNoafwsOwn() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder.path("soft"), withDestinationPath: "state/units.json")
        try FileManager.default.createSymbolicLink(atPath: folder.path("dangling"), withDestinationPath: "state/ledger/new")
        try FileManager.default.linkItem(atPath: folder.path("state/ledger/ledger.sqlite"), toPath: folder.path("hard"))
        var turns = Turns()
        for verb in try await Self.verbs() {
            for output in verb.arguments {
                guard let role = output.role, role.isOutput else { continue }
                for place in turns.next(of: Self.own + Self.coming + ["soft", "dangling", "hard"]) {
                    await refuse(line(verb, [(output.name, place)]), "NOA-0039")
                }
                if role != .new { await refuse(line(verb, [(output.name, "k.pem")]), "NOA-0026") }
            }
        }
        #expect(turns.areOver)
    }

    /// Of each list of places one, the next each time it is asked for; all in the full range.
    private struct Turns {
        private var counts: [[String]: Int] = [:]

        /// Each place of each list had its turn.
        var areOver: Bool { TestRange.isFull || counts.allSatisfy { $1 >= $0.count } }

        mutating func next(of places: [String]) -> [String] {
            defer { counts[places, default: 0] += 1 }
            return TestRange.of(places, quick: [places[counts[places, default: 0] % places.count]])
        }
    }

    private func refuse(_ arguments: [String], _ code: String) async {
        let harness = Harness()
        let before = try? content()
        let isJSON = arguments[0] == "verify"
        let status = await Noafw.execute(
            in: harness.context(arguments + (isJSON ? ["--json"] : []), environment: environment, folder: folder.path))
        #expect(status == 64 && harness.diagnostics.hasPrefix("error \(code): "), "\(arguments): \(harness.diagnostics)")
        #expect(isJSON == harness.output.hasPrefix(#"{"schema":"noafw.error/1","error":{"code":"\#(code)""#), "\(harness.output)")
        #expect(before != nil && before == (try? content()), "\(arguments)")
    }

    /// A document that cannot be written is told in words, and never a success. No verb gets to a real unit here.
    @Test func noDocumentIsLostWithoutAWord() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let verbs = try await Self.verbs().filter { $0.flags.contains("json") }
        #expect(verbs.count > 15)
        for verb in verbs {
            let names = verb.arguments.map(\.name)
            let unit =
                names.contains("--virtual")
                ? ["--virtual", "monocle", "--virtual-speed", "max"] : names.contains("--adapter") ? ["--adapter", "usb:99-9"] : []
            // A verb that passes with these shows that the document's loss alone ends it so.
            let usual = [
                "flash": ["--only", "scripts"], "assets list": [], "ledger list": [], "logs": ["--for", "1s"], "watch": ["--for", "1s"],
            ][verb.name]
            let words = (line(verb, []).filter { $0 != "--csv" } + unit + (usual ?? []) + ["--json"]).map { "'\($0)'" }.joined(
                separator: " ")
            let (status, output) = try runProgram(
                "/usr/bin/timeout", ["60", "/bin/bash", "-c", "'\(ToolBench.tool.path)' \(words) 2>&1 >/dev/full </dev/null"],
                environment: ProcessInfo.processInfo.environment.merging(bench.environment()) { $1 }, folder: folder.path)
            #expect(
                (1...77).contains(status) && output.contains(#/^(error [A-Z]+-[0-9A-F]+|Error): /#.anchorsMatchLineEndings()),
                "\(words): \(status) \(output)")
            #expect(status == 64 || output.contains("error NOA-0005: "), "\(words): \(status) \(output)")
            if usual != nil { #expect(status == 74, "\(words): \(status) \(output)") }
        }
    }

    /// What is guarded is what a run leaves there.
    @Test func theStateFolderHoldsNothingElse() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        #expect(try bench.run(["flash", "--virtual", "monocle", "--virtual-speed", "max", "--only", "scripts"]).status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.state.path)
        #expect(names.count > 1 && Set(names).isSubset(of: OwnFiles.state), "\(names)")
    }
}
