// swift-tools-version: 6.1
import PackageDescription

// A package of its own: libFuzzer brings `main`, and every module has to be instrumented. Built by Tools/fuzz.
let package = Package(
    name: "fuzz",
    dependencies: [.package(name: "noafw", path: "../..")],
    targets: [
        .executableTarget(name: "fuzz", dependencies: [.product(name: "FuzzTargets", package: "noafw")])
    ],
    swiftLanguageModes: [.v6]
)
