import Provisioning

/// Command lines to run next, as a POSIX shell takes them.
enum CommandLineText {
    /// - Parameter arguments: without the program's name.
    static func same(_ arguments: [String]) -> String { (["noafw"] + arguments).map(quote).joined(separator: " ") }

    /// The `flash` that repairs what a `verify` found: the same unit and files, only those parts.
    /// - Parameter arguments: those of `verify`, which is the first.
    static func repair(_ arguments: [String], parts: [Component]) -> String {
        var kept: [String] = []
        var isValueOfOnly = false
        for argument in arguments.dropFirst() {
            defer { isValueOfOnly = argument == "--only" }
            let belongsToVerify = ["--deep", "--json", "--only"].contains(argument) || argument.hasPrefix("--only=")
            if !belongsToVerify, !isValueOfOnly { kept.append(argument) }
        }
        return same(["flash"] + kept + ["--only", parts.map(\.name).joined(separator: ",")])
    }

    /// - Parameters:
    ///   - unit: the options that name it.
    ///   - files: those that name its files.
    static func flash(_ unit: [String], _ files: [String], _ parts: [Component]) -> String {
        same(["flash"] + unit + files + ["--only", parts.map(\.name).joined(separator: ",")])
    }

    static func quote(_ argument: String) -> String {
        let isPlain = !argument.isEmpty && argument.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-_./:,=@+".utf8.contains($0)
        }
        return isPlain ? argument : "'" + argument.replacing("'", with: "'\\''") + "'"
    }
}
