import Foundation
import Testing

/// The table of docs/architecture.md, held against the package and the sources.
@Suite struct ModuleTableTests {
    /// Which of our modules each module may import.
    static let mayImport: [String: Set<String>] = [
        "Support": [],
        "Cryptography": ["Support", "CCrypto"],
        "Bluetooth": ["Support"],
        "BlueZ": ["Bluetooth", "Support", "CDBus"],
        "Archive": ["Support", "CZip"],
        "REPL": ["Bluetooth", "Support", "Cryptography"],
        "DFU": ["Archive", "Bluetooth", "Support", "Cryptography"],
        "FPGA": ["REPL", "Bluetooth", "Support", "Cryptography"],
        "ScriptBundle": ["Archive", "REPL", "Bluetooth", "Support", "Cryptography"],
        "Provisioning": ["Bluetooth", "REPL", "DFU", "FPGA", "ScriptBundle", "Support", "Cryptography"],
        "Assistant": ["Bluetooth", "REPL", "Support", "CPNG"],
        "Download": ["Support", "Cryptography"],
        "OpenAI": ["Assistant", "Download", "Support"],
        "MonocleFamily": ["Provisioning", "Assistant", "Bluetooth", "REPL", "DFU", "FPGA", "ScriptBundle", "Support", "Cryptography"],
        "FrameFamily": ["Provisioning", "Assistant", "REPL", "DFU", "ScriptBundle", "Bluetooth", "Support"],
        "ESPImage": ["Support", "Cryptography"],
        "OpenBotFamily": ["Provisioning", "Bluetooth", "Support"],
        "KeyboardFamily": ["Provisioning", "ESPImage", "Bluetooth", "Support", "Cryptography"],
        "Ledger": ["Support"],
        "LedgerStore": ["Ledger", "Support"],
        "LedgerServer": ["Ledger", "Support", "CPQ"],
        "VirtualDevices": ["Bluetooth", "Support", "Cryptography"],
        "noafw": [
            "Bluetooth", "BlueZ", "REPL", "DFU", "FPGA", "ScriptBundle", "Provisioning", "MonocleFamily", "FrameFamily", "OpenBotFamily",
            "KeyboardFamily", "ESPImage", "Assistant", "OpenAI", "Download",
            "VirtualDevices", "Ledger", "LedgerStore", "LedgerServer", "Support", "Cryptography", "CBuild",
        ],
        "noafw-ci": [
            "Bluetooth", "DFU", "ScriptBundle", "Provisioning", "MonocleFamily", "FrameFamily", "Support", "Cryptography", "CBuild",
        ],
        "ListPeripherals": ["BlueZ", "Bluetooth", "Support"],
        "SendFirmware": ["BlueZ", "Bluetooth", "DFU", "Support"],
        "DevelopmentAssets": ["DFU", "Cryptography"],
        "BootloaderTraces": ["VirtualDevices", "Bluetooth", "Support", "Cryptography"],
        "LabRounds": ["BlueZ", "DFU", "FPGA", "Provisioning", "MonocleFamily", "ScriptBundle", "Bluetooth", "Support"],
        "VirtualUnitServer": ["VirtualDevices", "VirtualFaults", "Bluetooth", "Support"],
        "VirtualFaults": ["VirtualDevices"],
        "LedgerWriter": ["LedgerStore", "Ledger", "Support"],
        "LedgerStation": ["LedgerServer", "LedgerStore", "Ledger", "Support"],
        "FleetRig": ["Cryptography", "Provisioning", "VirtualDevices", "VirtualFaults", "DFU", "Bluetooth", "Support"],
        "FleetBench": ["FleetRig", "Provisioning", "VirtualDevices", "Support"],
        "ReferenceClients": ["Bluetooth", "Support"],
        "LinkBench": ["ReferenceClients", "VirtualDevices", "VirtualFaults", "DFU", "FPGA", "REPL", "ScriptBundle", "Bluetooth", "Support"],
        "TestSupport": ["Archive", "Bluetooth", "Cryptography", "Support", "ScriptBundle", "MonocleFamily", "FrameFamily"],
        "FuzzTargets": [
            "Archive", "Assistant", "BlueZ", "CDBus", "Cryptography", "DFU", "ESPImage", "FPGA", "REPL", "ScriptBundle", "MonocleFamily",
            "FrameFamily", "KeyboardFamily", "OpenAI", "OpenBotFamily", "Ledger", "LedgerServer", "Provisioning", "Support", "Bluetooth",
            "noafw",
        ],
        "CBuild": [], "CDBus": [], "CPNG": [], "CPQ": [], "CZip": [], "CCrypto": [],
    ]

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
