import ArgumentParser
import Bluetooth
import Provisioning
import Support

/// `noafw rescue`
struct RescueCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "rescue",
        abstract: "Finish units that are stranded in their bootloaders.",
        discussion: """
            An interrupted firmware update leaves a unit that only advertises as DfuTarg (Monocle) or Frame Update (Frame), \
            at the address after its own. Those of units that this station has worked on are finished one after the other: \
            a Monocle is flashed and proved whole, a Frame gets its firmware and is awaited. Any Nordic device calls its \
            bootloader so: one that this station has not met is only listed, until it is named with --device. A unit whose \
            application is heard is not stranded, whatever advertises at the address after its own.

            Examples:
              noafw rescue
              noafw rescue --dry-run
              noafw rescue --device D3:5A:00:11:22:33 --firmware release.zip

            Exit codes: 0 none of this station's units is stranded any more, 1 a unit failed, 69 only strangers are stranded, \
            the named unit is not in reach or there is no adapter, others as in noafw flash.
            """)

    @Option(help: ArgumentHelp("The address of a unit to rescue, whether met before or not.", valueName: "address"))
    var device: String?

    @Option(help: ArgumentHelp("The Bluetooth adapter to use; the first one that is on otherwise.", valueName: "hciN"))
    var adapter: String?

    @OptionGroup(title: "Files") var inputs: InputOptions
    @OptionGroup(title: "Report") var report: ReportOptions

    @Flag(help: "Say who would be finished, but change nothing.")
    var dryRun = false

    func validate() throws {
        if let device, DeviceAddress(device) == nil { throw ValidationError("--device is an address such as D3:5A:00:11:22:33.") }
        try RadioOptions.check(adapter: adapter)
    }

    func run(in context: CommandContext) async -> Int32 {
        let session = RunSession(
            context: context, report: report, verb: .flash(isDryRun: dryRun), presentation: RescuePresentation())
        return await session.run { events in
            var options = FlashOptions()
            options.dryRun = dryRun
            let wish = device.flatMap { DeviceAddress($0) }.map { UnitWish.address($0) } ?? .only
            return try await context.runner.rescue(
                RescueRequest(
                    radio: RadioSelection(wish: wish, adapter: adapter), inputs: inputs.value(in: context), options: options,
                    stateFolder: try context.stateFolder()),
                events: events)
        }
    }
}

/// The result of `rescue` as lines and as the document `noafw.rescue/1`.
struct RescuePresentation: RunPresentation {
    func error(of ending: RunEnding<RescueReport>) -> Diagnosis? {
        if let error = ending.error ?? ending.report?.units.compactMap(\.error).first { return error }
        guard ending.report?.passed == false else { return nil }
        if let impostor = ending.report?.impostors.first { return ChoiceError.impostor(impostor).diagnosis }
        return ending.report?.strangers.first.map { ChoiceError.strangerInBootloader($0).diagnosis }
    }

    func document(_ ending: RunEnding<RescueReport>) -> JSONText {
        let error = error(of: ending)
        return .object([
            ("schema", .string("noafw.rescue/1")),
            ("verdict", .string(error == nil ? "pass" : "fail")),
            ("units", .array((ending.report?.units ?? []).map(FlashPresentation.document))),
            ("strangers", .array((ending.report?.strangers ?? []).map { .string($0.address.description) })),
            ("impostors", .array((ending.report?.impostors ?? []).map { .string($0.advertisedAddress.description) })),
            ("running", .optional(ending.report?.running?.address.description)),
            ("error", error.map(ReportText.document) ?? .null),
        ])
    }

    func summary(_ ending: RunEnding<RescueReport>, style: TextStyle) -> [String] {
        let time = "(\(Measure.seconds(ending.seconds)) s)"
        let units = ending.report?.units ?? []
        var lines = units.map { unit in
            let verdict = unit.passed ? style.paint("PASS", .good) : style.paint("FAIL", .bad)
            let isUnproved = unit.passed && unit.steps.contains { $0.action == .transferred }
            let end = isUnproved ? ": transferred, not proved; the unit runs its application again" : ""
            return "\(verdict)  \(unit.family) \(unit.identity.address)\(end)\(unit.error.map { ": \(UntrustedText.escape($0.message))" } ?? "")"
        }
        lines += (ending.report?.strangers ?? []).map { "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \($0.address), not met before" }
        lines += (ending.report?.impostors ?? []).map {
            "\(style.paint("LEFT", .careful))  \($0.family.rawValue) \($0.address) runs its application; the bootloader at \($0.advertisedAddress) is another device's"
        }
        if let error = ending.error, ending.report == nil {
            return [ReportText.verdict(error, hasBegun: ending.hasBegun, style) + " " + time]
        }
        if error(of: ending) == nil, units.isEmpty {
            let finding = ending.report?.running.map { "\($0.address) runs its application: it is not stranded" } ?? "nobody is stranded"
            lines.append("\(style.paint("PASS", .good))  \(finding)")
        }
        return lines + [time]
    }
}
