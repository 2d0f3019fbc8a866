import ArgumentParser

/// What a run's record says of its surroundings.
struct RecordOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("The name of this station. The default is NOAFW_STATION, else the host's name.", valueName: "name"))
    var station: String?

    @Option(help: ArgumentHelp("Who works at this station.", valueName: "name"))
    var `operator`: String?

    @Option(help: ArgumentHelp("The work order.", valueName: "text"))
    var order: String?

    @Option(help: ArgumentHelp("The part number.", valueName: "text"))
    var part: String?

    @Option(help: ArgumentHelp("The batch number.", valueName: "text"))
    var batch: String?

    @Option(help: ArgumentHelp("The fixture that holds the unit.", valueName: "name"))
    var fixture: String?

    private static let limit = 64

    func validate() throws {
        let all = [("station", station), ("operator", `operator`), ("order", order), ("part", part), ("batch", batch), ("fixture", fixture)]
        for (name, value) in all {
            guard let value else { continue }
            let isPrintable = value.unicodeScalars.allSatisfy(UntrustedText.isHarmless)
            guard isPrintable, (1...Self.limit).contains(value.count), value.contains(where: { !$0.isWhitespace }) else {
                throw ValidationError("--\(name) is 1 to \(Self.limit) printable characters.")
            }
        }
    }

    /// - Parameter environment: where `NOAFW_STATION` may stand.
    func value(_ environment: [String: String]) -> RunLabels {
        let named = environment["NOAFW_STATION"].flatMap { $0.isEmpty ? nil : $0 }
        return RunLabels(
            station: station ?? named, operatorName: `operator`, workOrder: order, part: part, batch: batch, fixture: fixture)
    }
}

/// What a run's record says of its surroundings.
struct RunLabels: Sendable, Hashable {
    /// `nil` is the host's name.
    var station: String?
    var operatorName: String?
    var workOrder: String?
    var part: String?
    var batch: String?
    var fixture: String?
}
