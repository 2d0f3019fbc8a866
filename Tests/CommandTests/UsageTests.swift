import Bluetooth
import MonocleFamily
import Provisioning
import Support
import Testing

@testable import noafw

@Suite struct UsageTests {
    private let harness = Harness()

    @Test(arguments: [
        ["flsh"],
        ["flash", "--device", "monocle", "--nearest"],
        ["flash", "--device", ""],
        ["flash", "--virtual", "monocle", "--nearest"],
        ["flash", "--virtual-speed", "2"],
        ["flash", "--adapter", "eth0"],
        ["scan", "--seconds", "0"],
        ["scan", "--adapter", "../hci0"],
        ["doctor", "--adapter", "../hci0"],
        ["rescue", "--device", "monocle"],
        ["flash", "--virtual", "pager"],
        ["flash", "--virtual", "frame", "--family", "frame"],
        ["flash", "--family", "pager"],
        ["flash", "--virtual", "monocle:"],
        ["flash", "--virtual", "monocle:../x"],
        ["flash", "--virtual", "monocle:a b"],
        ["flash", "--virtual", "monocle", "--virtual-speed", "0"],
        ["flash", "--virtual", "monocle", "--virtual-speed", "nan"],
        ["flash", "--virtual", "monocle", "--only", "firmware,"],
        ["flash", "--virtual", "monocle", "--only", "bootloader"],
        ["flash", "--virtual", "monocle", "--min-battery", "101"],
        ["flash", "--virtual", "monocle", "--watch-program", "0"], ["verify", "--virtual", "monocle", "--deep", "--watch-program", "601"],
        ["verify", "--virtual", "monocle", "--watch-program", "5"],
        ["flash", "--virtual", "monocle", "--timeout", "-1"],
        ["flash", "--virtual", "monocle", "--timeout", "inf"],
        ["flash", "--virtual", "monocle", "--fpga-version", "v23.230.0808"],
        ["flash", "--virtual", "monocle", "--deep"],
        ["verify", "--virtual", "monocle", "--force"],
        ["console", "surplus"],
        ["console", "--timeout", "-1"],
    ])
    func wrongCommandLinesRunNothing(arguments: [String]) async {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(harness.output == "")
        #expect(harness.diagnostics.hasPrefix("Error: "))
    }

    @Test(arguments: [[], ["--help"], ["help", "flash"], ["verify", "-h"]])
    func helpShowsExamples(arguments: [String]) async {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 0)
        #expect(harness.output.contains("Examples:"))
        #expect(harness.output.contains("noafw verify --virtual monocle") || harness.output.contains("noafw flash --virtual monocle"))
        #expect(harness.diagnostics == "")
    }

    /// The parser's own help traps where its left column leaves no room.
    @Test func helpFitsNarrowTerminals() async {
        for columns in [1, 8, 26, 27, 39, 45] {
            #expect(await Noafw.execute(in: harness.context(["flash", "--help"], isTerminal: true, columns: columns)) == 0)
            #expect(await Noafw.execute(in: harness.context(["flash", "--no"], isTerminal: true, columns: columns)) == 64)
        }
    }

    @Test(arguments: [
        (["flash", "--virtual", "monocle:a/b"], "'monocle:a/b' is invalid for '--virtual <family[:name]>': its name is 1 to 32 letters"),
        (["flash", "--virtual", "pager"], "a virtual unit is one of: monocle, frame."),
        (["flash", "--virtual", "monocle", "--timeout", "1e308"], "--timeout is a number of seconds above 0 and up to 1000000."),
        (["chat", "--virtual", "monocle", "--query", "\u{1}\u{2}"], "--query contains no question."),
        (["chat", "--virtual", "monocle", "--query", ""], "--query contains no question."),
    ])
    func messagesSayWhatIsWrong(arguments: [String], words: String) async {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(harness.diagnostics.contains(words), "\(harness.diagnostics)")
    }

    /// A command to copy is whole, however long.
    @Test func theNextCommandIsNotCut() {
        let path = "/" + String(repeating: "folder/", count: 100) + "a.zip"
        var error = CommandError.noStateFolder.diagnosis
        error.remedy = "run: noafw flash --firmware \(path)"
        #expect(ErrorText.lines(error, style: TextStyle(isColoured: false))[2].hasSuffix(path))
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionsAreOffered(shell: String) async {
        #expect(await Noafw.execute(in: harness.context(["--generate-completion-script", shell])) == 0)
        #expect(harness.output.contains("noafw"))
        for option in ["virtual-speed", "stop-after", "serial-pattern", "baseline", "junit", "wait"] {
            #expect(harness.output.contains(option))
        }
    }

    @Test func optionsReachTheRequest() async throws {
        let services = FakeServices(onFlash: { request, _ in
            #expect(request.fleet.units == .virtual([VirtualUnitName(family: .monocle, name: "a-1")], .times(2.5)))
            #expect(request.options.components == [.fpga, .scripts])
            #expect(request.options.force && request.options.allowDowngrade && !request.options.dryRun)
            #expect(request.options.minimumBattery == 5 && request.options.programWatch == .seconds(30))
            #expect(request.inputs.files == [.firmware: "a.zip", .fpga: "b.bin", .scripts: "s"])
            #expect(request.inputs.versions == [.fpga: "v23.230.0808"] && request.inputs.allowsAnyFPGAImage)
            #expect(request.inputs.trust == ["k1.pem", "k2.pem"])
            #expect(request.inputs.search.given == "assets" && request.inputs.search.currentDirectory == "/line")
            #expect(request.stateFolder == "/home/op/.local/state/noafw")
            return try Sample.flashed()
        })
        let arguments = [
            "flash", "--virtual", "monocle:a-1", "--virtual-speed", "2.5", "--only", "fpga", "--only", "scripts,fpga",
            "--force", "--allow-downgrade", "--any-fpga-image", "--min-battery", "5", "--watch-program", "30", "--firmware", "a.zip",
            "--fpga", "b.bin",
            "--fpga-version", "v23.230.0808", "--scripts", "s", "--trust", "k1.pem", "--trust", "k2.pem", "--assets", "assets",
        ]
        #expect(await Noafw.execute(in: harness.context(arguments, services: services)) == 0)
    }

    @Test func maximumSpeedIsAWord() { #expect(VirtualSpeed(argument: "max") == .maximum) }

    @Test(arguments: [
        (["NOAFW_STATE_DIR": "own", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/line/own"),
        (["NOAFW_STATE_DIR": "", "XDG_STATE_HOME": "/x", "HOME": "/h"], "/x/noafw"),
        (["XDG_STATE_HOME": "relative", "HOME": "/h"], "/h/.local/state/noafw"),
    ])
    func theStateFolderFollowsTheEnvironment(environment: [String: String], expected: String) throws {
        #expect(try harness.context([], environment: environment).stateFolder() == expected)
    }

    @Test func withoutAnyStateFolderTheRunEndsBeforeAUnit() async {
        let services = FakeServices()
        let context = harness.context(["flash", "--virtual", "monocle"], services: services, environment: [:])
        #expect(await Noafw.execute(in: context) == 66)
        #expect(harness.diagnostics.contains("error NOA-0001"))
    }
}
