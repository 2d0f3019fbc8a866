import Bluetooth
import Provisioning

extension EventWriter {
    func write(_ event: FleetRunEvent) {
        let unit = event.unit.map { $0.address?.description ?? $0.id }
        write(unit: unit, Self.members(event))
    }

    private static func members(_ event: FleetRunEvent) -> [(String, JSONText)] {
        switch event.content {
        case .planned(let units): [("event", .string("fleet")), ("units", .integer(units))]
        case .started(let adapter): [("event", .string("started")), ("id", .optional(event.unit?.id)), ("adapter", .string(adapter))]
        case .job(let content): members(content)
        case .ended(let verdict, let error, let seconds):
            [
                ("event", .string("ended")), ("id", .optional(event.unit?.id)), ("verdict", .string(verdict.rawValue)),
                ("unit_seconds", .number(seconds)), ("error", error.map(ReportText.document) ?? .null),
            ]
        case .notice(let text): [("event", .string("notice")), ("text", .string(text))]
        }
    }
}
