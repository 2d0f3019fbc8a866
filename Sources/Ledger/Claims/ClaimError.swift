import Support

/// Why a unit that is present must be left alone.
public enum ClaimError: Error, Sendable, Hashable {
    /// - Parameters:
    ///   - station: which holds it.
    ///   - until: when its lease ends unless renewed; the server's time.
    case taken(unit: String, station: String, until: UTCTime)
    /// - Parameters:
    ///   - known: what the server knows about the number or the unit.
    ///   - station: the source.
    case serialBound(serial: String, unit: String, known: SerialBinding, station: String)
    /// A claim is required.
    /// - Parameter remedy: what to do on the server; `nil` while it cannot be reached.
    case notAsked(unit: String, reason: String, remedy: String? = nil)
    /// No erase begins.
    case runsOut(unit: String)
}

extension ClaimError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .taken(let unit, let station, let until):
            Diagnosis(
                "LED-0100", .tryAgain, .station,
                "station \(station) works on \(unit); its claim ends at \(until.iso8601) if it is not renewed",
                cause: "two stations hear the same unit, or that station was switched off in the middle of a run",
                remedy: "leave the unit to that station, or run the same command again after that time")
        case .serialBound(let serial, let unit, let known, let station):
            Diagnosis(
                "LED-0103", .badData, nil, "according to the ledger's server, \(known.refusal(of: serial, at: unit))",
                cause: known.cause(of: serial, source: "station \(station)"),
                remedy:
                    "read this unit's label again; see run \(known.run) at station \(station); if that is no longer true, add "
                        + "--rebind-serial"
            )
        case .notAsked(let unit, let reason, let remedy):
            Diagnosis(
                "LED-0101", .tryAgain, .station, "\(unit) cannot be claimed: \(reason)",
                cause:
                    "the ledger's server \(remedy == nil ? "cannot be reached" : "grants no claims"), and --claims require asks for one "
                    + "before each unit",
                remedy: remedy ?? "check the network and the server, then run the same command again; or use --claims prefer")
        case .runsOut(let unit):
            Diagnosis(
                "LED-0102", .tryAgain, .station, "the claim on \(unit) runs out and could not be renewed, so nothing more is erased",
                cause: "the ledger's server cannot be reached, or another station took the unit",
                remedy: "check the network and the server, then run the same command again: it continues where this run stopped")
        }
    }

    /// Whether the unit or its number belongs to another, so that nothing began. Otherwise the server's answer may only be lost.
    var isAnothers: Bool {
        switch self {
        case .taken, .serialBound: true
        case .notAsked, .runsOut: false
        }
    }

    /// The claim has retried by itself.
    public var obstacle: Obstacle? { nil }
}
