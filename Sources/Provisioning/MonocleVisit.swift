/// The way to a Monocle through the steps of one pass: a link is made when a step needs one, and serves the steps after it
/// until the unit leaves. A change of links costs seconds.
struct MonocleVisit {
    private let radio: MonocleRadio
    private var current: UnitSession?

    fileprivate init(_ radio: MonocleRadio) { self.radio = radio }

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
    fileprivate mutating func abandon() async {
        await current?.leaveAsFound()
        await end()
    }
}

extension MonocleRadio {
    /// Runs `body` with a way to the unit, which ends with it.
    func visit(_ body: (inout MonocleVisit) async throws -> Void) async throws {
        var visit = MonocleVisit(self)
        do {
            try await body(&visit)
        } catch {
            await visit.abandon()
            throw error
        }
        await visit.end()
    }
}
