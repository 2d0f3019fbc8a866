import ArgumentParser

/// The value of `--timeout`.
enum TimeLimit {
    /// - Throws: `ValidationError`.
    static func check(_ seconds: Double?) throws {
        if let seconds, !(seconds.isFinite && seconds > 0 && seconds <= 1_000_000) {
            throw ValidationError("--timeout is a number of seconds above 0 and up to 1000000.")
        }
    }
}
