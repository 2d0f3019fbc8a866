import Foundation
import Testing

/// What the virtual units stand on, held against the sources.
@Suite struct VirtualCoreTests {
    private static let core = Project.root.appendingPathComponent("Sources/VirtualDevices/Core")

    /// A family is a folder beside the core; the core learns no name.
    @Test func theCoreKnowsNoFamily() throws {
        let files = Project.swiftFiles(in: Self.core)
        #expect(files.count > 20)
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.lowercased().contains("monocle"), "\(file.lastPathComponent)")
            for word in ["Frame", "FrameHardware", "FrameModel", "OpenBot", "Keyboard"] {
                let isNamed = text.split { !$0.isLetter }.contains { $0 == word }
                #expect(!isNamed, "\(file.lastPathComponent) names \(word)")
            }
        }
    }

    @Test func itsFilesStayUnder250Lines() throws {
        for file in Project.swiftFiles(in: Self.core.deletingLastPathComponent()) {
            let count = try Project.lines(of: file).count
            #expect(count <= 250, "\(file.lastPathComponent) has \(count) lines")
        }
    }

    /// The number of a system call is another one on each architecture: only the headers' names are right on all.
    @Test func systemCallsGoByTheHeadersNames() throws {
        let folders = ["Sources", "Tests", "Tools", "Scripts"].map { Project.root.appendingPathComponent($0) }
        var calls = 0
        for file in folders.flatMap(Self.code) where file.lastPathComponent != URL(fileURLWithPath: #filePath).lastPathComponent {
            guard let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
            for rest in text.ranges(of: "syscall(").map({ text[$0.upperBound...] }) {
                calls += 1
                #expect(rest.hasPrefix("SYS_"), "\(file.lastPathComponent): syscall(\(rest.prefix(30))")
            }
        }
        #expect(calls >= 3)
    }

    private static func code(in folder: URL) -> [URL] {
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (names?.compactMap { $0 as? URL } ?? []).filter { ["swift", "c", "h", "py", ""].contains($0.pathExtension) }
    }
}
