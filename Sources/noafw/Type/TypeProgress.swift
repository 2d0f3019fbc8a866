import Bluetooth
import KeyboardFamily
import Support
import Synchronization

/// Shows progress, on a terminal as a rewritten line, elsewhere as a line each tenth; and remarks on characters.
final class TypeProgress: Sendable {
    enum Kind: Sendable, CaseIterable { case missing, replaced, dead, mistaken }

    private struct State {
        var plan: TypePlan?
        var address: DeviceAddress?
        var confirmed = 0
        var tenths = 0
        var isDrawn = false
        var said: [Kind: Set<Unicode.Scalar>] = [:]
    }

    /// A shorter text is done before anybody has read it.
    private static let shortestShown = 5.0
    private static let mostCharacters = 16

    private let context: CommandContext
    private let known = Mutex(State())

    init(context: CommandContext) { self.context = context }

    var confirmed: Int { known.withLock { $0.confirmed } }
    var plan: TypePlan? { known.withLock { $0.plan } }
    /// Of the unit that gets the text.
    var address: DeviceAddress? { known.withLock { $0.address } }
    /// `nil` before a unit gets any.
    var state: String? {
        guard address != nil else { return nil }
        let (confirmed, all) = (confirmed, plan?.keys)
        let more = min(TypingMachine.mostKeys, all.map { $0 - confirmed } ?? TypingMachine.mostKeys)
        return "\(confirmed)\(all.map { " of \($0)" } ?? "") keys are typed for certain, and up to \(more) more may be"
    }

    var interruption: Diagnosis {
        known.withLock { KeyboardError.interrupted(confirmed: $0.confirmed, of: $0.plan?.keys).diagnosis }
    }

    func begin(_ plan: TypePlan) { known.withLock { $0.plan = plan } }

    func begin(at address: DeviceAddress) { known.withLock { $0.address = address } }

    func take(_ event: TypingEvent) {
        switch event {
        case .confirmed(let keys): advance(to: keys)
        case .lost(let unknown):
            context.note("the link is lost: \(unknown) keys may or may not have been typed; looking for the unit")
        case .found: context.note("the unit is back; empty the host's field by hand, then give an empty line: until then nothing is typed")
        case .heldBack: context.note("a line is not typed: the host's text is unknown; empty its field, then give an empty line")
        case .tooLate: context.note("a line changes text before a key that cannot be undone: the change is not typed")
        }
    }

    private func advance(to keys: Int) {
        let line: String? = known.withLock { state in
            state.confirmed = keys
            guard let plan = state.plan, plan.seconds >= Self.shortestShown, plan.keys > 0 else { return nil }
            let left = Format.clock(seconds: plan.seconds * Double(plan.keys - keys) / Double(plan.keys))
            let text = "typed \(Format.bytes(keys)) of \(Format.bytes(plan.keys)) keys, \(left) left"
            if isLive {
                state.isDrawn = true
                return "\r\(text)\u{1B}[K"
            }
            let tenth = keys * 10 / plan.keys
            defer { state.tenths = tenth }
            return tenth > state.tenths ? text + "\n" : nil
        }
        if let line { context.diagnostics.write(line) }
    }

    func finish() {
        let wasDrawn = known.withLock { state in
            defer { state.isDrawn = false }
            return state.isDrawn
        }
        if wasDrawn { context.diagnostics.write("\r\u{1B}[K") }
    }

    private var isLive: Bool { context.diagnostics.isTerminal && !context.isDumbTerminal }

    /// New remarks only: each kind's characters as a list.
    func news(_ text: TypingText) -> [(Kind, String)] {
        let counts: [Kind: [Unicode.Scalar: Int]] = [
            .missing: text.missing, .replaced: text.replaced, .dead: text.dead, .mistaken: text.mistaken,
        ]
        let now = counts.mapValues { Set($0.keys) }
        return known.withLock { state in
            Kind.allCases.compactMap { kind in
                let new = (now[kind] ?? []).subtracting(state.said[kind] ?? []).sorted { $0.value < $1.value }
                state.said[kind, default: []].formUnion(new)
                guard !new.isEmpty else { return nil }
                let names = new.prefix(Self.mostCharacters).map(Self.name)
                return (kind, names.joined(separator: " ") + (new.count > names.count ? " and \(new.count - names.count) more" : ""))
            }
        }
    }

    private static func name(_ character: Unicode.Scalar) -> String {
        let code = String(character.value, radix: 16, uppercase: true)
        let number = "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
        let isShown = character.properties.generalCategory != .format && !character.properties.isWhitespace && character.value > 32
        return isShown ? "\(character) (\(number))" : number
    }
}
