import ArgumentParser
import Bluetooth
import Ledger
import Provisioning
import Support

/// `noafw watch`
struct WatchCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Show a unit as a live page: battery, signal, versions, and what its program prints.",
        discussion: """
            Interrupts the unit's program once to ask for versions and battery, starts it again, and follows what it prints. Redraws a \
            page on a terminal until the time is over or Ctrl-C; elsewhere prints each thing as a line. The signal is that of the \
            unit's advertisement: while a link is there it sends none. A lost link is looked for again for a minute, and the unit is \
            asked anew. noafw logs follows a program without interrupting it.

            Examples:
              noafw watch
              noafw watch --for 10m --json
              noafw watch --virtual frame
            """)

    @OptionGroup(title: "Unit") var unit: UnitOptions
    @OptionGroup var limit: TimeLimit

    @Option(name: .customLong("for"), help: ArgumentHelp("Watch for this long. The default is until Ctrl-C.", valueName: "time"))
    var span: SpanOfTime?

    @Flag(help: "Print each thing as a JSON document on a line of its own (schema noafw.watch/1).")
    var json = false

    func run(in context: CommandContext) async -> Int32 {
        let page = WatchPage(context, isJSON: json)
        defer { page.finish() }
        return await OwnerRun(context: context, unit: unit, limit: limit, verb: "watch").run { [span] unit in
            let clock = unit.central.clock
            let watch = WatchRun(context: context, unit: unit, page: page, end: clock.deadline(in: span?.duration ?? .forever))
            do {
                try await watch.run()
            } catch is CancellationError where context.stop.reason == .interrupted && span == nil {
                // Ctrl-C is how it ends.
            }
            return OwnerVerdict()
        }
    }
}

/// Stays with a unit, over all its links.
struct WatchRun: Sendable {
    private static let (connectTimeout, pause, patience) = (Duration.seconds(20), Duration.seconds(1), Duration.seconds(60))

    let context: CommandContext
    let unit: StationUnit
    let page: WatchPage
    let end: SessionClock.Instant

    private var clock: SessionClock { unit.central.clock }

    func run() async throws {
        try await beside({
            // The page shows how old things are.
            while true {
                page.draw()
                try await context.clock.sleep(until: context.clock.deadline(in: Self.pause))
            }
        }, { try await watch() })
    }

    private func watch() async throws {
        var lostAt: SessionClock.Instant?
        while clock.now < end {
            do {
                try await stay { lostAt = nil }
            } catch let error as LinkError {
                let since = lostAt ?? clock.now
                if lostAt == nil { page.take(.lost(error.diagnosis.message)) }
                lostAt = since
                guard clock.now < since.advanced(by: Self.patience) else { throw error }
                try await clock.sleep(until: min(end, clock.deadline(in: Self.pause)))
            }
        }
    }

    /// - Parameter reached: called when the unit has answered.
    private func stay(_ reached: () -> Void) async throws {
        guard let rules = unit.family.provisioning, let language = unit.support.prompt else {
            throw CommandError.unsupported("watch", family: unit.family.id)
        }
        let deadline = min(end, clock.deadline(in: Self.connectTimeout))
        let connection = try await rules.connect(to: unit.address, over: unit.central, deadline: deadline)
        do {
            let printed = try await ProgramListener.restart(connection, rules, clock) { console in
                page.take(.unit(try await state(console, rules)))
                reached()
            }
            _ = try await ProgramListener(clock: clock) { page.take(.said($0)) }.listen(to: connection, language, printed, until: end)
            // At its prompt it stays.
            if clock.now < end { try await connection.waitUntilGone(deadline: end) }
        } catch LinkError.timedOut where clock.now >= end {
        } catch {
            await connection.disconnect()
            throw error
        }
        await connection.disconnect()
    }

    private func state(_ console: any ProgramConsole, _ rules: ProvisioningRules) async throws -> WatchedUnit {
        var state = WatchedUnit(address: unit.address, family: unit.family.id, rssi: unit.rssi)
        for component in rules.components { state.versions.append((component.name, try await console.version(of: component))) }
        state.facts = try await console.facts()
        return state
    }
}

/// What a unit has told of itself.
struct WatchedUnit: Sendable {
    var address: DeviceAddress
    var family: FamilyID
    /// Of its advertisement, in dBm.
    var rssi: Int?
    var versions: [(name: String, version: String?)] = []
    var facts: [UnitFact] = []
}

/// A line of `noafw watch --json`.
struct WatchDocument: Encodable, Sendable {
    enum Event: String, Encodable, Sendable, CaseIterable {
        /// The link is there, and the unit has answered.
        case unit
        case line
        /// A whole traceback, or Lua's error.
        case error
        /// The program is over; the unit is at its prompt.
        case ended
        /// The link was lost; the unit is looked for.
        case lost
    }

    struct Unit: Encodable, Sendable {
        private enum CodingKeys: String, CodingKey { case address, label, family, rssi = "rssi_dbm", versions, facts }

        var address: String
        /// What people of this station call it.
        var label: String?
        var family: String
        var rssi: Int?
        /// `null` for a part that tells none.
        var versions: [String: String?]
        var facts: [String: Int]
    }

    let schema = "noafw.watch/1"
    var time: String
    var event: Event
    /// Untrusted.
    var text: String?
    @Omitted var unit: Unit? = nil
}

extension WatchDocument.Unit {
    init(_ unit: WatchedUnit) {
        self.init(
            address: "\(unit.address)", label: UnitLabels.known[unit.address], family: unit.family.rawValue, rssi: unit.rssi,
            versions: Dictionary(unit.versions.map { ($0.name, $0.version) }) { first, _ in first },
            facts: Dictionary(unit.facts.map { ($0.name, $0.value) }) { first, _ in first })
    }
}
