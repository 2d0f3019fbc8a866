/// A virtual unit's settings besides its folder.
public struct UnitConfiguration: Sendable {
    /// The Python 3 next to the unit's interpreter (`Tools/setup runtime`).
    public var python: String
    /// P-256 public keys that the bootloader trusts besides its vendor's: 64 bytes each, x then y, big-endian.
    public var trustedKeys: [[UInt8]] = []
    /// Images that the unit's FPGA can run: version text by SHA-256 in lower-case hexadecimal.
    public var fpgaVersions: [String: String] = [:]
    package var faults: any UnitFaults = NoFaults()
    /// ATT MTU in bytes, if smaller than the family's.
    package var largestMTU = Int.max
    /// Link set-up and service discovery; zero when a real host does them.
    package var linkSetUp: Duration = .milliseconds(400)
    /// Instead of the pace that the family's application and bootloader ask for.
    package var linkPace: LinkPace?

    public init(python: String = "") { self.python = python }
}

public enum UserInput: Sendable, Hashable {
    /// A unit with a single pad maps both to it.
    public enum Pad: String, Sendable, CaseIterable { case A, B }

    public enum Cut: Sendable, Hashable {
        /// The link breaks; both sides notice after the supervision timeout.
        case link
        case power
    }

    /// For a tenth of a second.
    case tap(Pad)
    case press(Pad), release(Pad)
    /// The unit is put into its cradle, where it charges, or taken out.
    case dock, undock
    /// Holding the cradle's button during start makes a unit forget its bond.
    case unpair
    /// The unit is carried away, or its battery removed.
    case cut(Cut)
    /// What a sensor finds around the unit from now on, as its family names both; `nil` is nothing.
    case surroundings(String, Double?)
}

/// Faults on a unit's air and in its power, as a test plans them. Numbers start at 1 and count over the unit's whole run.
package protocol UnitFaults: Sendable {
    /// For all random draws, including the unit's.
    var seed: UInt64 { get }
    /// A packet has come over the air, before anything happens to it.
    mutating func receive(_ packet: HostPacket, number: Int)
    /// What the arrival of this packet cuts.
    func cut(packet: Int) -> UserInput.Cut?
    /// A write without response after the air; `nil` when lost.
    mutating func transmitCommand(_ value: [UInt8], packet: Int, using generator: inout SeededGenerator) -> [UInt8]?
    /// How late that write is.
    mutating func drawDelay(using generator: inout SeededGenerator) -> Duration?
    /// How long neither side hears the other, from this connection event on; less than the supervision timeout.
    mutating func drawSilence(using generator: inout SeededGenerator) -> Duration?
    /// A notification after the air; `nil` when lost.
    /// - Parameter isData: it belongs to the app's own service.
    mutating func transmitNotification(_ value: [UInt8], isData: Bool, using generator: inout SeededGenerator) -> [UInt8]?
    /// The first of these flash words at which power fails; it is not written.
    func cut(words: Range<Int>) -> Int?
    /// The first of these words of its bootloader's flash at which power fails; it is not written.
    func cut(firmwareWords: Range<Int>) -> Int?
    func dataPacket(_ number: Int) -> DataPacketFault?
    func swallowsBreak(_ number: Int) -> Bool
    /// The unit is played no longer.
    func end(isAtPrompt: Bool)
}

extension UnitFaults {
    package mutating func receive(_ packet: HostPacket, number: Int) {}
    package func cut(firmwareWords: Range<Int>) -> Int? { nil }
    package mutating func drawSilence(using generator: inout SeededGenerator) -> Duration? { nil }
    package func end(isAtPrompt: Bool) {}
}

package enum DataPacketFault: Sendable {
    /// Its interrupt meets an allocation: the unit receives nothing more until its power is cut.
    case deafness
    /// The unit acknowledges it, and its full scheduler drops it.
    case loss
    /// Its callback crashes the unit.
    case crash
}

struct NoFaults: UnitFaults {
    let seed: UInt64 = 1
    func cut(packet: Int) -> UserInput.Cut? { nil }
    func transmitCommand(_ value: [UInt8], packet: Int, using generator: inout SeededGenerator) -> [UInt8]? { value }
    func drawDelay(using generator: inout SeededGenerator) -> Duration? { nil }
    func transmitNotification(_ value: [UInt8], isData: Bool, using generator: inout SeededGenerator) -> [UInt8]? { value }
    func cut(words: Range<Int>) -> Int? { nil }
    func dataPacket(_ number: Int) -> DataPacketFault? { nil }
    func swallowsBreak(_ number: Int) -> Bool { false }
}

/// SplitMix64: a small generator whose sequence is the same everywhere.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
