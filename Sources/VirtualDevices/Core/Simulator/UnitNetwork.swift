import Support

/// What a unit does over a network, beside its radio. It lives as long as the unit is played; ``UnitModel/networkChanged(on:)`` follows
/// each call of `wake`.
package protocol UnitNetwork: Sendable {
    /// Where the unit answers.
    var url: String { get }

    /// Serves until cancelled.
    /// - Parameter opened: called once, when it can be reached.
    func run(on clock: SessionClock, opened: @escaping @Sendable () -> Void, wake: @escaping @Sendable () -> Void) async throws
}
