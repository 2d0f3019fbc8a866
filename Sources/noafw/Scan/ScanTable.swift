import Bluetooth
import Provisioning
import Synchronization

/// The table of a scan: redrawn in place on a terminal, otherwise written once.
final class ScanTable: Sendable {
    private struct State {
        var report = ScanReport(units: [], known: [])
        var drawnLines = 0
    }

    private let context: CommandContext
    private let isLive: Bool
    private let state = Mutex(State())

    init(context: CommandContext, isLive: Bool) {
        self.context = context
        self.isLive = isLive
    }

    var last: ScanReport { state.withLock { $0.report } }

    func draw(_ report: ScanReport) {
        state.withLock { state in
            guard report != state.report || (isLive && state.drawnLines == 0) else { return }
            state.report = report
            guard isLive else { return }
            // A wrapped line would be two rows for the cursor, which moves up by lines.
            let columns = max(8, context.output.columns() - 1)
            redraw(report.units.isEmpty ? ["listening..."] : Self.lines(report, context, columns: columns), &state)
        }
    }

    func clear() { state.withLock { redraw([], &$0) } }

    func finish(_ report: ScanReport, json: Bool) {
        state.withLock { state in
            redraw([], &state)
            guard !json, !report.units.isEmpty else { return }
            for line in Self.lines(report, context) { context.output.writeLine(line) }
        }
    }

    /// Clears the last table.
    private func redraw(_ lines: [String], _ state: inout State) {
        guard isLive else { return }
        let back = state.drawnLines > 0 ? "\u{1B}[\(state.drawnLines)A\r\u{1B}[J" : ""
        context.output.write(back + lines.map { $0 + "\n" }.joined())
        state.drawnLines = lines.count
    }

    private static func lines(_ report: ScanReport, _ context: CommandContext, columns: Int? = nil) -> [String] {
        // The name comes last: anybody may use a long one, and the terminal cuts the end of a line.
        var table = TextTable([
            .init("address", keeping: .end), .init("family"), .init("mode"), .init("rssi", .right), .init("note", keeping: .start),
            .init("name", keeping: .start),
        ])
        for unit in report.units {
            table.append([
                UntrustedText.escape(unit.address.labelled), unit.family.rawValue,
                unit.mode.rawValue, "\(unit.rssi) dBm", note(unit, report.known),
                UntrustedText.escape(unit.name),
            ])
        }
        return table.lines(style: context.style(for: context.output), columns: columns) {
            report.units[$0].mode == .bootloader ? .careful : nil
        }
    }

    private static func note(_ unit: DiscoveredUnit, _ known: Set<DeviceAddress>) -> String {
        guard unit.hasVerbs else { return unit.unsupported }
        let isKnown = known.contains(unit.address)
        guard unit.mode == .bootloader else { return isKnown ? "worked on before" : "" }
        return isKnown ? "stranded: noafw rescue" : "an unknown bootloader"
    }
}
