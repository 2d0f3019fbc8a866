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
        let product = Set(ModuleTableTests.mayImport.filter { !$0.value.isEmpty || $0.key == "Support" }.keys)
        let programs: Set<String> = [
            "LinkBench", "ReferenceClients",
            "DevelopmentAssets", "BootloaderTraces", "LabRounds", "VirtualUnitServer", "VirtualFaults", "LedgerWriter", "LedgerStation",
            "FleetRig", "FleetBench", "TestSupport", "FuzzTargets", "noafw-ci", "ListPeripherals", "SendFirmware"
        ]
        #expect(drawn == product.subtracting(programs))
    }

    /// A component is spelled out in its own file, in a family's, and where the command line names its files.
    @Test func nothingElseTellsComponentsApart() throws {
        let own = [
            "Provisioning/Updaters/", "noafw/Options/InputOptions.swift", "noafw/Bundle/BundleCreateCommand.swift",
            "noafw/Chat/LiveChatUnit.swift", "noafw/Families/VendorFile.swift",
        ]
        for module in ["Provisioning", "noafw"] {
            for file in try files(of: module, but: own) {
                for code in try Project.code(of: file, holding: [".firmware", ".fpga", ".scripts"]) where !code.contains("forKey:") {
                    let literal = code.firstMatch(of: /(^|[^\w)\\?}]|Component)\.(firmware|fpga|scripts)\b/)
                    #expect(literal == nil, "\(file.path): \(code)")
                }
            }
        }
    }

    private func files(of module: String, but own: [String]) throws -> [URL] {
        let target = try #require(project.targets.first { $0.name == module })
        let files = Project.swiftFiles(in: target.folder).filter { file in !own.contains { file.path.contains("Sources/" + $0) } }
        #expect(!files.isEmpty)
        return files
    }

    /// Only its own folders, its virtual model and the list of families name a family; help texts, too, for a reader needs an example.
    @Test func nothingElseLearnsAFamilysName() throws {
        let own = ["noafw/Families/", "noafw/App/SupportedFamilies.swift"]
        for module in [
            "Provisioning", "DFU", "FPGA", "REPL", "ScriptBundle", "Support", "Cryptography", "Bluetooth", "Archive", "BlueZ", "Ledger",
            "LedgerStore", "LedgerServer", "Assistant", "OpenAI", "DevelopmentAssets", "noafw",
        ] {
            for file in try files(of: module, but: own) {
                for code in try Project.code(of: file, holding: ["onocle", "FrameFamily", "frameVendor", ".frame", "alo"]) {
                    #expect(code.firstMatch(of: /[Mm]onocle|FrameFamily|frameVendor|\.frame\b|[Hh]alo\b/) == nil, "\(file.path): \(code)")
                }
            }
        }
    }
}
