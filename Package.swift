// swift-tools-version: 6.1
import PackageDescription

/// noafw-ci as `make dist` builds it: static, on FoundationEssentials alone. The rest of Foundation and ICU would be half of it, so that what
/// needs them, and no release job, is left out.
let isOneFile = Context.environment["NOAFW_ONE_FILE"] != nil
func notInOneFile<Part>(_ parts: Part...) -> [Part] { isOneFile ? [] : parts }
func leftOutOfOneFile(_ files: String...) -> [String] { isOneFile ? files : [] }

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
] + (isOneFile ? [.define("NOAFW_ONE_FILE")] : [])

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], path: String? = nil, exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, path: path, exclude: ["README.md"] + exclude, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
func nio(_ name: String) -> Target.Dependency { .product(name: name, package: "swift-nio") }
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// What noafw-ci shares with noafw.
let releaseJob =
    ["Bundle", "Package", "Files", "App/Process"].map { "Shared/\($0)" }
    + [
        "App/CommandContext", "App/CommandContext+Messages", "App/CommandError", "App/ContextCommand", "App/Program", "App/ToolVersion",
        "App/Run/Conclusion", "App/Run/Drain", "App/Run/OfflineCommand", "App/Run/StopReason", "App/CommandLine/PrivateArguments",
        "Inputs/AssetSearch", "Inputs/BundleFile", "Inputs/CheckerSearch", "Options/QuietOption", "Options/Units/UnitLabels",
        "Output/Documents/PassMember", "Terminal/InputReader",
        "Inputs/TrustInputs", "Options/FamilyName", "Options/OptionCheck", "Output/CommandLineText", "Output/ErrorText", "Output/FileSink",
        "Output/Format", "Output/JSONWriter", "Output/Progress/DrawingArea", "Output/TextPieces", "Output/TextSink", "Output/TextStyle",
        "Output/TextTable", "Output/UntrustedText", "Terminal/DisplayWidth", "Terminal/InputHistory", "Terminal/Key", "Terminal/LineEditor",
        "Terminal/TerminalMode", "Terminal/TextSource",
    ].map { "Shared/\($0).swift" }

/// The commit for `--version`; the Makefile sets it for what is installed. SwiftPM's own `gitInformation` stays that of the commit at which
/// it last read this file.
let commit = Context.environment["NOAFW_COMMIT"] ?? ""

let package = Package(
    name: "noafw",
    products: [
        .executable(name: "noafw", targets: ["noafw"]),
        .executable(name: "noafw-ci", targets: ["noafw-ci"]),
        // For other programs; docs/library.md says what stays stable in them.
        .library(name: "NordicDFU", targets: ["DFU", "Bluetooth", "Cryptography", "Support"]),
        .library(name: "BlueZCentral", targets: ["BlueZ", "Bluetooth", "Support"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        // Loads libpq when a server is named; its header is of libpq-dev.
        .target(name: "CPQ"),
        .target(name: "CBuild", cSettings: [.define("NOAFW_COMMIT", to: "\"\(commit)\"")]),

        module("Support"),
        module("Cryptography", ["Support", "CCrypto"]),
        module("Bluetooth", ["Support"]),
        module("BlueZ", ["Bluetooth", "Support", "CDBus"]),
        module("Archive", ["Support", "CZip"]),
        module("REPL", ["Bluetooth", "Support", "Cryptography"]),
        module("DFU", ["Archive", "Bluetooth", "Support", "Cryptography", protobuf], exclude: ["InitPacket/dfu.proto"]),
        module("FPGA", ["REPL", "Bluetooth", "Support", "Cryptography"]),
        module("ScriptBundle", ["Archive", "Bluetooth", "REPL", "Support", "Cryptography"]),
        module(
            "Provisioning", ["Bluetooth", "REPL", "DFU", "FPGA", "ScriptBundle", "Support", "Cryptography"],
            exclude: ["Fleet/README.md"] + leftOutOfOneFile("Catalogue/CatalogueAddition.swift", "Catalogue/CatalogueRefresh.swift")),
        module("Assistant", ["Bluetooth", "REPL", "Support", "CPNG"]),
        module("Download", ["Support", "Cryptography", httpClient, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"), nioSSL]),
        module("OpenAI", ["Assistant", "Download", "Support", httpClient, nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"), nioSSL]),
        module(
            "MonocleFamily",
            ["Provisioning", "Bluetooth", "REPL", "DFU", "FPGA", "ScriptBundle", "Support", "Cryptography"] + notInOneFile("Assistant"),
            path: "Sources/Families/MonocleFamily", exclude: leftOutOfOneFile("Chat")),
        module(
            "FrameFamily", ["Provisioning", "Bluetooth", "REPL", "DFU", "ScriptBundle", "Support"] + notInOneFile("Assistant"),
            path: "Sources/Families/FrameFamily", exclude: leftOutOfOneFile("Chat")),
        module("ESPImage", ["Support", "Cryptography"]),
        module("OpenBotFamily", ["Provisioning", "Bluetooth", "Support"], path: "Sources/Families/OpenBotFamily"),
        module(
            "KeyboardFamily",
            ["Provisioning", "ESPImage", "Bluetooth", "Support", "Cryptography", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix")],
            path: "Sources/Families/KeyboardFamily"),
        module("Ledger", ["Support"]),
        module("LedgerStore", ["Ledger", "Support", grdb]),
        module("LedgerServer", ["Ledger", "Support", "CPQ"]),
        module("VirtualDevices", ["Bluetooth", "Support", "Cryptography", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix")], exclude: ["Monocle/Port", "Frame/Port"], resources: [.copy("Monocle/Python")]),
        .executableTarget(
            name: "noafw",
            dependencies: [
                "Bluetooth", "BlueZ", "REPL", "DFU", "FPGA", "ScriptBundle", "Provisioning", "MonocleFamily", "FrameFamily", "OpenBotFamily",
                "KeyboardFamily", "ESPImage", "Assistant", "OpenAI", "Download", "VirtualDevices", "Ledger", "LedgerStore", "LedgerServer", "Support", "Cryptography", "CBuild", argumentParser,
            ],
            exclude: ["README.md", "Records/README.md"], swiftSettings: strict),

        // The verbs of a release job alone; Shared is a link to Sources/noafw.
        .executableTarget(
            name: "noafw-ci",
            dependencies: [
                "Bluetooth", "DFU", "ScriptBundle", "Provisioning", "MonocleFamily", "FrameFamily", "Support", "Cryptography", "CBuild",
                argumentParser,
            ],
            exclude: ["README.md", "Shared/Files/OwnFiles.swift"], sources: ["Noafw.swift", "Surroundings.swift"] + releaseJob,
            swiftSettings: strict),

        // Makes the development images in Firmware/ and FPGA/ anew.
        .executableTarget(name: "DevelopmentAssets", dependencies: ["DFU", "Cryptography"], swiftSettings: strict),

        // The library products in twenty lines each.
        .executableTarget(
            name: "ListPeripherals", dependencies: ["BlueZ", "Bluetooth", "Support"], path: "Examples/ListPeripherals", swiftSettings: strict),
        .executableTarget(
            name: "SendFirmware", dependencies: ["BlueZ", "Bluetooth", "DFU", "Support"], path: "Examples/SendFirmware", swiftSettings: strict),

        // Faults of the virtual units as a test plans them.
        .target(name: "VirtualFaults", dependencies: ["VirtualDevices"], path: "Tests/VirtualFaults", swiftSettings: strict),

        // Plays a virtual unit for the lab's radio (Tests/Lab).
        .executableTarget(
            name: "VirtualUnitServer", dependencies: ["VirtualDevices", "VirtualFaults", "Bluetooth", "Support"], path: "Tests/VirtualUnitServer", swiftSettings: strict),

        // The lab's leak check: many rounds in one process.
        .executableTarget(
            name: "LabRounds", dependencies: ["BlueZ", "DFU", "FPGA", "Provisioning", "MonocleFamily", "ScriptBundle", "Bluetooth", "Support"], path: "Tests/Lab/Rounds",
            swiftSettings: strict),

        // Plays recorded conversations with Nordic's bootloader and a Frame's firmware to the virtual ones.
        .executableTarget(
            name: "BootloaderTraces", dependencies: ["VirtualDevices", "Bluetooth", "Support", "Cryptography"], path: "Tests/Traces",
            exclude: ["nordic-bootloader.jsonl", "frame-lua-session.jsonl", "frame-sequences.jsonl"], swiftSettings: strict),

        // Writes records for the ledger's tests, which kill it.
        .executableTarget(name: "LedgerWriter", dependencies: ["LedgerStore", "Ledger", "Support"], path: "Tests/LedgerWriter", swiftSettings: strict),

        // A station for the tests of the ledger's server: claims units, works on them, records and sends.
        .executableTarget(
            name: "LedgerStation", dependencies: ["LedgerServer", "LedgerStore", "Ledger", "Support"], path: "Tests/LedgerStation", swiftSettings: strict),
        // Many light virtual units on one air, for the tests of fleets and their bench.
        .target(
            name: "FleetRig", dependencies: ["Cryptography", "Provisioning", "VirtualDevices", "VirtualFaults", "DFU", "Bluetooth", "Support"], path: "Tests/FleetRig",
            swiftSettings: strict),
        .executableTarget(
            name: "FleetBench", dependencies: ["FleetRig", "Provisioning", "VirtualDevices", "Support"], path: "Tests/FleetBench", swiftSettings: strict),

        // Clients that do as others do, against the same virtual unit.
        .target(
            name: "ReferenceClients", dependencies: ["Bluetooth", "Support"], path: "Benchmarks/ReferenceClients", swiftSettings: strict),
        .executableTarget(
            name: "LinkBench",
            dependencies: ["ReferenceClients", "VirtualDevices", "VirtualFaults", "DFU", "FPGA", "REPL", "ScriptBundle", "Bluetooth", "Support"],
            path: "Benchmarks/LinkBench", swiftSettings: strict),

        // What several test targets share: foreign programs, a unit on real MicroPython, seeded numbers.
        .target(
            name: "TestSupport", dependencies: [
                "Archive", "Bluetooth", "Cryptography", "Support", "ScriptBundle", "MonocleFamily", "FrameFamily", nio("NIOCore"), nio("NIOHTTP1"), nio("NIOPosix"), nioSSL,
            ],
            path: "Tests/TestSupport", swiftSettings: strict),
        // Readers of foreign bytes and their sample inputs, for the seeded walk of FuzzTests and for Tools/fuzz.
        .target(
            name: "FuzzTargets", dependencies: [
                "Archive", "Assistant", "BlueZ", "CDBus", "Cryptography", "DFU", "ESPImage", "FPGA", "REPL", "ScriptBundle", "MonocleFamily",
                "FrameFamily", "KeyboardFamily", "OpenAI", "OpenBotFamily", "Ledger", "LedgerServer", "Provisioning", "Support", "Bluetooth", "noafw",
            ],
            path: "Tests/FuzzTargets",
            swiftSettings: strict),
        tests("FuzzTests", ["FuzzTargets", "TestSupport"]),
        tests("SupportTests", ["Support"]),
        tests("CryptographyTests", ["Cryptography", "Support"]),
        tests("BluetoothTests", ["Bluetooth"]),
        tests("BlueZTests", ["Support", "BlueZ", "Bluetooth", "TestSupport"]),
        tests("REPLTests", ["Support", "Cryptography", "REPL", "VirtualDevices", "Bluetooth", "TestSupport"]),
        tests("ArchiveTests", ["Support", "Archive", "Bluetooth", "TestSupport"]),
        tests("DFUTests", ["Support", "Cryptography", "DFU", "MonocleFamily", "FrameFamily", "VirtualDevices", "Bluetooth", "TestSupport", "BootloaderTraces"]),
        tests("FPGATests", ["Support", "Cryptography", "FPGA", "REPL", "Bluetooth", "VirtualDevices", "VirtualFaults", "TestSupport"]),
        tests("ScriptBundleTests", ["MonocleFamily", "FrameFamily", "Support", "Cryptography", "ScriptBundle", "Archive", "REPL", "Bluetooth", "TestSupport"]),
        tests("VirtualDevicesTests", [
            "Support", "Cryptography", "VirtualDevices", "VirtualFaults", "VirtualUnitServer", "Bluetooth", "CCrypto", "TestSupport", "BootloaderTraces",
        ]),
        tests("ProvisioningTests", ["FleetRig", "ReferenceClients", "VirtualFaults", "MonocleFamily", "FrameFamily", "Support", "Cryptography", "Provisioning", "VirtualDevices", "DFU", "FPGA", "REPL", "ScriptBundle", "Bluetooth", "TestSupport"]),
        tests("ESPImageTests", ["ESPImage", "Cryptography", "Support", "TestSupport"]),
        tests("OpenBotTests", ["OpenBotFamily", "Provisioning", "VirtualDevices", "VirtualFaults", "Bluetooth", "Support", "TestSupport"]),
        tests(
            "KeyboardTests",
            [
                "KeyboardFamily", "MonocleFamily", "ESPImage", "Provisioning", "VirtualDevices", "VirtualFaults", "Bluetooth", "Support", "TestSupport",
            ]),
        tests("DownloadTests", ["Download", "Cryptography", "Support", "TestSupport"]),
        tests("LedgerTests", ["Ledger", "Support", "TestSupport"]),
        .testTarget(
            name: "LedgerStoreTests", dependencies: ["LedgerStore", "Ledger", "LedgerWriter", "Support", "TestSupport", grdb], exclude: ["Fixtures"],
            swiftSettings: strict),
        tests("LedgerServerTests", ["LedgerServer", "LedgerStore", "Ledger", "LedgerStation", "Support", "TestSupport"]),
        tests("AssistantTests", [
            "Support", "Assistant", "OpenAI", "MonocleFamily", "FrameFamily", "REPL", "VirtualDevices", "VirtualFaults", "Bluetooth", "TestSupport", httpClient,
            nio("NIOCore"), nio("NIOHTTP1"),
        ]),
        tests("CommandTests", [
            "Support", "Cryptography",
            "noafw", "noafw-ci", "OpenBotFamily", "KeyboardFamily", "ESPImage", "Assistant", "OpenAI", "Download", "Ledger", "LedgerServer", "LedgerStore", "ScriptBundle", "DFU", "FPGA", "REPL", "Provisioning", "MonocleFamily", "FrameFamily", "VirtualDevices", "Bluetooth", "TestSupport",
            nio("NIOHTTP1"),
        ]),
        // A world from one seed, docs/testing.md.
        tests("StormTests", [
            "noafw", "Archive", "Bluetooth", "Cryptography", "DFU", "FPGA", "Ledger", "LedgerServer", "LedgerStore", "MonocleFamily", "FrameFamily", "Provisioning", "ScriptBundle",
            "Support", "VirtualDevices", "VirtualFaults", "TestSupport",
        ]),
        // The catalogue of errors, docs/errors.md.
        tests("ErrorTests", [
            "Archive", "Assistant", "BlueZ", "Bluetooth", "DFU", "Download", "ESPImage", "FPGA", "FrameFamily", "KeyboardFamily", "Ledger", "LedgerServer",
            "OpenBotFamily", "MonocleFamily", "Provisioning", "REPL",
            "ScriptBundle", "Support", "VirtualDevices", "noafw",
        ]),
        tests("AssetTests", ["MonocleFamily", "FrameFamily", "Support", "Cryptography", "DevelopmentAssets", "DFU", "FPGA", "ScriptBundle", "Provisioning", "VirtualDevices", "Bluetooth", "TestSupport"]),
        tests("ScriptTests", ["FrameFamily", "Support", "Cryptography", "VirtualDevices", "VirtualFaults", "Bluetooth", "REPL", "ScriptBundle", "TestSupport"]),
        tests("ArchitectureTests", ["TestSupport"]),
    ]
)

// Tools/fuzz: SwiftPM links an executable's code into tests alone, so noafw is a library here, beside libFuzzer's program.
if Context.environment["NOAFW_FUZZ"] != nil {
    package.products.removeAll { $0.name == "noafw" }
    package.targets = package.targets.map { target in
        guard target.name == "noafw" else { return target }
        return .target(
            name: target.name, dependencies: target.dependencies, exclude: target.exclude + ["App/Program.swift"], swiftSettings: strict)
    }
    package.targets += [
        .target(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer", publicHeadersPath: "."),
        .executableTarget(
            name: "fuzz", dependencies: ["CFuzzer", "FuzzTargets"], path: "Tests/Fuzz", sources: ["Fuzz.swift"], swiftSettings: strict),
    ]
}
