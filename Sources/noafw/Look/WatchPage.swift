import Foundation
import Ledger
import Provisioning
import Support
import Synchronization

/// A watched unit as a page that is redrawn in place, as plain lines, or as JSON lines.
final class WatchPage: Sendable {
    enum News: Sendable {
        case unit(WatchedUnit)
        case said(ProgramSaid)
        /// Printable.
        case lost(String)
    }

    private struct State {
        var unit: WatchedUnit?
        var askedAt: Date?
        var link = "looking for the unit"
        var lines: [String] = []
    }

    /// Lines that are kept, more than a screen has, and characters of each.
    private static let (lineLimit, textLimit) = (200, 1000)

    private let context: CommandContext
    private let isJSON: Bool
    private let block: LiveBlock
    private let state = Mutex(State())

    init(_ context: CommandContext, isJSON: Bool) { (self.context, self.isJSON, block) = (context, isJSON, LiveBlock(context)) }

    func take(_ news: News) {
        let now = context.date()
        state.withLock { state in
            switch news {
            case .unit(let unit): (state.unit, state.askedAt, state.link) = (unit, now, "there; the program was started")
            case .lost(let reason): state.link = "lost (\(UntrustedText.escape(reason))); looking for the unit"
            case .said(.ended): state.link = "there; the program has ended"
            case .said: break
            }
            state.lines = Array((state.lines + Self.lines(news, at: now)).suffix(Self.lineLimit))
        }
        if isJSON { return context.output.writeLine(JSONWriter.text(Self.document(news, at: now))) }
        if block.isLive { return draw() }
        for line in Self.lines(news, at: now) { context.output.writeLine(line) }
    }

    func draw() {
        guard !isJSON else { return }
        let (state, rows) = (state.withLock(\.self), context.output.rows())
        block.draw(at: context.clock.now) { style, columns in Self.page(state, style, columns: columns, rows: rows - 1) }
    }

    func finish() {
        if !isJSON { block.draw(at: context.clock.now, isDue: true) { [state = state.withLock(\.self), rows = context.output.rows()] in
            Self.page(state, $0, columns: $1, rows: rows - 1)
        } }
        block.finish()
    }

    // MARK: - Text

    private static func time(_ date: Date) -> String { UTCTime(date).iso8601 }
    private static func clock(_ date: Date) -> String { String(time(date).dropFirst(11).prefix(12)) }

    private static func lines(_ news: News, at now: Date) -> [String] {
        let text = switch news {
        case .unit(let unit): facts(unit).map { "\($0.name) \($0.value)" }.joined(separator: ", ")
        case .lost(let reason): "the link was lost (\(reason)); looking for the unit"
        case .said(.line(let text)): text
        case .said(.error(_, isShown: true)): ""
        case .said(.error(let text, isShown: false)): text
        case .said(.ended): "the program has ended"
        }
        if case .said(.error(_, isShown: true)) = news { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).prefix(lineLimit).map {
            "\(clock(now))  \(UntrustedText.escape(String($0), limit: textLimit))"
        }
    }

    private static func facts(_ unit: WatchedUnit) -> [(name: String, value: String)] {
        let battery = unit.facts.first { $0.name == UnitFact.battery }.map { "\($0.value) %" }
        return [
            (unit.family.rawValue, "\(unit.address)" + (UnitLabels.known[unit.address].map { " (\($0))" } ?? "")),
            ("battery", battery ?? "unknown"), ("signal", unit.rssi.map { "\($0) dBm" } ?? "unknown"),
        ] + unit.versions.map { ($0.name, ComponentFormatter.version($0.version)) }
    }

    /// The program's last lines take what room is left.
    private static func page(_ state: State, _ style: TextStyle, columns: Int, rows: Int) -> [String] {
        var head = state.unit.map(facts)?.map { "\($0.name.padded(to: 9)) \(UntrustedText.escape($0.value))" } ?? []
        if let asked = state.askedAt { head.append("\("asked".padded(to: 9)) \(clock(asked).prefix(8)) UTC") }
        head.append("\("link".padded(to: 9)) \(state.link)")
        let room = max(0, rows - head.count - 1)
        let lines = state.lines.suffix(room)
        return head.map { DisplayWidth.prefix($0, columns: columns) } + [style.paint("prints", .strong)]
            + lines.map { DisplayWidth.prefix($0, columns: columns) }
    }

    private static func document(_ news: News, at now: Date) -> WatchDocument {
        let time = time(now)
        return switch news {
        case .unit(let unit): WatchDocument(time: time, event: .unit, unit: WatchDocument.Unit(unit))
        case .lost(let reason): WatchDocument(time: time, event: .lost, text: reason)
        case .said(.line(let text)): WatchDocument(time: time, event: .line, text: text)
        case .said(.error(let text, _)): WatchDocument(time: time, event: .error, text: text)
        case .said(.ended): WatchDocument(time: time, event: .ended)
        }
    }
}
