import ArgumentParser
import Bluetooth
import Ledger
import Provisioning

extension FlashCommand {
    /// The value of `--serial` that asks for a number before each unit.
    static let asksForSerial = "ask"

    var asksForSerial: Bool { record.serial == Self.asksForSerial }

    func checkLine() throws {
        guard line.watch else {
            if asksForSerial { throw ValidationError("--serial ask belongs to --watch: add it, or give the unit's serial number itself.") }
            return
        }
        if units.device != nil || units.nearest || units.all || units.jobs != nil || units.adapter.count > 1 || units.wait != nil
            || units.label != nil
        {
            throw ValidationError(
                "--watch takes each unit that is put there: leave out --device, --nearest, --label, --all, --jobs, --wait and a second "
                    + "--adapter.")
        }
        if place.url != nil { throw ValidationError("--watch takes what is put there, and --url is one unit's: leave it out.") }
        if dryRun || rollout.canary != nil { throw ValidationError("--watch goes with neither --dry-run nor --canary: leave them out.") }
        if line.near != nil, units.devices != nil || !units.virtual.isEmpty {
            throw ValidationError("--near selects the unit next to the adapter, and --devices and --virtual name the units: leave one out.")
        }
        if record.serial != nil, !asksForSerial {
            throw ValidationError("With --watch give --serial ask: each unit has its own number.")
        }
        if line.serialPattern != nil, !asksForSerial {
            throw ValidationError("--serial-pattern belongs to --serial ask: add it, or leave the pattern out.")
        }
    }

    func runLine(in context: CommandContext) async -> Int32 {
        let limits = rollout.value
        let renderer = LineRenderer(context: context, isVerbose: report.verbose, rings: line.bell)
        let session = RunSession(context: context, report: report, display: renderer, presentation: LinePresentation(limits: limits))
        return await session.run { AttendedLine(request: try lineRequest(in: context, limits), context: context) }
    }

    private func lineRequest(in context: CommandContext, _ limits: RolloutLimits) throws -> LineRequest {
        let desk = asksForSerial ? SerialDesk(pattern: try line.pattern) : nil
        var records = try record.value(with: server, in: context)
        if asksForSerial { records.serial = nil }
        var allowed: Set<DeviceAddress>?
        var fleet = UnitSelection(units: .inReach, family: units.family?.id, adapters: units.adapter.map(\.text))
        let given = try units.fleet(in: context)
        switch given.units {
        case .listed(let listed): allowed = Set(try listed.map { try $0.address(for: units.devices?.name ?? "") })
        case .virtual: fleet = given
        case .inReach, .one: break
        }
        return LineRequest(
            units: fleet, allowed: allowed, threshold: line.near ?? LineOptions.usualThreshold, repeatsPassed: line.again, serials: desk,
            inputs: inputs.value(in: context), options: try options(in: context), limits: limits, records: records,
            stateFolder: try context.stateFolder(),
            drain: context.interrupts.drain)
    }
}

/// A line at whose terminal somebody scans serial numbers.
private struct AttendedLine: RunRequest {
    let request: LineRequest
    let context: CommandContext

    func perform(by services: any Services, events: @escaping Services.Events) async throws -> FleetReport<UnitReport> {
        try request.serials?.open(
            context.input, answer: { events(RunEvent(unit: nil, content: .place($0.place))) }, interrupt: { context.interrupts.ask() },
            end: {
                events(.notice(LineText.inputEnded))
                context.interrupts.askGently()
            })
        defer { request.serials?.close() }
        return try await services.watch(request, events: events)
    }
}

extension ListedUnit {
    /// A line accepts only addresses: anybody may use a name.
    /// - Throws: ``DeviceListError/nameAtLine(path:unit:)``.
    fileprivate func address(for path: String) throws(DeviceListError) -> DeviceAddress {
        guard case .address(let address) = selector else { throw .nameAtLine(path: path, unit: description) }
        return address
    }
}

/// The end of a shift: the count, and the failures by code. The document lists every unit.
struct LinePresentation: FleetPresentation {
    typealias UnitVerdict = UnitReport

    let single: ReportTarget? = nil
    let mayChangeUnit = true
    let endsByDrain = true
    let emptiness = FleetError.noneCame.diagnosis
    var limits: RolloutLimits

    func document(_ result: FleetRunResult<UnitReport>) -> any Encodable & Sendable {
        FlashPresentation(limits: limits).document(result)
    }

    func summary(_ result: FleetRunResult<UnitReport>, style: TextStyle) -> [String] {
        [[], FleetSummary.errors(result.report, style: style), [FleetSummary.verdict(result, style: style)]].filter { !$0.isEmpty }
            .joined(separator: [""]).map { $0 }
    }
}
