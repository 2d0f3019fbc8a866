// swift-tools-version: 6.1
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], resources: [Resource]? = nil
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, resources: resources, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

let protobuf = Target.Dependency.product(name: "SwiftProtobuf", package: "swift-protobuf")
let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

let package = Package(
    name: "noafw",
    products: [.executable(name: "noafw", targets: ["noafw"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    ],
    targets: [
        .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),

        module("Bluetooth"),
        module("REPL", ["Bluetooth"]),
        module("DFU", ["Bluetooth", "CZip", "CCrypto", protobuf], exclude: ["InitPacket/dfu.proto"]),
        module("FPGA", ["REPL", "Bluetooth", "CCrypto"]),
        module("ScriptBundle", ["REPL", "CCrypto"]),
        module("Provisioning", ["Bluetooth", "REPL", "DFU", "FPGA", "ScriptBundle", "CCrypto"]),
        module("VirtualDevices", ["Bluetooth", "CCrypto"], resources: [.copy("Monocle/Python"), .copy("Frame/Lua")]),
        .executableTarget(
            name: "noafw",
            dependencies: [
                "Bluetooth", "REPL", "DFU", "FPGA", "ScriptBundle", "Provisioning", "VirtualDevices",
                argumentParser,
            ],
            swiftSettings: strict),

        // Makes the development images in Firmware/ and FPGA/ anew.
        .executableTarget(name: "DevelopmentAssets", dependencies: ["DFU", "CCrypto"], swiftSettings: strict),

        // What several test targets share: foreign programs, a unit on real MicroPython, seeded numbers.
        .target(name: "TestSupport", dependencies: ["Bluetooth"], path: "Tests/TestSupport", swiftSettings: strict),
        tests("BluetoothTests", ["Bluetooth"]),
        tests("REPLTests", ["REPL", "Bluetooth", "TestSupport"]),
        tests("DFUTests", ["DFU", "Bluetooth", "TestSupport"]),
        tests("FPGATests", ["FPGA", "REPL", "Bluetooth", "TestSupport"]),
        tests("ScriptBundleTests", ["ScriptBundle", "REPL", "Bluetooth", "TestSupport"]),
        tests("VirtualDevicesTests", ["VirtualDevices", "Bluetooth", "CCrypto", "TestSupport"]),
        tests("ProvisioningTests", ["Provisioning", "VirtualDevices", "DFU", "FPGA", "REPL", "ScriptBundle", "Bluetooth", "TestSupport"]),
        tests("CommandTests", ["noafw", "Provisioning", "VirtualDevices", "Bluetooth", "TestSupport"]),
        tests("AssetTests", ["DevelopmentAssets", "DFU", "FPGA", "ScriptBundle", "Provisioning", "VirtualDevices", "Bluetooth", "TestSupport"]),
        tests("ScriptTests", ["VirtualDevices", "Bluetooth", "TestSupport"]),
        tests("ArchitectureTests", []),
    ]
)
