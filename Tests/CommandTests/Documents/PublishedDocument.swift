import Bluetooth
import Foundation
import Provisioning
import Support

@testable import noafw

/// A document that other programs read. Its schema is gathered from samples: one with all that there can be, one with as little.
struct PublishedDocument {
    var schema: String
    var title: String
    /// The golden file whose document is the example of docs/json.md.
    var golden: String?
    var samples: [any Encodable]

    static var all: [PublishedDocument] { runs }

    /// Documents of which no golden file has one.
    static let withoutGolden: Set<String> = []
}

extension PublishedDocument {
    private static let error = Diagnosis(
        "BLE-0001", .tryAgain, .radio, "the link was lost", cause: "the unit is far", remedy: "move it closer")
    private static let run = RunIdentity(
        id: "019c", station: "bench", operator: "ada", serial: "SN1", order: "WO1", started: "2026-11-24T10:00:00Z", ended: "2026-11-24T10:01:00Z")
    private static let step = StepMember(StepReport(component: .scripts, action: .updated, from: "a", to: "b", bytes: 1, seconds: 0.5))
    private static var plan: PlanMember {
        var component = ComponentPlan(component: .scripts, action: .update, from: "a", to: "b", byteCount: 1)
        component.erases = ["main.lua"]
        return PlanMember(Plan(family: "frame", unit: "", components: [component, ComponentPlan(component: .fpga, action: .current, from: nil, to: "b", byteCount: 1)]))
    }

    private static func unit(isFull: Bool, isVerified: Bool) -> UnitMember {
        var result = UnitMember.Result(
            verdict: .pass, fault: .unit, error: error, program: .silent, recoveries: [RecoveryMember(Recovery(remedy: .interrupt, reason: error))], run: run)
        if isFull { (result.outcome, result.seconds, result.adapter) = (.pass, 1.5, .some("hci0")) }
        if isVerified {
            result.lastPass = .some(LastPassMember(time: "2026-11-24T10:00:00Z", verb: "flash", run: "019c"))
        } else {
            result.steps = [step]
            if isFull { result.plan = plan }
        }
        var unit = UnitMember(names: .init(id: "a", family: "frame", address: "C0:FF:EE:00:00:01"), result: result)
        guard isVerified else { return unit }
        var finding = FindingMember(expected: "a", actual: "b", match: false, proof: .version)
        if isFull { (finding.differences, finding.extras, finding.state, finding.allowedBy) = (["x"], ["y"], .drifted, [1]) }
        unit.findings.components = isFull ? FamilyList.supported.components.map { ($0, finding) } : []
        return unit
    }

    private static func document(_ schema: String, isFull: Bool, isVerified: Bool) -> RunDocument {
        let result = FleetRunResult<UnitReport>(report: FleetReport(entries: [], stop: error), error: error, seconds: 1.5)
        var fleet = FleetMember(result)
        if !isFull { fleet.seed = nil } else if isVerified { fleet.comparedWith = "the catalogue" } else { fleet.seed = 1 }
        var document = RunDocument(schema: schema, verdict: .pass, units: [unit(isFull: isFull, isVerified: isVerified)], fleet: nil)
        document.fleet = fleet
        return document
    }

    private static func runs(_ schema: String, isVerified: Bool) -> [any Encodable] {
        var single = document(schema, isFull: false, isVerified: isVerified)
        single.fleet = nil
        return [document(schema, isFull: true, isVerified: isVerified), document(schema, isFull: false, isVerified: isVerified), single]
    }

    private static func event(_ content: RunEvent.Content) -> EventDocument {
        let facts: EventDocument.Facts? = if case .probed(let unit) = content { .init(unit) } else { nil }
        let head = EventDocument.Head(time: "2026-11-24T10:00:00Z", seconds: 0.5, unit: "C0:FF:EE:00:00:01", runID: "019c")
        let unit = FleetUnit(id: "a")
        return EventDocument(head: head, content: .init(RunEvent(unit: unit, content: content)), facts: facts)
    }

    fileprivate static var runs: [PublishedDocument] {
        var identity = UnitIdentity(address: DeviceAddress("C0:FF:EE:00:00:01")!, name: "frame", versions: [.scripts: "a"])
        identity.batteryPercent = 80
        let events: [RunEvent.Content] = [
            .units(2), .started(adapter: "hci0"), .stage(.probe), .progress(stage: .probe, overall: 0.5, bytesDone: 1, bytesTotal: 2), .notice("text"),
            .found("frame"), .probed(identity), .planned(Plan(family: "frame", unit: "", components: [])),
            .step(StepReport(component: .scripts, action: .current, from: nil, to: "b")), .recorded(run), .ended(.failed(error), seconds: 1.5),
        ]
        return [
            PublishedDocument(
                schema: RunDocument.flash, title: "The result of `noafw flash --json`", golden: "flash-updates", samples: runs(RunDocument.flash, isVerified: false)),
            PublishedDocument(
                schema: RunDocument.verify, title: "The result of `noafw verify --json`", golden: "fleet-drift", samples: runs(RunDocument.verify, isVerified: true)),
            PublishedDocument(
                schema: "noafw.rescue/1", title: "The result of `noafw rescue --json`", golden: "rescue",
                samples: [true, false].map {
                    RescueDocument(
                        verdict: .pass, units: [unit(isFull: $0, isVerified: false)], strangers: ["a"], impostors: ["b"], running: "c", error: error)
                }),
            PublishedDocument(
                schema: "noafw.event/1", title: "A line of `--events`; `event` says which of the other members it has", golden: "events",
                samples: events.map { event($0) }),
            PublishedDocument(
                schema: "noafw.error/1", title: "The result of a command line that cannot be run", golden: "usage", samples: [ErrorDocument(error)]),
        ]
    }
}
