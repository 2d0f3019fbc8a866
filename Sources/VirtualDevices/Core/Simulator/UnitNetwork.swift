import Support

/// What a unit does over a network, beside its radio. It lives as long as the unit is played; ``UnitModel/networkChanged(on:)`` follows
/// each call of `wake`.
package protocol UnitNetwork: Sendable {
    /// Where the unit answers.
    var url: String { get }

    /// Serves until cancelled.
    func run(on clock: SessionClock, wake: @escaping @Sendable () -> Void) async throws
}
