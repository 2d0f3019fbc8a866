import ArgumentParser
import Bluetooth
import Foundation
import Ledger
import Provisioning
import REPL
import ScriptBundle
import Support

/// `noafw logs`
struct LogsCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "logs",
        abstract: "Follow what a unit's program prints, with times.",
        discussion: """
            The program is not interrupted; --restart starts it anew and follows it from its first line. Ends with the program, after \
            --for, or at Ctrl-C. A Frame drops a print that follows another too soon: its firmware has no queue.

            Examples:
              noafw logs
              noafw logs --restart --for 30s
              noafw logs --json | jq .text
              noafw logs --virtual monocle

            Exit codes: 0 followed, 1 the program ended with an exception, others as in noafw flash.
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Flag(help: "Start the unit's program anew.")
    var restart = false

    @Option(name: .customLong("for"), help: ArgumentHelp("Follow for this long. The default is until Ctrl-C.", valueName: "time"))
    var span: SpanOfTime?

    @Flag(help: "Print each line as a JSON document (schema noafw.logs/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let log = UnitLog(context: context, isJSON: json)
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "logs").run { [restart, span] unit in
            do {
                return OwnerVerdict(passed: try await log.follow(unit, restarts: restart, for: span?.duration ?? .forever))
            } catch is CancellationError where context.stop.reason == .interrupted && span == nil {
                // Ctrl-C is how it ends.
                return OwnerVerdict()
            }
        }
    }
}

/// A line of `noafw logs --json`.
struct LogDocument: Encodable, Sendable {
    enum Event: String, Encodable, Sendable, CaseIterable {
        /// The link is there.
        case connected
        case line
        /// A whole traceback, or Lua's error.
        case error
        /// The program is over; the unit is at its prompt.
        case ended
    }

    let schema = "noafw.logs/1"
    var time: String
    var event: Event
    /// Untrusted.
    var text: String?
}

/// Follows what a unit's program prints.
struct UnitLog: Sendable {
    private static let connectTimeout = Duration.seconds(20)

    let context: CommandContext
    let isJSON: Bool

    /// - Returns: `false` if the program ended with an exception.
    func follow(_ unit: StationUnit, restarts: Bool, for span: Duration) async throws -> Bool {
        guard let rules = unit.family.provisioning, let language = unit.support.prompt else {
            throw CommandError.unsupported("logs", family: unit.family.id)
        }
        let clock = unit.central.clock
        if language == .lua, restarts { return try await runLua(unit, until: clock.deadline(in: span)) }
        let connection = try await rules.connect(to: unit.address, over: unit.central, deadline: clock.deadline(in: Self.connectTimeout))
        begin()
        do {
            let printed = restarts ? try await ProgramListener.restart(connection, rules, clock) { _ in } : []
            let end = clock.deadline(in: span)
            let passed = try await ProgramListener(clock: clock) { show($0) }.listen(to: connection, language, printed, until: end)
            await connection.disconnect()
            return passed
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    /// At the prompt every print of the program arrives, and its whole error, which the firmware drops behind a print.
    private func runLua(_ unit: StationUnit, until end: SessionClock.Instant) async throws -> Bool {
        struct Over: Error {}
        let clock = unit.central.clock
        let visit = try UnitVisit(family: unit.family, central: unit.central, address: unit.address, notice: context.note)
        do {
            return try await withDeadline(end, on: clock, timeout: Over()) {
                try await visit.run(isRepeatable: false) { console in
                    guard case .lua(let repl) = ConsolePrompt(console) else { return true }
                    begin()
                    try await console.recover(isFresh: true)
                    let hasVersionLine = try await console.version(of: ScriptSet.component) != nil
                    var lines = LineJoiner()
                    let program = Array("return require('main')".utf8)
                    try await repl.forget()
                    let error = try await repl.stream(program, named: "main", arguments: []) { bytes in
                        for line in lines.take(bytes) { show(.line, line) }
                    }
                    if let error { show(.error, hasVersionLine ? LuaException.programText(error) : error) }
                    show(.ended, nil)
                    return error == nil
                }
            }
        } catch is Over {
            return true
        }
    }

    private func show(_ said: ProgramSaid) {
        switch said {
        case .line(let text): show(.line, text)
        // A traceback's lines were shown.
        case .error(let text, let isShown): if isJSON || !isShown { show(.error, text) }
        case .ended: show(.ended, nil)
        }
    }

    private func begin() { if isJSON { show(.connected, nil) } }

    private func show(_ event: LogDocument.Event, _ text: String?) {
        let now = context.date()
        let time = UTCTime(now).iso8601
        if isJSON { return context.output.writeLine(JSONWriter.text(LogDocument(time: time, event: event, text: text))) }
        let clock = time.dropFirst(11).prefix(12)
        for line in (text ?? "the program has ended").split(separator: "\n", omittingEmptySubsequences: false) {
            context.output.writeLine("\(clock)  \(UntrustedText.escape(String(line), limit: 1000))")
        }
    }
}

/// Output in pieces as printable lines.
struct LineJoiner {
    private static let limit = 4096
    private var pending: [UInt8] = []

    mutating func take(_ bytes: [UInt8]) -> [String] {
        pending += bytes
        var lines: [String] = []
        while let end = pending.firstIndex(of: 0x0A) ?? (pending.count > Self.limit ? pending.endIndex : nil) {
            lines.append(PrintableText.of(pending[..<end]))
            pending.removeSubrange(..<min(end + 1, pending.endIndex))
        }
        return lines
    }
}
