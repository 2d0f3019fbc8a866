/// How many packets go out before the bootloader has to confirm them. Pacing only ever slows down within a transfer:
/// what lost packets once (a full buffer pool, a slow flash) does not improve while one image is sent.
public enum Pacing: Int, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// One receipt an object: with the largest MTU 17 packets, as many as the bootloader has buffers.
    case wholeObject
    case twelvePackets
    case fourPackets
    case everyPacket

    static let slowest = Pacing.everyPacket

    var slower: Pacing { Pacing(rawValue: rawValue + 1) ?? .slowest }

    /// The receipt interval in packets.
    func interval(packetsPerObject: Int) -> Int {
        switch self {
        case .wholeObject: packetsPerObject
        case .twelvePackets: 12
        case .fourPackets: 4
        case .everyPacket: 1
        }
    }

    /// The pause between CREATE and the first packet: the page erase takes about 85 ms, and some bootloaders of SDK
    /// 15 to 17 drop what arrives meanwhile. `nil` for none.
    var pauseAfterCreate: Duration? {
        switch self {
        case .wholeObject: nil
        case .twelvePackets: .milliseconds(100)
        case .fourPackets: .milliseconds(200)
        case .everyPacket: .milliseconds(400)
        }
    }

    public var description: String {
        switch self {
        case .wholeObject: "one receipt an object"
        case .twelvePackets: "a receipt every 12 packets"
        case .fourPackets: "a receipt every 4 packets"
        case .everyPacket: "a receipt for every packet"
        }
    }
}
