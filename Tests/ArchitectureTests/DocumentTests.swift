import Foundation
import Testing

/// What the documents name, held against the sources.
@Suite struct DocumentTests {
    /// Names that are others': of SwiftPM, bluetoothd, Python, a bootloader on the air; a product's.
    private static let foreign: Set<Substring> = [
        "AcquireWrite", "DfuTarg", "ExistentialAny", "MemberImportVisibility", "ImportError", "RemoveDevice", "NordicDFU",
    ]

    private static func files(_ folders: [String], _ suffixes: Set<String>) -> [URL] {
        folders.flatMap { folder -> [URL] in
            let names = FileManager.default.enumerator(at: Project.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
            return (names?.compactMap { $0 as? URL } ?? []).filter { suffixes.contains($0.pathExtension) }
        }
    }

    private static let pages = files(["docs", "Sources", "Scripts"], ["md"]).filter { $0.lastPathComponent != "errors.md" }
        + ["README.md", "CONTRIBUTING.md"].map { Project.root.appendingPathComponent($0) }

    private static func text(of page: URL) throws -> String {
        try String(contentsOf: page, encoding: .utf8).replacing(/```[\s\S]*?```/, with: "")
    }

    /// A type whose name has changed is looked for in vain.
    @Test func everyTypeThatIsNamedExists() throws {
        var declared = Self.foreign
        for file in Self.files(["Sources", "Tests"], ["swift"]) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /\b(?:struct|class|enum|protocol|actor|typealias|case) +(\w+)/) {
                declared.insert(Substring(match.1))
            }
        }
        let project = try Project.current.get()
        declared.formUnion(project.targets.map { Substring($0.name) })
        #expect(Self.pages.count > 25)
        var named = 0
        for page in Self.pages {
            for match in try Self.text(of: page).matches(of: /`([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+)(?:\.\w+)?(?:\([^`]*\))?`/) {
                named += 1
                let isKnown = declared.contains(match.1)
                #expect(isKnown, "\(page.path) names \(match.1)")
            }
        }
        #expect(named > 150)
    }

    @Test func everyFileThatIsNamedExists() throws {
        for page in Self.pages {
            let text = try Self.text(of: page)
            for match in text.matches(of: /`((?:Sources|Tests|Scripts|Tools|docs|Benchmarks)\/[\w.\/+-]+)`/)
            where !match.1.contains(/NAME|\/name/) {
                #expect(
                    FileManager.default.fileExists(atPath: Project.root.path + "/" + match.1), "\(page.lastPathComponent) names \(match.1)")
            }
            for match in text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/) {
                let place = page.deletingLastPathComponent().appendingPathComponent(String(match.1))
                #expect(FileManager.default.fileExists(atPath: place.path), "\(page.path) leads to \(match.1)")
            }
        }
    }

    /// docs/architecture.md shows the whole; each module's folder has its README.
    @Test func thePagesStayShort() throws {
        let words = try String(contentsOf: Project.root.appendingPathComponent("docs/architecture.md"), encoding: .utf8).split {
            $0.isWhitespace
        }
        #expect(words.count <= 2000)
        let front = try String(contentsOf: Project.root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(front.split(separator: "\n", omittingEmptySubsequences: false).count <= 120)
        for target in try Project.current.get().targets where target.folder.path.contains("/Sources/") && target.name != "DevelopmentAssets"
        {
            guard !Project.swiftFiles(in: target.folder).isEmpty else { continue }
            let page = target.folder.appendingPathComponent("README.md")
            let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 41, "\(target.name)")
        }
    }
}
