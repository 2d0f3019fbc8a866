import Foundation
import TestSupport
import Testing

/// What `make release` lets through, in a small repository of its own.
@Suite final class ReleaseTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-release-\(UUID().uuidString)")

    init() throws {
        for name in ["Tools/release", "Tools/version"] {
            let place = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
            try FileManager.default.copyItem(at: Project.root.appendingPathComponent(name), to: place)
        }
        try write("docs/errors.md", "| BLE-0001 | DFU-104C |\n")
        try write("docs/schemas/noafw.flash-1.json", "{}\n")
        try release("1.0.0")
        try git("init", "-q")
        try commit(tag: "v1.0.0")
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    @Test func aWholeReleasePasses() throws {
        #expect(try check().hasPrefix("release: 1.0.0, "))
        try release("1.0.1")
        try commit(tag: "v1.0.1")
        #expect(try check().hasSuffix(", after v1.0.0\n"))
    }

    @Test func whatIsMissingIsNamed() throws {
        try release("1.1.0")
        #expect(try check().contains("files differ from the commit"))
        try commit()
        #expect(try check().contains("git tag -a v1.1.0"))
        try commit(tag: "v1.1.0")
        try write("docs/new.md", "\n")
        try commit()
        #expect(try check().contains("v1.1.0 is at another commit"))
        try release("1.2")
        try commit(tag: "v1.2")
        #expect(try check().contains("1.2 is no semantic version"))
        try release("0.9.0")
        try commit(tag: "v0.9.0")
        #expect(try check().contains("0.9.0 comes before v1.2"))
    }

    @Test(arguments: [
        ("## Unreleased\n\n## 1.1.0 (2026-01-02)\n", "the section of 1.1.0 is empty"),
        ("## Unreleased\n\n- new\n\n## 1.1.0 (2026-01-02)\n\n- new\n", "has entries under Unreleased"),
        ("## Unreleased\n\n## 1.1.0\n\n- new\n", "has no section of 1.1.0"),
        ("## 1.1.0 (2026-01-02)\n\n- new\n", "does not begin with Unreleased"),
    ])
    func theChangelogSaysWhatIsNew(changelog: String, refusal: String) throws {
        try release("1.1.0")
        try write("CHANGELOG.md", changelog)
        try commit(tag: "v1.1.0")
        #expect(try check().contains(refusal))
    }

    @Test(arguments: [
        ("docs/errors.md", "| BLE-0001 |\n", "DFU-104C"), ("docs/schemas/noafw.flash-1.json", nil, "noafw.flash-1.json"),
    ])
    func whatIsPublishedStaysUntilTheNextMajorVersion(file: String, content: String?, gone: String) throws {
        try release("1.1.0")
        if let content { try write(file, content) } else { try FileManager.default.removeItem(at: folder.appendingPathComponent(file)) }
        try write("docs/schemas/noafw.flash-2.json", "{}\n")
        try commit(tag: "v1.1.0")
        #expect(try check().contains("published and gone: \(gone)"))
        try release("2.0.0")
        try commit(tag: "v2.0.0")
        try git("tag", "-d", "v1.1.0")
        #expect(try check().hasPrefix("release: 2.0.0, "))
    }

    private func release(_ version: String) throws {
        try write("Sources/noafw/App/ToolVersion.swift", "enum ToolVersion {\n    static let current = \"\(version)\"\n}\n")
        try write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## \(version) (2026-01-02)\n\n- something\n")
    }

    private func write(_ name: String, _ text: String) throws {
        let place = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: place, atomically: true, encoding: .utf8)
    }

    private func commit(tag: String? = nil) throws {
        try git("add", "-A")
        try git("-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "--allow-empty", "-m", "x")
        if let tag { try git("tag", tag) }
    }

    private func git(_ arguments: String...) throws {
        let (code, output) = try runProgram("/usr/bin/env", ["git", "-C", folder.path] + arguments)
        try #require(code == 0, "git \(arguments): \(output)")
    }

    private func check() throws -> String {
        let (code, output) = try runProgram(folder.appendingPathComponent("Tools/release").path, [])
        #expect((code == 0) == !output.contains("\n  next: "), "\(output)")
        return output
    }
}
