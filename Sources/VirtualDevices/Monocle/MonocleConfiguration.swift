import Bluetooth

/// What a virtual Monocle is made of besides its folder.
public struct MonocleConfiguration: Sendable {
    /// A Python 3 beside which the unit's interpreter stands (`Tools/setup runtime`).
    public var python: String
    /// P-256 public keys the bootloader trusts: 64 bytes each, x then y, big-endian.
    public var trustedKeys: [[UInt8]] = [VendorKeys.monocle]
    /// FPGA images this unit's FPGA can run: version text by SHA-256 in lower-case hexadecimal.
    public var fpgaVersions: [String: String] = [:]
    public var faults = FaultPlan()
    /// ATT payload is at most 253 bytes with the application (MTU 256), 244 with the bootloader.
    public var largestMTU = MonocleModel.largestMTU
    /// Link set-up and service discovery, as a host sees them. Zero when a real host does them.
    public var linkSetUp: Duration = .milliseconds(400)

    public init(python: String) { self.python = python }

    /// The words of a command that prints which interpreter a unit would run.
    public static func versionCommand(python: String) -> [String] {
        guard let scripts = try? MonocleInterpreter.scripts() else { return [] }
        return MonocleInterpreter.program(python: python, scripts: scripts) + ["--version"]
    }
}

extension VirtualUnit {
    /// A Monocle: real MicroPython behind a modelled link, a modelled bootloader, modelled flash.
    /// - Parameter folder: ``UnitFolder/monocle(root:name:)``.
    public static func monocle(folder: UnitFolder, configuration: MonocleConfiguration, air: VirtualAir) throws -> VirtualUnit {
        let design = UnitDesign(
            family: MonocleModel.family,
            link: LinkSettings(
                faults: configuration.faults, largestMTU: configuration.largestMTU, setUpTime: configuration.linkSetUp),
            bootloader: .monocle(trusting: configuration.trustedKeys),
            makeModel: { try MonocleModel(folder: $0, configuration: configuration) })
        return try VirtualUnit(folder: folder, design: design, air: air)
    }
}
