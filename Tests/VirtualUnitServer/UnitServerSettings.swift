import Bluetooth
import Foundation
import VirtualDevices
import VirtualFaults

/// The first message of a bridge: which unit to play, and how.
struct UnitServerSettings: Codable, Sendable {
    /// The name of its ``VirtualFamily``; without it, the first one.
    var family: String?
    /// The unit's state; made when it does not exist.
    var folder: String
    /// The name that a new unit's address follows from.
    var name: String
    /// A Python 3 beside which the unit's interpreter stands (`Tools/setup runtime`).
    var python: String
    /// The firmware version that a new unit of a family with a choice leaves its factory with, for instance `v25.080.0838`; an
    /// older folder keeps its own.
    var firmware: String?
    /// Seconds of the unit's time in a real second, above 0; 1 is real time.
    var speed: Double?
    /// The largest ATT MTU of the unit, in bytes: 23 to its family's own.
    var mtu: Int?
    /// Public keys that the bootloader trusts beside the vendor's: x then y, big-endian.
    var trustedKeys: [HexBytes]?
    /// FPGA images that the unit's FPGA can run: version by SHA-256 in lower-case hexadecimal.
    var fpgaVersions: [String: String]?
    var faults: Faults?

    /// ``FaultPlan`` as it stands in a message.
    struct Faults: Codable, Sendable {
        var loss: Double?
        var corruption: Double?
        var delay: Double?
        var seed: UInt64?
        /// Numbers of packets, counted over the whole run, at which the link breaks or the power goes.
        var cutLinkAt: [Int]?
        var cutPowerAt: [Int]?

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

    enum Failure: Error, Hashable { case speed(Double), mtu(Int), key(count: Int), family(String) }

    /// A unit on an air of its own, and the lock that keeps others from its folder.
    /// - Parameter families: what can be played.
    func makeUnit(of families: [VirtualFamily]) throws -> (unit: VirtualUnit, air: VirtualAir, lock: UnitLock) {
        let speed = speed ?? 1
        guard speed.isFinite, speed > 0 else { throw Failure.speed(speed) }
        guard let played = families.first(where: { family == nil || $0.name == family }) else { throw Failure.family(family ?? "") }
        for key in trustedKeys ?? [] where key.bytes.count != 64 { throw Failure.key(count: key.bytes.count) }
        if let mtu, !(23...played.largestMTU).contains(mtu) { throw Failure.mtu(mtu) }
        let folder = try played.openFolder(URL(fileURLWithPath: folder, isDirectory: true), self)
        let lock = try folder.lock()
        let air = VirtualAir(time: .real(speed: speed))
        return (try played.makeUnit(folder, configuration, air), air, lock)
    }

    private var configuration: UnitConfiguration {
        var configuration = UnitConfiguration(python: python)
        configuration.trustedKeys = (trustedKeys ?? []).map(\.bytes)
        configuration.fpgaVersions = fpgaVersions ?? [:]
        if let faults { configuration.faults = faults.plan }
        if let mtu { configuration.largestMTU = mtu }
        // A real host finds and connects.
        configuration.linkSetUp = .zero
        return configuration
    }
}

/// A kind of unit that a server can play.
struct VirtualFamily: Sendable {
    let name: String
    /// ATT MTU, in bytes.
    let largestMTU: Int
    /// Opens the state folder of a unit with the settings' name, or makes a factory-new one.
    let openFolder: @Sendable (URL, UnitServerSettings) throws -> UnitFolder
    let makeUnit: @Sendable (UnitFolder, UnitConfiguration, VirtualAir) throws -> VirtualUnit
}
