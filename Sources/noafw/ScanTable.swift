import Bluetooth
import Provisioning
import Synchronization

/// The table of a scan: redrawn in place on a terminal, written once elsewhere.
final class ScanTable: Sendable {
    private struct State {
        var units: [SightedUnit] = []
        var drawnLines = 0
    }

    private let context: CommandContext
    private let isLive: Bool
    private let state = Mutex(State())

    init(context: CommandContext, isLive: Bool) {
        self.context = context
        self.isLive = isLive
    }

    /// What was drawn last.
    var last: [SightedUnit] { state.withLock { $0.units } }

    func draw(_ units: [SightedUnit]) {
        state.withLock { state in
            guard units != state.units || (isLive && state.drawnLines == 0) else { return }
            state.units = units
            guard isLive else { return }
            let lines = units.isEmpty ? ["listening..."] : Self.lines(units, known: [], context)
            redraw(lines, &state)
        }
    }

    func clear() { state.withLock { redraw([], &$0) } }

    func finish(_ report: ScanReport, json: Bool) {
        state.withLock { state in
            redraw([], &state)
            guard !json, !report.units.isEmpty else { return }
            for line in Self.lines(report.units, known: report.known, context) { context.output.writeLine(line) }
        }
    }

    /// Moves up over what was drawn and clears it.
    private func redraw(_ lines: [String], _ state: inout State) {
        guard isLive else { return }
        let back = state.drawnLines > 0 ? "\u{1B}[\(state.drawnLines)A\r\u{1B}[J" : ""
        context.output.write(back + lines.map { $0 + "\n" }.joined())
        state.drawnLines = lines.count
    }

    private static func lines(_ units: [SightedUnit], known: Set<DeviceAddress>, _ context: CommandContext) -> [String] {
        var table = TextTable([
            .init("address"), .init("family"), .init("mode"), .init("name"), .init("rssi", .right), .init("note"),
        ])
        for unit in units {
            table.append([
                unit.address.description, unit.family.rawValue, unit.mode.rawValue, UntrustedText.escape(unit.name),
                "\(unit.rssi) dBm", note(unit, known),
            ])
        }
        return table.lines(style: context.style(for: context.output)) { units[$0].mode == .bootloader ? .careful : nil }
    }

    private static func note(_ unit: SightedUnit, _ known: Set<DeviceAddress>) -> String {
        let isKnown = known.contains(unit.address)
        guard unit.mode == .bootloader else { return isKnown ? "worked on before" : "" }
        return isKnown ? "stranded: noafw rescue" : "a bootloader, not met before"
    }
}
