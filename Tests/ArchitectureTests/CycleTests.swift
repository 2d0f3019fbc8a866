import Foundation
import TestSupport
import Testing

/// Which files need each other, as `Tools/cycles` counts them.
@Suite struct CycleTests {
    /// Groups larger than this are more than one idea; what is larger today may not grow.
    private static let limit = 3

    private static let verbs: Set<Substring> = [
        "Flash", "Verify", "Scan", "Rescue", "Doctor", "Bundle", "Package", "Assets", "Chat", "Console", "Pair", "Ledger", "Type",
        "Info", "Units", "Explain", "Lint",
        "Fs", "Restore", "Run", "Dev", "Update",
    ]
    /// The composition root: these files alone know the verbs.
    private static let root: Set<Substring> = ["App/Noafw.swift", "App/Services.swift", "Families/SupportedFamily+Keyboard.swift"]

    @Test func groupsOfFilesAreSmall() throws {
        let modules = try FileManager.default.contentsOfDirectory(atPath: Project.root.appendingPathComponent("Sources").path)
            .filter { !Project.swiftFiles(in: Project.root.appendingPathComponent("Sources/\($0)")).isEmpty }
        #expect(modules.count > 10)
        for module in modules {
            let output = try Self.cycles(["Sources/\(module)"])
            let size = try #require(output.split(separator: "\n").last?.firstMatch(of: /^largest group (\d+) of \d+ files$/)?.1)
            #expect(Int(size) ?? .max <= Self.limit, "\(module): \(output)")
        }
    }

    /// What two verbs share lies in App, Output or another folder below them, and nothing below names a verb.
    @Test func noFileNamesAnotherVerbsTypes() throws {
        let uses = try Self.cycles(["--uses", "Sources/noafw"]).split(separator: "\n").map { $0.split(separator: "\t") }
        #expect(uses.count > 300)
        for use in uses {
            try #require(use.count == 3)
            let (user, used) = (use[0].prefix { $0 != "/" }, use[1].prefix { $0 != "/" })
            guard Self.verbs.contains(used), user != used, !Self.root.contains(use[0]) else { continue }
            Issue.record("\(use[0]) names \(use[2]) of \(use[1])")
        }
    }

    @Test func everyFolderOfTheToolIsSmall() throws {
        let folder = Project.root.appendingPathComponent("Sources/noafw")
        let folders = Set(Project.swiftFiles(in: folder).map { $0.deletingLastPathComponent().path })
        #expect(folders.isSuperset(of: Self.verbs.map { folder.appendingPathComponent(String($0)).path }))
        #expect(!folders.contains(folder.path), "each file has its folder")
        for folder in folders {
            let names = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(names.filter { $0.hasSuffix(".swift") }.count <= 12, "\(folder)")
        }
    }

    @Test func commentsAndStringsAreNoUses() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-cycles-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = [
            "A": ##"struct A { let text = "B \(C.name) \"B\"" /* B /* B */ */ } // B"##,
            "B": ##"struct B { let a: A; let python = """\##nA \(1)\##n"""; let raw = #"A "A" \(A)"# }"##,
            "C": ##"enum C { static let name = "A"; let pattern = /A"/; private struct A {} }"##,
            "D": ##"struct D { var e: E.Part? }"##, "E": ##"struct E { struct Part { var d = [D]() } }"##,
        ]
        for (name, text) in files { try text.write(to: folder.appendingPathComponent("\(name).swift"), atomically: true, encoding: .utf8) }
        #expect(try Self.cycles(["--uses", folder.path]) == """
            A.swift\tC.swift\tC
            B.swift\tA.swift\tA
            D.swift\tE.swift\tE
            E.swift\tD.swift\tD

            """)
        #expect(try Self.cycles([folder.path]) == "2 files: D.swift, E.swift\nlargest group 2 of 5 files\n")
    }

    private static func cycles(_ arguments: [String]) throws -> String {
        let run = try runProgram(Project.root.appendingPathComponent("Tools/cycles").path, arguments, folder: Project.root.path)
        try #require(run.status == 0, "Tools/cycles failed: \(run.output)")
        return run.output
    }
}
