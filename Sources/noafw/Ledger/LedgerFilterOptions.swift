import ArgumentParser
import Bluetooth
import Ledger
import Support

struct LedgerScopeOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Only runs since this day (2026-11-22) or time (2026-11-22T14:00) in UTC, or in this period (30m, 12h, 7d).",
            valueName: "time"))
    var since: Moment?

    @Option(
        help: ArgumentHelp("Only runs of the unit with this address, name or serial number.", valueName: "address|name|serial"),
        completion: LiveCompletion.units)
    var unit: String?

    @Option(help: ArgumentHelp("Only runs of this station.", valueName: "name"))
    var station: String?

    @Option(
        help: ArgumentHelp("Only runs of this verb: flash, verify, rescue or chat.", valueName: "verb"),
        completion: .list(["flash", "verify", "rescue", "chat"]))
    var verb: String?

    func filter(now: UTCTime) -> RunFilter {
        var filter = RunFilter()
        filter.since = since?.time(now: now)
        filter.unit = unit.map { (DeviceAddress($0) ?? UnitLabels.address(of: $0))?.description ?? $0 }
        (filter.station, filter.verb) = (station, verb)
        return filter
    }

    func words(now: UTCTime) -> String {
        [
            since.map { "since \($0.time(now: now).iso8601.prefix(16).replacing("T", with: " ")) UTC" }, unit.map { "unit \($0)" },
            station.map { "station \($0)" }, verb.map { "verb \($0)" },
        ].compactMap(\.self).joined(separator: ", ")
    }
}

struct LedgerVerdictOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Only runs with this verdict.", valueName: "verdict"))
    var verdict: RunOutcome?

    @Option(help: ArgumentHelp("Only runs that ended with this error code, such as DFU-0B05.", valueName: "code"))
    var code: String?

    @Option(help: ArgumentHelp("Only this many runs, the newest.", valueName: "count"))
    var limit: Int?

    func validate() throws {
        if let limit, !(1...1_000_000).contains(limit) { throw ValidationError("--limit is a number from 1 to 1000000.") }
    }

    func add(to filter: inout RunFilter) { (filter.outcome, filter.code, filter.limit) = (verdict, code?.uppercased(), limit) }
}

extension RunOutcome: ExpressibleByArgument {}

enum Moment: Sendable, Hashable, ExpressibleByArgument {
    case at(UTCTime)
    case ago(Int64)

    init?(argument: String) {
        if let time = UTCTime(iso8601: argument) {
            self = .at(time)
            return
        }
        let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int64(argument.dropLast()), (1...1_000_000).contains(count),
            argument.first?.isNumber == true
        else { return nil }
        self = .ago(count * unit * 1_000_000)
    }

    func time(now: UTCTime) -> UTCTime {
        switch self {
        case .at(let time): time
        case .ago(let microseconds): UTCTime(microseconds: now.microseconds - microseconds)
        }
    }
}
