import ArgumentParser
import Bluetooth
import Cryptography
import Foundation
import Provisioning

/// Which unit a verb works on.
struct UnitOptions: ParsableArguments, Sendable {
    @OptionGroup var radio: RadioOptions

    @Option(
        name: .customLong("virtual"),
        help: ArgumentHelp("A virtual unit instead: monocle, or monocle:NAME for one of several.", valueName: "family[:name]"),
        completion: VirtualUnitName.completion, transform: VirtualUnitName.init(argument:))
    var virtual: VirtualUnitName?

    @Option(
        name: .customLong("virtual-speed"),
        help: ArgumentHelp("The virtual unit's pace: 1 is a real link's, max is as fast as it goes.", valueName: "n|max"))
    var speed: VirtualSpeed?

    func validate() throws {
        if virtual != nil, radio.isGiven {
            throw ValidationError("--virtual names the unit already: leave out --device, --nearest and --adapter.")
        }
        if virtual == nil, speed != nil { throw ValidationError("--virtual-speed belongs to --virtual.") }
    }

    var value: UnitSelection {
        virtual.map { .virtual(VirtualUnit(name: $0, speed: speed ?? .times(1))) } ?? .radio(radio.value)
    }
}

/// Which unit on the air, and by which adapter.
struct RadioOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The unit with this address or name; without it the only one in reach.", valueName: "address|name"))
    var device: String?

    @Flag(help: "The unit beside the adapter: at least -65 dBm, and no other as near.")
    var nearest = false

    @Option(help: ArgumentHelp("The Bluetooth adapter to use; the first one that is on otherwise.", valueName: "hciN"))
    var adapter: String?

    var isGiven: Bool { device != nil || nearest || adapter != nil }

    func validate() throws {
        if device != nil, nearest { throw ValidationError("Give either --device or --nearest.") }
        if let device, !(1...64).contains(device.utf8.count) {
            throw ValidationError("--device is an address such as D3:5A:00:11:22:33, or a name of at most 64 bytes.")
        }
        try Self.check(adapter: adapter)
    }

    /// For the verbs that take an adapter without a unit, too.
    static func check(adapter: String?) throws {
        if let adapter, adapter.wholeMatch(of: /hci[0-9]{1,3}/) == nil {
            throw ValidationError("--adapter is a name such as hci0.")
        }
    }

    var value: RadioSelection {
        let wish: UnitWish = if let device {
            DeviceAddress(device).map { .address($0) } ?? .name(device)
        } else {
            nearest ? .nearest : .only
        }
        return RadioSelection(wish: wish, adapter: adapter)
    }
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

    @Flag(help: "Take an FPGA image that is no bitstream for the Monocle's FPGA, or a damaged one.")
    var anyFpgaImage = false

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

    @Flag(help: ArgumentHelp("Accept development images on a unit that is not virtual.", visibility: .hidden))
    var development = false

    func validate() throws {
        let others = [firmware, fpga, fpgaVersion, scripts, assets]
        if bundle != nil, others.contains(where: { $0 != nil }) {
            throw ValidationError("--bundle names all files: leave --firmware, --fpga, --fpga-version, --scripts and --assets out.")
        }
        if fpgaVersion != nil, fpga == nil { throw ValidationError("--fpga-version describes an image: give --fpga too.") }
        if let fpgaVersion, !BundleParts.isVersion(fpgaVersion) {
            throw ValidationError("--fpga-version has the form vYY.DDD.HHMM, such as v23.230.0808.")
        }
    }

    func value(in context: CommandContext) -> AssetInputs {
        let search = AssetSearch(
            given: assets, environment: context.environment, currentDirectory: context.currentDirectory,
            executable: context.executable)
        return AssetInputs(
            bundle: bundle, firmware: firmware, fpga: fpga, fpgaVersion: fpgaVersion, scripts: scripts, trust: trust, search: search,
            allowsDevelopment: development, allowsAnyFPGAImage: anyFpgaImage)
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
            throw ValidationError("--timeout is a number of seconds above 0 and up to 1000000.")
        }
    }
}
