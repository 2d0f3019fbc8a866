import Assistant
import Bluetooth
import ESPImage
import Foundation
import KeyboardFamily
import OpenBotFamily
import Provisioning
import Support
import TestSupport

@testable import Ledger
@testable import ScriptBundle
@testable import noafw

/// A document that other programs read. Its schema is gathered from samples: one with all that there can be, one with as little.
struct PublishedDocument {
    var schema: String
    var title: String
    /// The golden file whose document is the example of docs/json.md.
    var golden: String?
    /// Empty where the schema is gathered from what was printed: of a type that only a real file or record can make.
    var samples: [any Encodable] = []

    static var all: [PublishedDocument] { runs + others }

    /// Documents of which no golden file has one: they need a server.
    static let withoutGolden: Set<String> = ["noafw.ledger.send/1"]
    /// Files of the program's own, which no option prints: the station's list of units, and what a bundle holds (docs/assets.md).
    static let files: Set<String> = ["noafw.units/1", "noafw.names/1", "noafw.bundle/1", "noafw.kept/1", "noafw.unfinished/1"]
}

extension PublishedDocument {
    private static let error = Diagnosis(
        "BLE-0001", .tryAgain, .radio, "the link was lost", cause: "the unit is far", remedy: "move it closer")
    private static let run = RunIdentity(
        id: "019c", station: "bench", operator: "ada", serial: "SN1", order: "WO1", started: "2026-11-24T10:00:00Z",
        ended: "2026-11-24T10:01:00Z")
    private static let step = StepMember(StepReport(component: .scripts, action: .updated, from: "a", to: "b", bytes: 1, seconds: 0.5))
    private static var plan: PlanMember {
        var component = ComponentPlan(component: .scripts, action: .update, from: "a", to: "b", byteCount: 1)
        component.erases = ["main.lua"]
        return PlanMember(
            Plan(
                family: "frame", unit: "",
                components: [component, ComponentPlan(component: .fpga, action: .current, from: nil, to: "b", byteCount: 1)]))
    }

    private static func unit(isFull: Bool, isVerified: Bool) -> UnitMember {
        var result = UnitMember.Result(
            verdict: .pass, fault: .unit, error: error, program: .silent,
            recoveries: [RecoveryMember(Recovery(remedy: .interrupt, reason: error))], run: run)
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
        unit.findings.components = FamilyList.supported.components.map { ($0, finding) }
        if !isFull { unit.findings.components.removeFirst(2) }
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
        identity.facts = [.battery(percent: 80)]
        let events: [RunEvent.Content] = [
            .units(2), .started(adapter: "hci0"), .stage(.probe), .progress(stage: .probe, overall: 0.5, bytesDone: 1, bytesTotal: 2),
            .notice("text"),
            .found("frame"), .probed(identity), .probed(UnitIdentity(address: identity.address, name: "frame")),
            .planned(Plan(family: "frame", unit: "", components: [])),
            .step(StepReport(component: .scripts, action: .current, from: nil, to: "b")), .recorded(run),
            .ended(.failed(error), seconds: 1.5)
        ]
        return [
            PublishedDocument(
                schema: RunDocument.flash, title: "The result of `noafw flash --json`", golden: "flash-updates",
                samples: runs(RunDocument.flash, isVerified: false)),
            PublishedDocument(
                schema: RunDocument.verify, title: "The result of `noafw verify --json`", golden: "fleet-drift",
                samples: runs(RunDocument.verify, isVerified: true)),
            PublishedDocument(
                schema: "noafw.rescue/1", title: "The result of `noafw rescue --json`", golden: "rescue",
                samples: [true, false].map {
                    RescueDocument(
                        verdict: .pass, units: [unit(isFull: $0, isVerified: false)], strangers: ["a"], impostors: ["b"], running: "c",
                        error: error)
                }),
            PublishedDocument(
                schema: "noafw.event/1", title: "A line of `--events`; `event` says which of the other members it has", golden: "events",
                samples: events.map { event($0) }),
            PublishedDocument(
                schema: "noafw.error/1", title: "The result of a command line that cannot be run", golden: "usage",
                samples: [ErrorDocument(error)])
        ]
    }
}

extension PublishedDocument {
    private static var doctor: [any Encodable] {
        let checks = [DoctorCheck.Status.ok, .warn].map {
            DoctorCheck(name: "state", status: $0, detail: "text", fix: $0 == .ok ? nil : "text")
        }
        return [DoctorDocument(checks), DoctorDocument([], error: error)]
    }

    private static var robot: [any Encodable] {
        var report = RobotReport(identity: UnitIdentity(address: DeviceAddress("C0:FF:EE:00:00:01")!, name: "OpenBot: RTR_TT2"))
        report.checks = [RobotCheck(name: "sonar", result: .passed, found: "9 cm", expected: "an echo")]
        (report.voltage, report.run) = (11.5, run)
        report.stop = RobotStop(delivery: .proved, latency: .milliseconds(60), isWhole: true, deadManMilliseconds: 400)
        var full = RobotTestDocument(report, error)
        full.unit?.body = "RTR_TT2"
        full.unit?.features = ["v"]
        return [full, RobotTestDocument(nil, error)]
    }

    private static var robotVerbs: [any Encodable] {
        var report = RobotReport(identity: UnitIdentity(address: DeviceAddress("C0:FF:EE:00:00:01")!, name: "OpenBot: RTR_TT2"))
        report.voltage = 11.5
        report.sent = [RobotReport.Sent(line: .indicators(left: true, right: false), delivery: .proved)]
        report.stop = RobotStop(delivery: .proved, latency: .milliseconds(60), isWhole: true, deadManMilliseconds: 400)
        var full = RobotDocument(report, error)
        full.unit?.body = "RTR_TT2"
        full.unit?.features = ["v"]
        return [full, RobotDocument(nil, error), RobotDocument(report, nil)]
    }

    private static var robotImage: [any Encodable] {
        let failed = RobotImageDocument(file: "a.bin", error: error)
        guard let image = try? ESPImage(ESPImageRecipe().bytes) else { return [failed] }
        return [RobotImageDocument(file: "a.bin", image: image), failed]
    }

    private static var bonds: [BondReport] {
        [.real, .reset].map { BondReport(family: "frame", address: DeviceAddress("C0:FF:EE:00:00:01")!, outcome: .removed, unit: $0) }
    }

    private static var scan: [any Encodable] {
        let address = DeviceAddress("C0:FF:EE:00:00:01")!
        let unit = DiscoveredUnit(family: "frame", mode: .application, advertisedAddress: address, name: "Frame", rssi: -50)
        return [ScanDocument(ScanReport(units: [unit], known: []), error: nil), ScanDocument(nil, error: error)]
    }

    private static var chat: [any Encodable] {
        let unit = ReportTarget(id: "frame", family: "frame")
        var soak = ChatVerdict(failure: nil, display: ["a"])
        soak.soaks = [SoakResult()]
        let events: [ChatEvent] = [
            .connecting(attempt: 1), .connected(UnitStatus(batteryPercent: 1, firmware: "a", scripts: "b")), .lost(reason: "a"),
            .reconnecting(after: .seconds(1)),
            .console("a"), .undelivered(1),
        ]
        return [ChatDocument.begin(unit: unit, assistant: "echo", mode: .assistant), ChatDocument.end(soak, error: error)]
            + events.map { ChatDocument($0) } + [ChatDocument(event: "asked", id: 1, seconds: 1.5, photo: true, cut: .some("a"))]
    }

    private static var bundle: [any Encodable] {
        let file = BundleManifest.File(file: "main.lua", bytes: 1, sha256: "00")
        let image = BundleManifest.Image(version: "v1", file: "firmware.zip", bytes: 1, sha256: "00")
        var verified = BundleDocument(file: "a", verdict: .pass)
        verified.source = "a"
        return [
            verified,
            BundleDocument(
                file: "a", bytes: 1, sha256: "00", family: "frame", tool: "1", scripts: .init(version: "a", scheme: .app, files: [file]),
                firmware: image, fpga: image,
                signature: .init(signer: "a", publicKey: "b", verified: true, trustedAs: "c"), error: error)
        ]
    }

    private static var typed: [any Encodable] {
        let text = TypingText("a", layout: .german)
        let full = TypeReport(address: DeviceAddress("C0:FF:EE:00:00:01"), plan: TypePlan(text, text.items), isProved: true)
        return [
            TypeDocument(full, .german, confirmed: 1, seconds: 0.5),
            TypeDocument(TypeReport(), .german, confirmed: 0, seconds: 0.5, error: error),
        ]
    }

    private static var info: [any Encodable] {
        var identity = UnitIdentity(address: DeviceAddress("C0:FF:EE:00:00:01")!, name: "frame", versions: [.firmware: "a"])
        identity.facts = [.battery(percent: 80)]
        var report = InfoReport(family: "frame", rssi: -50, answer: UnitAnswer(mode: .application, identity: identity, bond: .kept))
        report.details = [UnitDetail(name: "body", value: "a")]
        return [InfoDocument(report), InfoDocument(nil, error: error)]
    }

    private static var lint: [any Encodable] {
        let remark = LintReport.Remark(file: "main.py", line: 1, kind: .error, code: "BND-0021", message: "a")
        let report = LintReport(folder: "a", family: "frame", files: 1, remarks: [remark, .init(kind: .warning, message: "a")])
        return [LintDocument(report, error: error)]
    }

    private static var fetched: [any Encodable] {
        guard let file = VendorFile.frame.first, let pin = try? file.pinned(mirror: nil) else { return [] }
        return [FetchDocument(files: [.init(file, pin, action: "added", path: "a")], error: error)]
    }

    private static var refreshed: [any Encodable] {
        [RefreshDocument(error: error), RefreshDocument(root: "a", files: [.init(path: "a", isChanged: true)])]
    }

    private static var units: [any Encodable] {
        let known = KnownUnits.Unit(family: "frame", address: "C0:FF:EE:00:00:01", lastWorkedOn: 1)
        return [UnitsDocument(units: ListedUnits(known: [known], names: [:]).rows, error: error)]
    }

    private static var explanation: [any Encodable] {
        let entry = ErrorEntry(code: "NOA-0001", exit: 66, message: "a", cause: "b", remedy: "c")
        return [ExplainDocument(code: "NOA-0001", entries: [entry], error: error)]
    }

    private static var listings: [any Encodable] {
        let folder = UnitFile(Array("lib".utf8), in: .root, isFolder: true, byteCount: 0)
        return [FsDocument([folder]), FsDocument(UnitSpace(used: 1, total: 2)), FsDocument(UnitSpace(used: 1, total: nil))]
    }

    fileprivate static var others: [PublishedDocument] {
        [
            PublishedDocument(schema: "noafw.info/1", title: "The result of `noafw info --json`", golden: "info", samples: info),
            PublishedDocument(
                schema: "noafw.units.list/1", title: "The result of `noafw units list --json`", golden: "units-list", samples: units),
            PublishedDocument(schema: "noafw.lint/1", title: "The result of `noafw lint --json`", golden: "lint", samples: lint),
            PublishedDocument(
                schema: "noafw.assets.fetch/1", title: "The result of `noafw assets fetch --json`",
                golden: "assets-fetch", samples: fetched),
            PublishedDocument(
                schema: "noafw.assets.refresh/1", title: "The result of `noafw assets refresh --json`", golden: "assets-refresh",
                samples: refreshed),
            PublishedDocument(
                schema: "noafw.explain/1", title: "The result of `noafw explain CODE --json`", golden: "explain", samples: explanation),
            PublishedDocument(schema: "noafw.scan/1", title: "The result of `noafw scan --json`", golden: "scan", samples: scan),
            PublishedDocument(
                schema: "noafw.chat-check/1", title: "The result of `noafw chat --check --json`", golden: "chat-check",
                samples: [
                    ChatCheckDocument(
                        assistant: "llama at localhost", mode: .assistant,
                        findings: [
                            ResponderTrial.Finding(part: .answer, seconds: 0.5, outcome: .success(5)),
                            ResponderTrial.Finding(part: .speech, seconds: 0.5, outcome: .failure(AssistantError.emptyAnswer)),
                        ], error: error),
                    ChatCheckDocument(mode: .assistant, error: error),
                ]),
            PublishedDocument(
                schema: "noafw.robot/1", title: "The result of `noafw robot info|drive|lights|indicate --json`", golden: "robot-drive",
                samples: robotVerbs),
            PublishedDocument(
                schema: "noafw.robot-test/1", title: "The result of `noafw robot test --json`", golden: "robot-test", samples: robot),
            PublishedDocument(
                schema: "noafw.robot-image/1", title: "The result of `noafw robot image --json`", golden: "robot-image",
                samples: robotImage),
            PublishedDocument(schema: "noafw.doctor/1", title: "The result of `noafw doctor --json`", golden: "doctor", samples: doctor),
            PublishedDocument(
                schema: "noafw.pair/1", title: "The result of `noafw pair --json`", golden: "pair-made",
                samples: bonds.map { BondDocument($0, of: "pair", error: error) }),
            PublishedDocument(
                schema: "noafw.unpair/1", title: "The result of `noafw unpair --json`", golden: "unpair-removed",
                samples: bonds.map { BondDocument($0, of: "unpair", error: error) }),
            PublishedDocument(
                schema: "noafw.type/1", title: "The result of `noafw type --json`", golden: "type-sent", samples: typed),
            PublishedDocument(
                schema: "noafw.fs/1", title: "The result of `noafw fs ls --json` and `fs df --json`", golden: "fs-list", samples: listings),
            PublishedDocument(
                schema: "noafw.logs/1", title: "A line of `noafw logs --json`", golden: "logs",
                samples: LogDocument.Event.allCases.map {
                    LogDocument(time: "2026-11-24T10:00:00Z", event: $0, text: $0 == .line ? "a" : nil)
                }),
            PublishedDocument(
                schema: "noafw.watch/1", title: "A line of `noafw watch --json`", golden: "watch",
                samples: WatchDocument.Event.allCases.map {
                    WatchDocument(
                        time: "2026-11-24T10:00:00Z", event: $0, text: $0 == .line ? "a" : nil,
                        unit: $0 == .unit
                            ? .init(
                                address: "C0:00:00:00:00:10", label: "a", family: "frame", rssi: -40,
                                versions: ["firmware": "v25.080.0838", "scripts": nil], facts: ["battery_percent": 80]) : nil)
                }),
            PublishedDocument(
                schema: "noafw.screen/1", title: "The result of `noafw screen --json`", golden: "screen",
                samples: ["screen.png", nil].map {
                    ScreenDocument(
                        unit: "C0:00:00:00:00:10", family: "frame", lines: [.init(text: "a", x: 1, y: 1, color: "#FFFFFF")], file: $0)
                }),
            PublishedDocument(
                schema: "noafw.photo/1", title: "The result of `noafw photo --json`", golden: "photo",
                samples: ["photo.jpg", nil].map {
                    PhotoDocument(unit: "C0:00:00:00:00:10", family: "frame", type: "image/jpeg", bytes: 20_000, file: $0)
                }),
            PublishedDocument(
                schema: "noafw.bundle.show/1",
                title: "The result of `noafw bundle --json`, `bundle show --json` and `bundle verify --json`",
                golden: "bundle-show",
                samples: bundle),
            PublishedDocument(
                schema: "noafw.bundle.check/1", title: "The result of `noafw bundle --check FILE --json`", golden: "bundle-check-differs",
                samples: [BundleComparison(file: "a", folder: "b", differences: ["x"], notCompared: ["fpga"], error: error)]),
            PublishedDocument(schema: "noafw.package/1", title: "The result of `noafw package … --json`", golden: "package-inspect"),
            PublishedDocument(
                schema: "noafw.assets/1", title: "The result of `noafw assets list --json` and `assets check --json`",
                golden: "assets-check-bad"),
            PublishedDocument(schema: "noafw.assets.add/1", title: "The result of `noafw assets add --json`", golden: "assets-add"),
            PublishedDocument(
                schema: "noafw.chat/1",
                title:
                    "A line of `noafw chat --json` for each event of the conversation ([chat.md](chat.md)); the first one names the schema",
                golden: "chat",
                samples: chat),
            PublishedDocument(
                schema: "noafw.ledger/1",
                title: "Records of runs: `noafw ledger list`, `show` and `export --json`; an error where they cannot be read",
                golden: "ledger-export-json"),
            PublishedDocument(schema: "noafw.ledger-check/1", title: "The result of `noafw ledger check --json`", golden: "ledger-check"),
            PublishedDocument(
                schema: "noafw.ledger.send/1", title: "The result of `noafw ledger send --json`",
                samples: [[], [RejectedRun(id: RunID(milliseconds: 1, first: 2, second: 3), reason: "text")]].map { rejected in
                    var report = UploadReport()
                    (report.sent, report.rejected) = (1, rejected)
                    return SendDocument(report, ["line-2": 1], error)
                }),
            PublishedDocument(
                schema: "noafw.report/1", title: "The result of `noafw ledger report --json`: shares are 0 to 1, durations seconds",
                golden: "ledger-report")
        ]
    }
}
