import ArgumentParser

/// What `noafw` says alone: it fits a terminal of 24 lines, with the prompt below it.
enum Overview {
    /// Verbs by what they are for. One that stands in no row comes in the last.
    private static let rows: [(title: String, verbs: [String])] = [
        ("a unit", ["scan", "info", "flash", "verify", "rescue", "pair", "unpair", "units"]),
        ("its owner", ["update", "fs", "run", "exec", "dev", "logs", "reset", "restore"]),
        ("look at it", ["watch", "screen", "photo"]),
        ("use it", ["chat", "console", "robot", "type"]),
        ("releases", ["bundle", "lint", "package", "assets"]),
        ("help", ["doctor", "explain", "help"]),
    ]

    static var verbs: [String] { Noafw.configuration.subcommands.compactMap { $0.configuration.commandName } }

    static var lines: [String] {
        let known = verbs + ["help"]
        let placed = Set(rows.flatMap(\.verbs))
        let others = (title: "records", verbs: known.filter { !placed.contains($0) })
        let table = (rows.dropLast() + [others] + rows.suffix(1)).map { row in
            "  \(row.title.padded(to: 10)) \(row.verbs.filter(known.contains).joined(separator: "  "))"
        }
        return [
            "noafw \(ToolVersion.current)", Noafw.configuration.abstract, "",
            "Examples:",
            "  noafw doctor                    check this machine, and what to do first",
            "  noafw scan                      show the units in reach",
            "  noafw flash                     bring the unit in reach up to date",
            "  noafw flash --virtual monocle   the same with a virtual Monocle, no radio",
            "", "Verbs:",
        ] + table + ["", "A verb's options: noafw VERB --help    all verbs: noafw --help"]
    }
}
