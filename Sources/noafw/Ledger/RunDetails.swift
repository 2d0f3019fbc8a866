import Ledger

enum RunDetails {
    static func lines(_ run: RunRecord, _ style: TextStyle) -> [String] {
        let verdict = LedgerText.tone(run).map { style.paint(LedgerText.verdict(run), $0) } ?? LedgerText.verdict(run)
        let fault = [run.code, run.blame.map { "fault: \($0.rawValue)" }].compactMap(\.self).map(UntrustedText.escape).joined(
            separator: ", ")
        let head = ["run \(run.id)", "\(verdict)\(fault.isEmpty ? "" : "  \(fault)")", ""]
        let given: [(String, String?)] = [
            ("unit", run.unitAddress), ("serial", run.serial), ("family", run.family), ("verb", run.verb), ("station", run.station),
            ("fixture", run.fixture), ("adapter", run.adapter), ("operator", run.operatorName), ("work order", run.workOrder),
            ("part", run.part),
            ("batch", run.batch), ("first run", run.attemptOf?.description), ("bundle", run.bundleDigest), ("signed by", run.bundleSigner),
            ("noafw", run.toolVersion), ("host", run.host), ("number", run.seq.map { "\($0) of \(run.epoch ?? "-")" }),
        ]
        return head + pairs(given) + pairs(measured(run)) + [""] + components(run, style) + steps(run, style)
    }

    private static func measured(_ run: RunRecord) -> [(String, String?)] {
        [
            ("started", "\(LedgerText.moment(run.startedAt)) UTC"), ("ended", run.endedAt.map { "\(LedgerText.moment($0)) UTC" }),
            ("took", run.elapsedMilliseconds.map { "\(Format.seconds(Double($0) / 1000)) s" }),
            ("retries", run.retries > 0 ? "\(run.retries)" : nil),
            ("signal", run.rssi.map { "\($0) dBm" }), ("battery", run.battery.map { "\($0) %" }),
        ]
    }

    private static func pairs(_ pairs: [(String, String?)]) -> [String] {
        pairs.compactMap { name, text in text.map { "  \(name.padded(to: 11))\(UntrustedText.escape($0))" } }
    }

    private static func components(_ run: RunRecord, _ style: TextStyle) -> [String] {
        let names = Set(run.versionsBefore.keys).union(run.versionsAfter.keys).union(run.digests.keys).sorted()
        guard !names.isEmpty else { return [] }
        var table = TextTable([.init("part", keeping: .start), .init("before"), .init("after"), .init("sent, SHA-256", keeping: .start)])
        for name in names {
            let version = { (versions: [String: String]) in versions[name].map { ComponentFormatter.version($0) } ?? "-" }
            table.append([
                UntrustedText.escape(name), version(run.versionsBefore), version(run.versionsAfter),
                run.digests[name].map(UntrustedText.escape) ?? "-"
            ])
        }
        return table.lines(style: style) { _ in nil } + [""]
    }

    private static func steps(_ run: RunRecord, _ style: TextStyle) -> [String] {
        guard !run.steps.isEmpty else { return ["no step is recorded"] }
        var table = TextTable([
            .init("step", keeping: .start), .init("at", .right), .init("seconds", .right), .init("bytes", .right), .init("kB/s", .right),
            .init("retries", .right),
            .init("verdict"), .init("code", keeping: .start),
        ])
        for step in run.steps {
            table.append([
                UntrustedText.escape(step.name), Format.seconds(Double(step.startMilliseconds) / 1000),
                Format.seconds(Double(step.milliseconds) / 1000),
                step.bytes.map { Format.bytes(Int($0)) } ?? "-", step.kilobytesPerSecond.map { Format.seconds($0) } ?? "-",
                step.retries > 0 ? "\(step.retries)" : "-", step.outcome.rawValue, step.code.map(UntrustedText.escape) ?? "-",
            ])
        }
        return table.lines(style: style) { run.steps[$0].outcome == .pass ? nil : .bad }
    }
}
