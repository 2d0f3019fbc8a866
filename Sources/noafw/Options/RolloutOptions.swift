import ArgumentParser
import Provisioning

/// When a fleet's run starts no more units.
struct RolloutOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Start the others only after this many units have passed. The default is 1 for 5 units or more, else 0.", valueName: "n"))
    var canary: Int?

    @Option(
        help: ArgumentHelp(
            "Start no more units after this many failures in a row with the same code. The default is 2; 0 continues, unless the "
                + "--canary units fail.",
            valueName: "n"))
    var stopAfter: Int?

    @Option(help: ArgumentHelp("Shuffle the units with this number.", valueName: "n", visibility: .hidden))
    var seed: UInt32?

    var isGiven: Bool { canary != nil || stopAfter != nil || seed != nil }

    func validate() throws {
        if let canary, !(0...1000).contains(canary) { throw ValidationError("--canary is a number from 0 to 1000.") }
        if let stopAfter, !(0...1000).contains(stopAfter) { throw ValidationError("--stop-after is a number from 0 to 1000.") }
    }

    var value: RolloutLimits {
        RolloutLimits(canary: canary, stopAfter: stopAfter ?? RolloutLimits.usualStop, seed: UInt64(seed ?? .random(in: 0 ... .max)))
    }
}

/// When a fleet's run starts no more units, and their order.
struct RolloutLimits: Sendable, Hashable {
    static let usualStop = 2

    /// Units that must pass before others start; `nil` is 1 for a fleet of five or more.
    var canary: Int?
    /// Failures in a row with one code; 0 never stops.
    var stopAfter: Int
    /// For the shuffle.
    var seed: UInt64

    /// A limit of 0 disables the share, too.
    var guarded: RolloutGuard.Limits {
        var limits = RolloutGuard.Limits()
        limits.inARow = stopAfter
        if stopAfter == 0 { limits.share = nil }
        return limits
    }

    static let none = RolloutLimits(canary: 0, stopAfter: 0, seed: 0).guarded
}
