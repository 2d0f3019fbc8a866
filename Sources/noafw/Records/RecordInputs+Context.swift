extension RecordInputs {
    /// Of a command without options for its records.
    init(_ context: CommandContext) {
        self.init()
        if let name = context.environment["NOAFW_STATION"], !name.isEmpty { station = name }
        stop = context.stop
        lastResort = context.say
    }
}
