/// The way to a Monocle through the steps of one pass: a link is made when a step needs one, and serves the steps after it
/// until the unit leaves. A change of links costs seconds.
struct MonocleVisit {
    private let radio: MonocleRadio
    private var current: UnitSession?

    init(_ radio: MonocleRadio) { self.radio = radio }

    /// The unit at its raw prompt.
    mutating func session() async throws -> UnitSession {
        if let current { return current }
        let session = try await radio.open()
        current = session
        return session
    }

    /// Ends the link, if there is one: the unit resets, or nothing more is wanted of it.
    mutating func end() async {
        await current?.close()
        current = nil
    }

    /// Ends early: a unit that was only looked at goes on with its program.
    mutating func abandon() async {
        await current?.leaveAsFound()
        await end()
    }
}
