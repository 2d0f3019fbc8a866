import Bluetooth

/// The attributes that a central can find on a unit, as values.
struct GATTTable: Sendable, Hashable {
    var services: [GATTService]

    subscript(id: AttributeID) -> GATTCharacteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.id == id }
    }

    /// What a central can subscribe to.
    var notifying: [AttributeID] {
        services.flatMap(\.characteristics).filter { $0.properties.contains(.notify) }.map(\.id)
    }
}

struct GATTService: Sendable, Hashable {
    let id: AttributeID
    let characteristics: [GATTCharacteristic]
}

struct GATTCharacteristic: Sendable, Hashable {
    enum Property: String, Sendable {
        /// A write with response.
        case write
        /// A write without response.
        case command
        case notify
    }

    let id: AttributeID
    let properties: [Property]
    /// Writes over a link that is not encrypted are refused.
    var needsEncryption = false
}

/// Errors of the attribute protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
enum ATTError {
    static let attributeNotFound: UInt8 = 0x01
    static let writeNotPermitted: UInt8 = 0x03
    static let insufficientAuthentication: UInt8 = 0x05
}
