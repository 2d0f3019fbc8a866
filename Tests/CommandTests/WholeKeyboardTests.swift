import Foundation
import KeyboardFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// The tool as an operator runs it for a keyboard: its own process, a virtual unit in simulated time, real HTTP over the loopback.
@Suite(.enabled(if: TestTools.python != nil, "the Python of .venv is missing: run Tools/setup runtime"), .serialized)
struct WholeKeyboardTests {
    private static let unit = ["--virtual", "keyboard", "--virtual-speed", "max"]

    private static func image(
        _ bench: ToolBench, _ version: String = "2.11.0", _ change: (inout ESPImageRecipe) -> Void = { _ in }
    ) throws -> String {
        var recipe = ESPImageRecipe(version: version)
        change(&recipe)
        let file = bench.state.appendingPathComponent("\(version).bin")
        try Data(recipe.bytes).write(to: file)
        return file.path
    }

    @Test func aUnitIsUpdatedCurrentAndVerified() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let file = try Self.image(bench)
        let before = try bench.run(["verify"] + Self.unit + ["--firmware", file])
        #expect(before.status == 1 && before.output.contains("2.10.0"), "\(before.output)\(before.errors)")
        let run = try bench.run(["flash"] + Self.unit + ["--firmware", file, "--json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors.contains("checks no signature") && run.errors.contains("not checked who made it"), "\(run.errors)")
        let units = try #require(try ToolBench.json(run.output)["units"] as? [[String: Any]])
        let steps = try #require(units.first?["steps"] as? [[String: Any]])
        #expect(steps.compactMap { $0["action"] as? String } == ["updated"])
        let again = try bench.run(["flash"] + Self.unit + ["--firmware", file])
        #expect(again.status == 0 && again.output.contains("PASS  everything is current"), "\(again.output)\(again.errors)")
        let after = try bench.run(["verify"] + Self.unit + ["--firmware", file])
        #expect(after.status == 0, "\(after.output)\(after.errors)")
    }

    /// Ctrl-C in the middle of the download: no verdict, the unit runs what it ran, and one more run ends well.
    @Test(arguments: [SIGINT, SIGTERM]) func aSignalDuringTheUpdate(signal: Int32) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let file = try Self.image(bench) { $0.codeByteCount = 0x10_0000 }
        let tool = try bench.start(["flash", "--virtual", "keyboard", "--firmware", file, "--json"])
        #expect(tool.waitForLine { $0.hasPrefix("download ") }, "\(tool.lines)")
        tool.signal(signal)
        let (errors, status, output) = (tool.remainingErrors(), tool.wait(), try tool.output())
        #expect(status == 130, "\(errors)")
        let units = try #require(try ToolBench.json(output)["units"] as? [[String: Any]], "\(output)")
        #expect(units.first?["verdict"] as? String != "pass", "\(output)")
        let before = try bench.run(["verify"] + Self.unit + ["--firmware", file])
        #expect(before.status == 1 && before.output.contains("2.10.0"), "\(before.output)\(before.errors)")
        let again = try bench.run(["flash"] + Self.unit + ["--firmware", file])
        #expect(again.status == 0, "\(again.output)\(again.errors)")
    }

    @Test func imagesForOtherUnitsAndNoneAreRefused() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for (code, file) in try [
            ("ESP-000A", Self.image(bench, "1.0.0") { $0.chip = 5 }), ("ESP-000B", Self.image(bench, "1.0.1") { $0.projectName = "blink" }),
            ("ESP-000C", Self.image(bench, "1.0.2") { $0.codeByteCount = 0x18_0000 }),
        ] {
            let run = try bench.run(["flash"] + Self.unit + ["--firmware", file])
            #expect(run.status == 65 && run.errors.contains(code), "\(code) \(run.errors)")
        }
        let none = try bench.run(["flash"] + Self.unit)
        #expect(none.status == 66 && none.errors.contains("IMG-0001"), "\(none.errors)")
    }

    /// Also not of a run that waits.
    @Test func theListOfProcessesHasNoText() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let tool = try bench.start([
            "type", String(repeating: "correct horse ", count: 60), "--magic", "battery=enter", "--virtual", "keyboard",
        ])
        defer { tool.signal(SIGKILL) }
        func list() throws -> String {
            String(decoding: try Data(contentsOf: URL(fileURLWithPath: "/proc/\(tool.processID)/cmdline")), as: UTF8.self)
        }
        #expect(tool.waitForLine { _ in true })
        let seen = try list()
        #expect(seen.contains("noafw\0type\0") && !seen.contains("horse") && !seen.contains("battery"), "\(seen)")
    }

    @Test func theURLIsOneUnits() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        for words in [["--all"], ["--watch"], ["--virtual", "keyboard"]] {
            #expect(try bench.run(["flash", "--url", "http://127.0.0.1"] + words).status == 64, "\(words)")
        }
        #expect(try bench.run(["flash", "--unsigned", "--trust", "x.pem"] + Self.unit).status == 64)
        #expect(try bench.run(["flash", "--firmware-version", "1.2.3"] + Self.unit).status == 64)
    }
}

/// Which units are written to over a network, and whose images.
@Suite struct NetworkSelectionTests {
    private func families(_ units: UnitSelection.Units, family: FamilyID? = nil, place: String? = nil) -> Set<FamilyID> {
        var selection = UnitSelection(units: units, family: family)
        selection.place = place
        return Set(selection.families.map(\.id))
    }

    /// Only the one unit that is named with its place.
    @Test func keyboardsAreLeftAloneWithoutAPlace() {
        #expect(families(.one(.only)) == ["monocle", "frame"])
        #expect(families(.inReach) == ["monocle", "frame"] && families(.listed([])) == ["monocle", "frame"])
        #expect(families(.inReach, family: "keyboard").isEmpty)
        #expect(families(.one(.only), place: "http://unit") == ["keyboard"])
        #expect(families(.one(.only), family: "keyboard") == ["keyboard"])
        #expect(families(.one(.only), family: "frame", place: "http://unit").isEmpty)
        #expect(families(.virtual([VirtualUnitName(family: "keyboard", name: "a")], .maximum)) == ["keyboard"])
    }

    @Test func whatHasNoPlaceHasNoProvisioning() throws {
        #expect(FamilyList.supported["keyboard"]?.provisioning == nil)
        #expect(FamilyList.supported.components.map(\.name) == ["firmware", "fpga", "scripts"])
    }
}

/// The unit checks no signature: it is checked here.
@Suite(.enabled(if: TestTools.mayRunOpenSSL, "openssl is missing")) struct BareFirmwareTests {
    private let files: ToolFolder
    private let image: String

    init() throws {
        files = try ToolFolder()
        image = try files.write(ESPImageRecipe().bytes, to: "a.bin")
    }

    private func openssl(_ words: String...) async throws {
        let run = try await files.run(TestTools.require(TestTools.openssl, "openssl"), words)
        #expect(run.status == 0, "\(run.output)")
    }

    private func key(_ name: String) async throws {
        try await openssl("genpkey", "-algorithm", "ed25519", "-out", "\(name).pem")
        try await openssl("pkey", "-in", "\(name).pem", "-pubout", "-out", "\(name).pub.pem")
    }

    private func load(trust: [String] = [], unsigned: Bool = false, isHarmless: Bool = false) throws -> String {
        let search = AssetSearch(given: nil, environment: [:], currentDirectory: files.folder.path, executable: nil)
        var inputs = AssetInputs(files: [.firmware: image], trust: trust.map { files.path($0) }, search: search)
        inputs.allowsUnsigned = unsigned
        var notices: [String] = []
        _ = try BareFirmware(path: inputs.path(image), inputs: inputs, isHarmless: isHarmless, notice: { notices.append($0) })
            .load { try KeyboardFirmware($0, version: $1) }
        return notices.joined(separator: "\n")
    }

    private func code(trust: [String] = [], unsigned: Bool = false) -> String? {
        do {
            _ = try load(trust: trust, unsigned: unsigned)
            return nil
        } catch { return diagnose(error).code }
    }

    @Test func aSignatureByATrustedKeyIsWanted() async throws {
        defer { files.remove() }
        try await key("mine")
        try await key("other")
        #expect(code() == "IMG-0002")
        #expect(code(unsigned: true) == nil)
        #expect(try load(isHarmless: true).contains("not checked who made it"))
        #expect(code(trust: ["mine.pub.pem"]) == "IMG-0003")
        try await openssl("pkeyutl", "-sign", "-rawin", "-inkey", "mine.pem", "-in", "a.bin", "-out", "a.bin.sig")
        #expect(try load(trust: ["other.pub.pem", "mine.pub.pem"]).contains("trusted as"))
        #expect(code(trust: ["other.pub.pem"]) == "IMG-0004")
        try files.write(ESPImageRecipe(version: "2.12.0").bytes, to: "a.bin")
        #expect(code(trust: ["mine.pub.pem"]) == "IMG-0004")
        try files.write([1, 2, 3], to: "a.bin.sig")
        #expect(code(trust: ["mine.pub.pem"]) == "IMG-0004")
    }
}
