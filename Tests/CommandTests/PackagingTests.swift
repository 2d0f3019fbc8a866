import Foundation
import ScriptBundle
import TestSupport
import Testing

@testable import noafw

/// What an installed noafw needs and finds; Tools/package-test tries the packages themselves.
@Suite final class PackagingTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-prefix-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    /// It brings LDAP, Kerberos and GnuTLS, for which every verb would wait.
    @Test func libpqIsNotLoadedAtTheStart() throws {
        let loaded = try libraries(of: ToolBench.tool.path)
        #expect(loaded.contains("libdbus-1.so"))
        for name in ["libpq.so", "libldap", "libgssapi", "libkrb5", "libgnutls"] { #expect(!loaded.contains(name), "\(loaded)") }
    }

    @Test func aReleaseJobsToolIsWithoutTheStationsLibraries() throws {
        let tool = ToolBench.tool.deletingLastPathComponent().appendingPathComponent("noafw-ci").path
        let loaded = try libraries(of: tool)
        #expect(loaded.contains("libzip.so"))
        for name in ["libdbus", "libsqlite3", "libpq.so"] { #expect(!loaded.contains(name), "\(loaded)") }
    }

    @Test func aReleaseJobsToolMakesTheSameBundle() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let scripts = ToolBench.root.appendingPathComponent("Scripts/monocle").path
        let (one, other) = (folder.appendingPathComponent("one.zip"), folder.appendingPathComponent("other.zip"))
        #expect(try bench.run(["bundle", scripts, "-o", one.path, "--no-check"]).status == 0)
        let tool = ToolBench.tool.deletingLastPathComponent().appendingPathComponent("noafw-ci").path
        let made = try run(tool, ["bundle", scripts, "-o", other.path, "--no-check"])
        #expect(made.status == 0, "\(made.output)")
        #expect(try Data(contentsOf: one) == Data(contentsOf: other))
        let wrong = try run(tool, ["flash"])
        #expect(wrong.status == 64, "\(wrong.output)")
        #expect(try run(tool, ["--version"]).output == ToolVersion.line + "\n")
        let own = try run(tool, ["bundle", scripts, "-o", scripts + "/main.py"])
        #expect(own.status == 64 && own.output.contains("NOA-"), "\(own.output)")
    }

    @Test func theVersionHasOnePlace() throws {
        #expect(try run(ToolBench.root.appendingPathComponent("Tools/version").path, []).output == ToolVersion.current + "\n")
        #expect(ToolVersion.line(commit: "0123456789ab") == "\(ToolVersion.current) (0123456789ab)")
        #expect(ToolVersion.line(commit: "") == "\(ToolVersion.current) (development build)")
    }

    @Test func whatIsInstalledIsFoundBelowThePrefix() throws {
        let search = AssetSearch(environment: [:], currentDirectory: "/", executable: folder.path + "/bin/noafw")
        #expect(throws: CommandError.self) { try InterpreterSearch(search: search).python() }
        let python = try program("lib/noafw/monocle-python")
        #expect(try InterpreterSearch(search: search).python() == python)
        #expect(throws: BundleError.self) { try CheckerSearch(search: search).find(.mpyCross) }
        let checker = try program("lib/noafw/mpy-cross")
        #expect(try CheckerSearch(search: search).find(.mpyCross) == checker)
    }

    @Test func eachVerbHasAManPageWithItsOptions() throws {
        let tool = ToolBench.root.appendingPathComponent("Tools/man").path
        let dump = try run(ToolBench.tool.path, ["--experimental-dump-help"]).output
        let input = folder.appendingPathComponent("help.json")
        try dump.write(to: input, atomically: true, encoding: .utf8)
        let made = try run("/bin/sh", ["-c", "exec '\(tool)' '\(folder.path)/man' 1.2.3 86400 <'\(input.path)'"])
        #expect(made.status == 0, "\(made.output)")
        let verbs = try Self.verbs(dump)
        #expect(verbs.count > 10)
        for name in verbs.compactMap({ $0["commandName"] as? String }) where name != "help" {
            let page = try String(contentsOf: folder.appendingPathComponent("man/noafw-\(name).1"), encoding: .utf8)
            #expect(page.hasPrefix(".TH \"NOAFW-\(name.uppercased())\" 1 \"1970-01-02\" \"noafw 1.2.3\""))
            #expect(page.contains("\n.SH SYNOPSIS\n") && page.contains("\\fB\\-\\-help\\fP"), "\(name)")
        }
        let flash = try String(contentsOf: folder.appendingPathComponent("man/noafw-flash.1"), encoding: .utf8)
        let options = try Self.options(dump, of: "flash")
        #expect(options.count > 40)
        for option in options {
            #expect(flash.contains("\\fB\\-\\-\(option.replacing("-", with: "\\-"))\\fP"), "\(option)")
        }
        #expect(!flash.contains("\n'") && !flash.contains("\n.."), "a line of text is a request")
    }

    @Test func completionsKnowFamiliesAndUnits() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for shell in ["bash", "zsh", "fish"] {
            let script = try run(ToolBench.tool.path, ["--generate-completion-script", shell]).output
            #expect(script.contains("monocle") && script.contains("---completion"), "\(shell)")
        }
        let known = #"{"schema":"noafw.units/1","units":[{"family":"monocle","address":"D3:44:9A:46:CF:CF","lastWorkedOn":1}]}"#
        try known.write(to: bench.state.appendingPathComponent("units.json"), atomically: true, encoding: .utf8)
        #expect(try bench.run(["units", "name", "D3:44:9A:46:CF:CF", "Room 3: $(echo ran)'s"]).status == 0)
        let asked = ["---completion", "flash", "--", "--device", "2", "0", "noafw", "flash", "--device", ""]
        let fish = try bench.run(asked, environment: ["SAP_SHELL": "fish"]).output
        #expect(fish == "D3:44:9A:46:CF:CF\nRoom 3: $(echo ran)'s\n")
        // The parser's script for zsh drops the last line.
        let zsh = try bench.run(asked, environment: ["SAP_SHELL": "zsh"]).output
        #expect(zsh.hasPrefix("D3\\:44\\:9A\\:46\\:CF\\:CF\nRoom 3\\: $(echo ran)'s\n"))
    }

    /// In bash itself, which divides words at colons and expands what it offers.
    @Test(arguments: [
        (["flash", "--device", ""], ["D3:44:9A:46:CF:CF", "D3:55:9A:46:CF:CF", "Room 3: $(echo ran)'s"]),
        (["verify", "--device", "D3:4"], ["D3:44:9A:46:CF:CF"]), (["rescue", "--device", "D3:5"], ["D3:55:9A:46:CF:CF"]),
        (["unpair", "--device", "R"], ["Room 3: $(echo ran)'s"]), (["units", "forget", "R"], ["Room 3: $(echo ran)'s"]),
        (["ledger", "list", "--unit", "D3:4"], ["D3:44:9A:46:CF:CF"]),
        (["explain", "BLE-001"], ["BLE-0010", "BLE-0011"]), (["flash", "--family", "m"], ["monocle"]),
        (["assets", "fetch", ""], ["monocle", "frame"]),
        (["flash", "--firmware", "Tests/Gold"], ["Tests/Golden"]), (["fl"], ["flash"]),
    ])
    func bashOffers(words: [String], offers: [String]) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for (address, name) in [("D3:44:9A:46:CF:CF", "Room 3: $(echo ran)'s"), ("D3:55:9A:46:CF:CF", "x")] {
            #expect(try bench.run(["units", "name", address, name]).status == 0)
        }
        let script = folder.appendingPathComponent("noafw.bash")
        try bench.run(["--generate-completion-script", "bash"]).output.write(to: script, atomically: true, encoding: .utf8)
        let asked = """
            . "$0"; [[ $COMP_WORDBREAKS != *:* ]] || exit 1
            COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _noafw noafw "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\n' "${COMPREPLY[@]}"
            """
        let run = try run("/bin/bash", ["-c", asked, script.path, ToolBench.tool.path] + words, environment: bench.environment())
        #expect(run.status == 0 && Set(offers).isSubset(of: run.output.split(separator: "\n").map(String.init)), "\(run.output)")
    }

    /// More than a pipe holds.
    @Test func aLongOutputComesWhole() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let dump = try bench.run(["--experimental-dump-help"]).output
        #expect(dump.utf8.count > 400_000)
        #expect(try ToolBench.json(dump)["command"] != nil)
    }

    private static func verbs(_ dump: String) throws -> [[String: Any]] {
        let root = try ToolBench.json(dump)["command"] as? [String: Any]
        return root?["subcommands"] as? [[String: Any]] ?? []
    }

    private static func options(_ dump: String, of verb: String) throws -> [String] {
        let arguments = try verbs(dump).first { $0["commandName"] as? String == verb }?["arguments"] as? [[String: Any]] ?? []
        return arguments.filter { $0["shouldDisplay"] as? Bool == true }.flatMap { argument in
            (argument["names"] as? [[String: String]] ?? []).filter { $0["kind"] == "long" }.compactMap { $0["name"] }
        }
    }

    private func program(_ name: String) throws -> String {
        let place = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try "#!/bin/sh\n".write(to: place, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: place.path)
        return place.path
    }

    private func libraries(of program: String) throws -> String {
        try run(program, [], environment: ["LD_TRACE_LOADED_OBJECTS": "1"]).output
    }

    private func run(
        _ program: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try runProgram(program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    }
}
