import ArgumentParser
import Bluetooth
import Foundation
import Provisioning

/// Which unit a verb works on.
struct UnitOptions: ParsableArguments, Sendable {
    @Option(
        name: .customLong("virtual"),
        help: ArgumentHelp("The virtual unit: monocle, or monocle:NAME for one of several.", valueName: "family[:name]"))
    var unit: VirtualUnitName

    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp("The virtual unit's pace: 1 is a real link's, max is as fast as it goes.", valueName: "n|max"))
    var speed: VirtualSpeed = .times(1)

    var value: VirtualUnit { VirtualUnit(name: unit, speed: speed) }
}

/// Which files a verb works with.
struct InputOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("A release bundle: what it holds, and nothing else.", valueName: "file"),
        completion: .file(extensions: ["zip"]))
    var bundle: String?

    @Option(help: ArgumentHelp("A signed DFU package instead of the catalogue's.", valueName: "package"), completion: .file(extensions: ["zip"]))
    var firmware: String?

    @Option(help: ArgumentHelp("An FPGA image instead of the catalogue's.", valueName: "image"), completion: .file())
    var fpga: String?

    @Option(help: ArgumentHelp("The version that the image of --fpga shows, such as v23.230.0808.", valueName: "v"))
    var fpgaVersion: String?

    @Option(help: ArgumentHelp("A folder of scripts instead of the catalogue's.", valueName: "folder"), completion: .directory)
    var scripts: String?

    @Option(
        help: ArgumentHelp(
            "A public key (PEM): P-256, that the package may be signed with; Ed25519, that the bundle must be. May be repeated.",
            valueName: "key"),
        completion: .file(extensions: ["pem"]))
    var trust: [String] = []

    @Option(help: ArgumentHelp("The folder that holds Firmware, FPGA and Scripts.", valueName: "folder"), completion: .directory)
    var assets: String?

    func validate() throws {
        let others = [firmware, fpga, fpgaVersion, scripts, assets]
        if bundle != nil, others.contains(where: { $0 != nil }) {
            throw ValidationError("--bundle names all files: leave --firmware, --fpga, --fpga-version, --scripts and --assets out.")
        }
        if fpgaVersion != nil, fpga == nil { throw ValidationError("--fpga-version describes an image: give --fpga too.") }
    }

    func value(in context: CommandContext) -> AssetInputs {
        let search = AssetSearch(
            given: assets, environment: context.environment, currentDirectory: context.currentDirectory,
            executable: context.executable)
        return AssetInputs(
            bundle: bundle, firmware: firmware, fpga: fpga, fpgaVersion: fpgaVersion, scripts: scripts, trust: trust, search: search)
    }
}

/// Which parts a verb works on.
struct PartOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Only these parts: firmware, fpga, scripts.", valueName: "parts"))
    var only: [PartList] = []

    var value: Set<Part> {
        only.isEmpty ? Set(Part.allCases) : only.reduce(into: []) { $0.formUnion($1.parts) }
    }
}

/// How a verb reports.
struct ReportOptions: ParsableArguments, Sendable {
    @Flag(help: "Print one JSON document on standard output; everything else goes to standard error.")
    var json = false

    @Option(help: ArgumentHelp("End the run after so many seconds.", valueName: "seconds"))
    var timeout: Double?

    @Flag(name: [.short, .long], help: "Say more: every step, with the seconds since the start.")
    var verbose = false

    func validate() throws {
        if let timeout, !(timeout.isFinite && timeout > 0 && timeout <= 1_000_000) {
            throw ValidationError("--timeout must be a positive number of seconds.")
        }
    }
}
