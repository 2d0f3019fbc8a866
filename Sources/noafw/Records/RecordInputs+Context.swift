import Ledger

extension RecordInputs {
    /// Of a command without options for its records.
    init(_ context: CommandContext) {
        self.init()
        if let name = context.environment["NOAFW_STATION"], !name.isEmpty { record.station = name }
        stop = context.stop
        lastResort = context.say
        now = { [date = context.date] in UTCTime(date()) }
    }
}
