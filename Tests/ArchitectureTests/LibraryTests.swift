import Foundation
import TestSupport
import Testing

/// The public names of the library products, as the compiler gives them to DocC.
@Suite struct LibraryTests {
    private struct Graph: Decodable {
        struct Symbol: Decodable {
            struct Comment: Decodable { var lines: [Line] }
            struct Line: Decodable { var text: String }

            var pathComponents: [String]
            var docComment: Comment?
            var isExplained: Bool { docComment?.lines.contains { !$0.text.isEmpty } ?? false }
        }

        var symbols: [Symbol]
    }

    private static let modules = ["DFU", "BlueZ", "Bluetooth", "Cryptography", "Support"]

    @Test func productsHoldTheseModules() throws {
        let package = try String(contentsOf: Project.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let products = package.matches(of: /\.library\(name: "(?:NordicDFU|BlueZCentral)", targets: \[([^\]]*)\]/)
        let named = products.flatMap { $0.1.matches(of: /"(\w+)"/).map { String($0.1) } }
        #expect(products.count == 2 && Set(named) == Set(Self.modules))
    }

    /// What the compiler hands on from a protocol of Swift's, such as `description`, is explained there.
    @Test func everyPublicNameIsExplained() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-graphs-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try extract(to: folder)
        for module in Self.modules {
            let file = try Data(contentsOf: folder.appendingPathComponent("\(module).symbols.json"))
            let graph = try JSONDecoder().decode(Graph.self, from: file)
            #expect(graph.symbols.count > 30, "\(module)")
            for symbol in graph.symbols where !symbol.isExplained {
                Issue.record("\(module): \(symbol.pathComponents.joined(separator: ".")) has no ///")
            }
        }
    }

    private func extract(to folder: URL) throws {
        let build = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
        let run = try runProgram(
            Project.root.appendingPathComponent("Tools/docc").path, ["--graphs", folder.path],
            environment: ProcessInfo.processInfo.environment.merging(["NOAFW_BUILD": build.path]) { $1 })
        try #require(run.status == 0, "Tools/docc failed: \(run.output)")
    }
}
