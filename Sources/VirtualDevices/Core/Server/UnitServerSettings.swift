import Bluetooth
import Foundation

/// The first message of a bridge: which unit to play, and how.
public struct UnitServerSettings: Codable, Sendable {
    /// The unit's state; made when it does not exist.
    public var folder: String
    /// The name that a new unit's address follows from.
    public var name: String
    /// A Python 3 beside which the unit's interpreter stands (`Tools/setup runtime`).
    public var python: String
    /// Seconds of the unit's time in a real second, above 0; 1 is real time.
    public var speed: Double?
    /// The largest ATT MTU of the unit, 23…256.
    public var mtu: Int?
    /// Public keys that the bootloader trusts beside the vendor's: x then y, big-endian.
    public var trustedKeys: [HexBytes]?
    /// FPGA images that the unit's FPGA can run: version by SHA-256 in lower-case hexadecimal.
    public var fpgaVersions: [String: String]?
    public var faults: Faults?

    /// ``FaultPlan`` as it stands in a message.
    public struct Faults: Codable, Sendable {
        public var loss: Double?
        public var corruption: Double?
        public var delay: Double?
        public var seed: UInt64?
        /// Numbers of packets, counted over the whole run, at which the link breaks or the power goes.
        public var cutLinkAt: [Int]?
        public var cutPowerAt: [Int]?

        var plan: FaultPlan {
            var plan = FaultPlan()
            plan.loss = loss ?? 0
            plan.corruption = corruption ?? 0
            plan.delay = delay ?? 0
            plan.seed = seed ?? 1
            for packet in cutLinkAt ?? [] { plan.cuts[packet] = .link }
            for packet in cutPowerAt ?? [] { plan.cuts[packet] = .power }
            return plan
        }
    }

    public enum Failure: Error, Hashable { case speed(Double), mtu(Int), key(count: Int) }

    /// A unit on an air of its own, and the lock that keeps others from its folder.
    public func makeUnit() throws -> (monocle: VirtualMonocle, air: VirtualAir, lock: UnitLock) {
        let speed = speed ?? 1
        guard speed.isFinite, speed > 0 else { throw Failure.speed(speed) }
        let folder = try UnitFolder(root: URL(fileURLWithPath: folder, isDirectory: true), name: name)
        let lock = try folder.lock()
        let air = VirtualAir(time: .real(speed: speed))
        return (try VirtualMonocle(folder: folder, configuration: try configuration(), air: air), air, lock)
    }

    private func configuration() throws -> MonocleConfiguration {
        var configuration = MonocleConfiguration(python: python)
        for key in trustedKeys ?? [] {
            guard key.bytes.count == 64 else { throw Failure.key(count: key.bytes.count) }
            configuration.trustedKeys.append(key.bytes)
        }
        if let mtu {
            guard (23...256).contains(mtu) else { throw Failure.mtu(mtu) }
            configuration.largestMTU = mtu
        }
        configuration.fpgaVersions = fpgaVersions ?? [:]
        configuration.faults = faults?.plan ?? FaultPlan()
        configuration.linkSetUp = .zero
        return configuration
    }
}
