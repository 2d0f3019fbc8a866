import Foundation

/// Where the interpreters of the virtual units are.
struct InterpreterSearch {
    var search: AssetSearch

    /// Installed by the package noafw-virtual, below the prefix of the executable. It stands for the Python beside which it is looked for.
    static let installed = "lib/noafw/monocle-python"

    /// `$NOAFW_PYTHON`, else the project's own virtual environment, or what is installed.
    /// - Throws: ``CommandError/noPython(_:)``.
    func python() throws(CommandError) -> String {
        if let own = search.environment["NOAFW_PYTHON"], !own.isEmpty {
            let program = search.path(own).location
            guard ProgramFile.isThere(program) else { throw .noPython("NOAFW_PYTHON names no program: \(own)") }
            return program
        }
        var candidates: [String] = []
        for start in [search.executable.map { ($0 as NSString).resolvingSymlinksInPath }, search.currentDirectory + "/x"] {
            var folder = (start ?? "/") as NSString
            while folder.length > 1 {
                folder = folder.deletingLastPathComponent as NSString
                candidates += [".venv/bin/python3", Self.installed].map(folder.appendingPathComponent)
            }
        }
        guard let found = candidates.first(where: ProgramFile.isThere) else {
            throw .noPython("the package noafw-virtual is not installed, and there is no .venv of a checkout")
        }
        return found
    }
}
