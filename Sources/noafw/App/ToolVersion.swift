import CBuild

/// The version of noafw itself.
enum ToolVersion {
    /// Semantic (semver.org). The Makefile and the packages read it from this line.
    static let current = "0.1.0"

    /// What `--version` prints.
    static var line: String { line(commit: String(cString: cbuild_commit())) }

    static func line(commit: String) -> String { "\(current) (\(commit.isEmpty ? "development build" : commit))" }
}
