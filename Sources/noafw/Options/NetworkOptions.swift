import ArgumentParser
import Provisioning

/// For a unit that accepts firmware over a network: what to expect.
struct NetworkOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The version that the unit will report with the --firmware image, such as 2.11.0, if the image does not show it.",
            valueName: "v"))
    var firmwareVersion: String?

    @Flag(help: "Accept an image without a signature. The unit checks none either.")
    var unsigned = false

    /// - Throws: `ValidationError` where several units, or a virtual one, can be meant.
    func check(_ units: UnitsOptions, at place: PlaceOption, _ inputs: InputOptions) throws {
        try place.check(isVirtual: !units.virtual.isEmpty, isFleet: units.isFleet)
        if unsigned, !inputs.trust.isEmpty {
            throw ValidationError("--trust requires a signature, and --unsigned does not: leave one out.")
        }
        if firmwareVersion != nil, inputs.firmware == nil {
            throw ValidationError("--firmware-version describes an image: give --firmware too.")
        }
    }

    func apply(to inputs: AssetInputs) -> AssetInputs {
        var inputs = inputs
        (inputs.firmwareVersion, inputs.allowsUnsigned) = (firmwareVersion, unsigned)
        return inputs
    }
}

/// Where a unit answers over a network.
struct PlaceOption: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Reach the unit over its network at this address, such as http://192.168.1.20. With --family, the default is the family's "
                + "usual name. Only for units that accept firmware that way (\(Self.families)).",
            valueName: "url"))
    var url: String?

    private static var families: String {
        SupportedFamily.all.filter { $0.family.network != nil }.map(\.id.rawValue).joined(separator: ", ")
    }

    /// - Throws: `ValidationError` where several units, or a virtual one, can be meant.
    func check(isVirtual: Bool, isFleet: Bool) throws {
        if url != nil, isFleet || isVirtual {
            throw ValidationError("--url is one unit's address: name only that unit; a virtual unit has its own.")
        }
        if let url, !SupportedFamily.all.contains(where: { $0.family.network?.isPlace(url) == true }) {
            throw ValidationError("--url is plain http, a host and a port, such as http://192.168.1.20.")
        }
    }

    func apply(to units: UnitSelection) -> UnitSelection {
        var units = units
        units.place = url
        return units
    }
}
