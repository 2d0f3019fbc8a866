import ArgumentParser
import Ledger
import LedgerServer
import LedgerStore
import Support

struct LedgerSchemaCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the tables, roles and functions of the stations' server, for its administrator.",
        discussion: """
            Examples:
              noafw ledger schema --sql | psql --set ON_ERROR_STOP=1 --single-transaction --dbname noafw

            Exit codes: 0 printed.
            """)

    @Flag(help: "Print SQL, the only form.")
    var sql = false

    func run(in context: CommandContext) async -> Int32 {
        context.output.writeLine(ServerSchema.sql)
        return 0
    }
}

struct LedgerSendCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send the runs that the server does not have yet.",
        discussion: """
            Every run with --ledger also sends waiting runs. Use this after the server was unreachable. It shows which runs the \
            server refused, and which wait under another station's name.

            Examples:
              noafw ledger send --ledger 'postgresql://ledger.example.com/noafw?sslrootcert=/etc/noafw/root.crt'
              noafw ledger send --rejected

            Exit codes: 0 nothing of this station waits, 64 usage, 65 the server refuses runs or has other tables, \
            75 not reached, 77 login refused.
            """)

    @OptionGroup var server: LedgerServerOptions

    @Option(help: ArgumentHelp("The name of this station. The default is NOAFW_STATION, else the name of the host.", valueName: "name"))
    var station: String?

    @Flag(help: "Send refused runs again.")
    var rejected = false

    @Option(help: ArgumentHelp("Try for at most this long.", valueName: "seconds"))
    var limit: Int = 60

    @Flag(help: "Print one JSON document on standard output, and all else on standard error.")
    var json = false

    func validate() throws {
        guard (1...86_400).contains(limit) else { throw ValidationError("--limit is from 1 to 86400.") }
    }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: json)
        return await verb.run(failure: { SendDocument(UploadReport(), [:], $0) }) { _ in
            let name = station ?? context.environment["NOAFW_STATION"] ?? RecordInputs.hostName
            guard let server = try server.value(station: name, in: context) else {
                throw ServerError.address(reason: "none is named, and NOAFW_LEDGER is not set")
            }
            let ledger = SQLiteLedger(folder: "\(try context.stateFolder())/ledger")
            if rejected { try await ledger.retryRejected(station: name) }
            let clock = SessionClock.continuous
            let deadline = clock.deadline(in: .seconds(limit))
            try await server.check(.require, within: .seconds(limit))
            var report = await server.uploads(from: ledger).send(within: clock.now.duration(to: deadline))
            report.rejected = try await ledger.rejected(station: name)
            let others = try await ledger.unsentElsewhere(than: name)
            if report.notices.count > 1, let unreadable = report.unreadable?.diagnosis {
                verb.note("\(unreadable.message) [\(unreadable.code)]")
            }
            let error = report.notices.last?.diagnosis
            return OfflineCommand.Result(lines: Self.lines(report, others), document: SendDocument(report, others, error), error: error)
        }
    }

    private static let shownRuns = 20

    private static func lines(_ report: UploadReport, _ others: [String: Int]) -> [String] {
        let refused = report.rejected.prefix(shownRuns).map { "  refused: \($0.id): \(UntrustedText.escape($0.reason))" }
        let more = report.rejected.count > shownRuns ? ["  and \(report.rejected.count - shownRuns) more"] : []
        let waiting = others.sorted { $0.key < $1.key }.map { name, count in
            let command = CommandLineText.same(["ledger", "send", "--station", name])
            return "station \(UntrustedText.escape(name)): \(LedgerText.counted(count)) not sent; next: \(UntrustedText.escape(command))"
        }
        return ["runs sent: \(report.sent), waiting: \(report.left), refused: \(report.rejected.count)"] + refused + more + waiting
    }
}

struct SendDocument: Encodable {
    struct Refusal: Encodable { var run: RunID, reason: String }

    private enum CodingKeys: String, CodingKey { case schema, sent, waiting, rejected, others = "other_stations", error }

    let schema = "noafw.ledger.send/1"
    let sent: Int
    let waiting: Int
    let rejected: [Refusal]
    let others: [String: Int]
    let error: Diagnosis?

    init(_ report: UploadReport, _ others: [String: Int], _ error: Diagnosis?) {
        (sent, waiting, self.others, self.error) = (report.sent, report.left, others, error)
        rejected = report.rejected.map { Refusal(run: $0.id, reason: $0.reason) }
    }
}
