import Ledger
import LedgerServer

extension Examples {
    static let ledger = CataloguedErrors([
        LedgerError.notRecorded(ledger: reason, spool: reason), .newerSchema(path: path, found: "FORM", known: "FORM"),
        .networkFileSystem(path: path, fileSystem: "FILE SYSTEM"), .unreadable(path: path, reason: reason),
        .unreadable(path: path, reason: reason, isDamaged: true), .locked(path: path),
        .abandoned(run: "RUN"),
        .serialBound(
            serial: "SERIAL", address: "ADDRESS", known: SerialBinding(serial: "SERIAL", unitAddress: "BOUND ADDRESS", run: "RUN")),
        .noSuchRun("DIGITS"),
        .serialBound(
            serial: "SERIAL", address: "ADDRESS", known: SerialBinding(serial: "BOUND SERIAL", unitAddress: "ADDRESS", run: "RUN")),
        .noRuns(folder: "FOLDER"),
        .severalRuns("DIGITS", found: ["RUN"]), .unsound(findings: 2),
    ])

    static let claim = CataloguedErrors([
        ClaimError.taken(unit: "UNIT", station: "STATION", until: UTCTime(microseconds: 0)), .notAsked(unit: "UNIT", reason: reason),
        .runsOut(unit: "UNIT"),
        .serialBound(
            serial: "SERIAL", unit: "ADDRESS", known: SerialBinding(serial: "BOUND SERIAL", unitAddress: "BOUND ADDRESS", run: "RUN"),
            station: "STATION")
    ])

    static let server = CataloguedErrors([
        ServerError.address(reason: reason), .passwordInAddress, .unsecured(setting: "SETTING"), .service(name: "SERVICE", reason: reason),
        .passfile(path: path, mode: "0644"), .login(login: "LOGIN", station: "STATION"), .certificate(path: path),
        .stationName(reason: reason), .unreachable(reason: reason),
        .loginRefused(reason: reason), .clearText, .schema(found: 2, known: 1), .refused(state: "SQLSTATE", reason: reason),
        .tooLong(limit: 1_048_576), .library(reason: reason)
    ])

    static let ledgerNotice = CataloguedErrors(
        [
            LedgerNotice.closedAbandoned(["RUN"]), .spooling(path: path, reason: reason), .spoolTakenIn(records: 2),
            .spoolLinesRejected(lines: 2, path: path), .brokenMovedAside(path: path), .spoolUnreadable(path: path, reason: reason),
            .spoolWaits(bytes: 3, path: path),
            .oddRows(["row 3 (steps)"]),
            .unsent(runs: 2, reason: reason), .rejected(run: "RUN", reason: reason), .unclaimed(reason: reason),
        ], diagnosis: \.diagnosis)
}
