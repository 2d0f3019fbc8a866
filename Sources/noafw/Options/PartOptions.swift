import ArgumentParser
import Provisioning

/// Selects a verb's components, and how long to watch the program.
struct PartOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Work only on these components of the unit: firmware, fpga, scripts.", valueName: "components"))
    var only: [PartList] = []

    @Option(
        help: ArgumentHelp(
            "Watch the unit's program for this many seconds once it is ready (2): it must neither fail nor end.", valueName: "seconds")
    )
    var watchProgram: Int?

    func validate() throws {
        guard (1...600).contains(watchProgram ?? 1) else { throw ValidationError("--watch-program is a number of seconds from 1 to 600.") }
    }

    var programWatch: Duration { watchProgram.map { .seconds($0) } ?? JobOptions.defaultProgramWatch }

    /// `nil` for all of the unit's.
    var value: Set<Component>? { only.isEmpty ? nil : only.reduce(into: []) { $0.formUnion($1.parts) } }
}

/// A comma-separated list of components.
struct PartList: Sendable, Hashable {
    var parts: Set<Component>
}

extension PartList: ExpressibleByArgument {
    init?(argument: String) {
        let names = argument.split(separator: ",", omittingEmptySubsequences: false)
        let parts = names.compactMap { name in FamilyList.supported.components.first { $0.name == name } }
        guard parts.count == names.count else { return nil }
        self.init(parts: Set(parts))
    }

    static var defaultCompletionKind: CompletionKind { .list(FamilyList.supported.components.map(\.name)) }
}
