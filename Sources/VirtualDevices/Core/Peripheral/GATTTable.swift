import Bluetooth

/// The attributes that a central can find on a unit, as values.
package struct GATTTable: Sendable, Hashable {
    package var services: [GATTService]

    package init(services: [GATTService]) { self.services = services }

    subscript(id: AttributeID) -> GATTCharacteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.id == id }
    }

    /// What a central can subscribe to.
    package var notifying: [AttributeID] {
        services.flatMap(\.characteristics).filter { $0.properties.contains(.notify) }.map(\.id)
    }
}

package struct GATTService: Sendable, Hashable {
    package let id: AttributeID
    package let characteristics: [GATTCharacteristic]

    package init(id: AttributeID, characteristics: [GATTCharacteristic]) { (self.id, self.characteristics) = (id, characteristics) }
}

package struct GATTCharacteristic: Sendable, Hashable {
    package enum Property: String, Sendable {
        /// A write with response.
        case write
        /// A write without response.
        case command
        case notify
    }

    package let id: AttributeID
    package let properties: [Property]
    /// Writes over a link that is not encrypted are refused.
    package let needsEncryption: Bool

    package init(id: AttributeID, properties: [Property], needsEncryption: Bool = false) {
        (self.id, self.properties, self.needsEncryption) = (id, properties, needsEncryption)
    }
}

/// Errors of the attribute protocol (Core Specification, Vol 3, Part F, 3.4.1.1).
enum ATTError {
    static let attributeNotFound: UInt8 = 0x01
    static let writeNotPermitted: UInt8 = 0x03
    static let insufficientAuthentication: UInt8 = 0x05
}
