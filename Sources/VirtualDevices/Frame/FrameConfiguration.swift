import Bluetooth
import Foundation

/// What a virtual Frame is made of besides its folder.
public struct FrameConfiguration: Sendable {
    /// A Python 3 beside which the unit's interpreter, `frame-lua`, stands (`Tools/setup runtime`).
    public var python: String
    /// P-256 public keys the bootloader trusts: 64 bytes each, x then y, big-endian.
    public var trustedKeys: [[UInt8]] = [VendorKeys.frame]
    public var faults = FaultPlan()
    /// ATT payload is at most 244 bytes (MTU 247), with the bootloader, too.
    public var largestMTU = FrameModel.largestMTU
    /// Link set-up and service discovery, as a host sees them. Zero when a real host does them.
    public var linkSetUp: Duration = .milliseconds(400)

    public init(python: String) { self.python = python }

    /// The interpreter of a unit, which stands beside the Python.
    public static func interpreter(python: String) -> String {
        URL(fileURLWithPath: python).deletingLastPathComponent().appendingPathComponent("frame-lua").path
    }
}

extension VirtualUnit {
    /// A Frame: real Lua behind a modelled link, a modelled bootloader, modelled flash.
    /// - Parameter folder: ``UnitFolder/frame(root:name:firmware:)``.
    public static func frame(folder: UnitFolder, configuration: FrameConfiguration, air: VirtualAir) throws -> VirtualUnit {
        let design = UnitDesign(
            family: FrameModel.family,
            link: LinkSettings(
                faults: configuration.faults, largestMTU: configuration.largestMTU, setUpTime: configuration.linkSetUp),
            bootloader: .frame(trusting: configuration.trustedKeys),
            makeModel: { FrameModel(folder: $0, configuration: configuration) })
        return try VirtualUnit(folder: folder, design: design, air: air)
    }
}
