// swift-tools-version: 6.1
import PackageDescription

// A package of its own: here every module is built for libFuzzer and the address sanitizer. Tools/fuzz builds it.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "noafw", path: "../..")],
    targets: [
        .systemLibrary(name: "CFuzzer"),
        .executableTarget(name: "fuzz", dependencies: ["CFuzzer", .product(name: "FuzzTargets", package: "noafw")]),
    ],
    swiftLanguageModes: [.v6]
)
