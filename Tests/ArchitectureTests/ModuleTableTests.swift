import Foundation
import Testing

/// The table of docs/architecture.md, held against the package and the sources.
@Suite struct ModuleTableTests {
    /// Which of our modules each module may import; of libraries from outside ``libraryUsers`` decides.
    static let mayImport = {
        let text = (try? String(contentsOf: Project.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8)) ?? ""
        var table: [String: Set<String>] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 3 else { continue }
            let imports = Set(cells[3].components(separatedBy: ", "))
            let allowed = imports.contains("everything") ? imports.union(table.keys) : imports
            for name in cells[1].components(separatedBy: ", ") { table[name.trimmingCharacters(in: ["`"])] = allowed }
        }
        return table.mapValues { $0.intersection(table.keys) }
    }()

    /// The keyboard takes its firmware over Wi-Fi.
    private static let httpUsers: Set<String> = ["Download", "OpenAI", "KeyboardFamily", "VirtualDevices", "TestSupport"]

    /// Which modules may use a library from outside.
    static let libraryUsers: [String: Set<String>] = [
        "SwiftProtobuf": ["DFU"], "ArgumentParser": ["noafw", "noafw-ci"], "GRDB": ["LedgerStore"],
        "AsyncHTTPClient": ["Download", "OpenAI"], "NIOSSL": ["Download", "OpenAI", "TestSupport"],
        "NIOCore": httpUsers, "NIOHTTP1": httpUsers, "NIOPosix": httpUsers,
    ]

    /// What comes with the toolchain.
    static let toolchain: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Glibc", "Synchronization", "Dispatch", "Testing",
    ]

    private let project: Project
    init() throws { project = try Project.current.get() }

    @Test func declaredDependenciesFollowTheTable() throws {
        let modules = project.targets.filter { !$0.isTest }
        #expect(modules.count >= 10)
        for module in modules {
            let allowed = try #require(Self.mayImport[module.name], "\(module.name) is not in the table")
            for dependency in module.dependencies where !allowed.contains(dependency) {
                let users = Self.libraryUsers[dependency]
                #expect(users?.contains(module.name) == true, "\(module.name) may not depend on \(dependency)")
            }
        }
    }

    @Test func importsAreDeclared() throws {
        let ours = Set(Self.mayImport.keys).union(Self.libraryUsers.keys)
        for target in project.targets {
            for file in Project.swiftFiles(in: target.folder) {
                let imports = try Project.imports(of: file).subtracting([target.name])
                let undeclared = imports.intersection(ours).subtracting(target.dependencies)
                #expect(undeclared.isEmpty, "\(target.name)/\(file.lastPathComponent) imports \(undeclared)")
                let strangers = imports.subtracting(ours).subtracting(Self.toolchain)
                #expect(strangers.isEmpty, "\(target.name)/\(file.lastPathComponent) imports \(strangers)")
            }
        }
    }

    /// With a shared codec one mistake would cancel itself out.
    @Test func virtualUnitsShareNothingWithTheClient() throws {
        let target = try #require(project.targets.first { $0.name == "VirtualDevices" })
        let files = Project.swiftFiles(in: target.folder)
        #expect(!files.isEmpty)
        for file in files {
            let shared = try Project.imports(of: file).intersection(["DFU", "REPL", "FPGA", "ScriptBundle", "Provisioning"])
            #expect(shared.isEmpty, "\(file.lastPathComponent) imports \(shared)")
        }
    }

    @Test func onlyTheCompositionRootKnowsTheRadiosAndTheParser() throws {
        for target in project.targets where !target.isTest && target.name != "noafw" {
            var roots: Set<String> = ["ArgumentParser", "BlueZ", "VirtualDevices"]
            // The lab's unit is played without any client code, as are the recorded conversations; its leak check without the tool.
            // The benches put many units on one air, or one on many links.
            if ["VirtualUnitServer", "VirtualFaults", "BootloaderTraces", "FleetRig", "FleetBench", "LinkBench"].contains(target.name) {
                roots.remove("VirtualDevices")
            }
            if ["LabRounds", "ListPeripherals", "SendFirmware", "FuzzTargets"].contains(target.name) { roots.remove("BlueZ") }
            if target.name == "noafw-ci" { roots.remove("ArgumentParser") }
            #expect(target.dependencies.isDisjoint(with: roots), "\(target.name)")
        }
    }

    /// What a program gets that imports a product, or a release job that runs noafw-ci.
    @Test(arguments: [["DFU", "Bluetooth", "Cryptography", "Support"], ["BlueZ", "Bluetooth", "Support"], ["noafw-ci"]])
    func theProductsBringNoServerAndNoNetwork(roots: [String]) {
        var reached: Set<String> = []
        var open = roots
        while let name = open.popLast() {
            guard reached.insert(name).inserted else { continue }
            open += project.targets.first { $0.name == name }?.dependencies ?? []
        }
        #expect(reached.count > roots.count)
        let heavy: Set<String> = ["GRDB", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "CPQ", "LedgerServer"]
        #expect(reached.isDisjoint(with: heavy), "\(roots): \(reached.intersection(heavy))")
        #expect(roots != ["noafw-ci"] || reached.isDisjoint(with: ["BlueZ", "CDBus", "VirtualDevices"]))
    }

    @Test func everyTargetIsStrict() throws {
        let manifest = try String(contentsOf: Project.root.appendingPathComponent("Package.swift"), encoding: .utf8)
        for setting in [".swiftLanguageMode(.v6)", "ExistentialAny", "MemberImportVisibility"] {
            #expect(manifest.contains(setting))
        }
        #expect(!manifest.contains("unsafeFlags"))
    }
}
