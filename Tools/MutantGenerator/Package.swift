// swift-tools-version: 6.2
import PackageDescription

// Apart from noafw's own package: nothing that is built or tested there needs a parser.
let package = Package(
    name: "MutantGenerator",
    dependencies: [.package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.0")],
    targets: [
        .executableTarget(
            name: "MutantGenerator",
            dependencies: [
                .product(name: "SwiftOperators", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftSyntax", package: "swift-syntax"),
            ])
    ])
