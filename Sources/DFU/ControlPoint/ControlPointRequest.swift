/// The op codes that these bootloaders answer over Bluetooth LE (nRF5 SDK, `nrf_dfu_req_handler.h`).
public enum ControlPointOperation: UInt8, Sendable, Hashable, CustomStringConvertible {
    /// Makes room for an object.
    case create = 0x01
    /// In packets; 0 for no receipts.
    case setReceiptInterval = 0x02
    /// Never asked, for a receipt looks like its answer.
    case checksum = 0x03
    /// Takes the object as it was received.
    case execute = 0x04
    /// Asks where an interrupted transfer stands.
    case select = 0x06
    /// Gives the transfer up; the unit then starts its application if it has one.
    case abort = 0x0C

    public var description: String {
        switch self {
        case .create: "CREATE"
        case .setReceiptInterval: "SET PRN"
        case .checksum: "GET CRC"
        case .execute: "EXECUTE"
        case .select: "SELECT"
        case .abort: "ABORT"
        }
    }
}

/// The init packet is a command object, an image is sent as data objects.
public enum ObjectKind: UInt8, Sendable, Hashable, CustomStringConvertible {
    /// The init packet.
    case command = 1
    /// A piece of the image.
    case data = 2

    public var description: String { self == .command ? "init packet" : "image" }
}

enum ControlPointRequest: Sendable, Hashable {
    /// In bytes.
    case create(ObjectKind, size: UInt32)
    /// A receipt comes after so many; 0 turns receipts off.
    case setReceiptInterval(packets: UInt16)
    case execute
    case select(ObjectKind)
    case abort

    var operation: ControlPointOperation {
        switch self {
        case .create: .create
        case .setReceiptInterval: .setReceiptInterval
        case .execute: .execute
        case .select: .select
        case .abort: .abort
        }
    }

    /// Numbers are little-endian.
    var bytes: [UInt8] {
        let payload: [UInt8] = switch self {
        case .create(let kind, let size): [kind.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) }
        case .setReceiptInterval(let packets): [UInt8(truncatingIfNeeded: packets), UInt8(packets >> 8)]
        case .select(let kind): [kind.rawValue]
        case .execute, .abort: []
        }
        return [operation.rawValue] + payload
    }
}
