import Foundation

/// Where the interpreters of the virtual units are.
struct InterpreterSearch {
    var search: AssetSearch

    /// The project's own virtual environment, or `$NOAFW_PYTHON`.
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
                candidates.append(folder.appendingPathComponent(".venv/bin/python3"))
            }
        }
        guard let found = candidates.first(where: ProgramFile.isThere) else { throw .noPython("the project's .venv is missing") }
        return found
    }
}
