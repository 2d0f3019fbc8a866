import Foundation
import Testing

/// The picture of the modules in docs/architecture.md, held against the package.
@Suite struct PictureTests {
    private let project: Project
    init() throws { project = try Project.current.get() }

    @Test func everyArrowIsADependency() throws {
        let text = try String(contentsOf: Project.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)
        let arrows = text.matches(of: /^ {4}(\w+) --> (\w+)$/.anchorsMatchLineEndings()).map { (String($0.1), String($0.2)) }
        let modules = Dictionary(uniqueKeysWithValues: project.targets.map { ($0.name, $0.dependencies) })
        #expect(arrows.count > 20)
        for (from, to) in arrows { #expect(modules[from]?.contains(to) == true, "\(from) does not depend on \(to)") }
        let drawn = Set(arrows.flatMap { [$0.0, $0.1] })
        let product = Set(ModuleTableTests.mayImport.keys).filter { !["CDBus", "CPNG", "CPQ", "CZip", "CCrypto"].contains($0) }
        let programs: Set<String> = [
            "DevelopmentAssets", "BootloaderTraces", "LabRounds", "VirtualUnitServer", "VirtualFaults", "LedgerWriter", "LedgerStation",
            "FleetRig", "FleetBench", "TestSupport", "FuzzTargets"
        ]
        #expect(drawn == product.subtracting(programs))
    }

    /// A family's name stands in its own folders, its virtual model and the list of families.
    @Test func nothingElseLearnsAFamilysName() throws {
        for module in [
            "Provisioning", "Support", "Cryptography", "Bluetooth", "Archive", "BlueZ", "Ledger", "LedgerStore", "DevelopmentAssets"
        ] {
            let target = try #require(project.targets.first { $0.name == module })
            for file in Project.swiftFiles(in: target.folder) {
                for line in try Project.lines(of: file) where !line.trimmingCharacters(in: .whitespaces).hasPrefix("//") {
                    let code = line.prefix { $0 != "\"" }
                    #expect(code.firstMatch(of: /[Mm]onocle|[Ff]rameFamily|\.frame\b/) == nil, "\(file.lastPathComponent): \(line)")
                }
            }
        }
    }
}
