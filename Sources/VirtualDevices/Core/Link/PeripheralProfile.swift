import Bluetooth

/// How a unit in one of its modes appears on the air and to a central.
package struct PeripheralProfile: Sendable {
    let address: DeviceAddress
    let name: String
    let advertisedServices: Set<AttributeID>
    /// What only its answer to an active scan names.
    let scanResponse: Set<AttributeID>
    let table: GATTTable
    let pace: LinkPace
    /// ATT MTU, in bytes.
    let largestMTU: Int
    /// Notifications that the radio can queue.
    let notificationQueue: Int
    /// Sends a Security Request as soon as a link is up.
    let requestsSecurity: Bool
    /// Rounds the payload down to whole flash words.
    let isBootloader: Bool
    /// After a link it is seen again at once. Otherwise its model starts the radio anew, and hears of a broken link only after the
    /// supervision timeout.
    let advertisesByItself: Bool

    package init(
        address: DeviceAddress, name: String, advertisedServices: Set<AttributeID>, table: GATTTable, pace: LinkPace, largestMTU: Int,
        notificationQueue: Int, scanResponse: Set<AttributeID> = [], requestsSecurity: Bool = false, isBootloader: Bool = false,
        advertisesByItself: Bool = true
    ) {
        (self.address, self.name, self.advertisedServices, self.table, self.pace) = (address, name, advertisedServices, table, pace)
        (self.largestMTU, self.notificationQueue, self.scanResponse) = (largestMTU, notificationQueue, scanResponse)
        (self.requestsSecurity, self.isBootloader, self.advertisesByItself) = (requestsSecurity, isBootloader, advertisesByItself)
    }

    func mtu(requested: Int) -> Int {
        let mtu = min(requested, largestMTU)
        return isBootloader ? SecureBootloader.negotiatedMTU(requested: mtu) : mtu
    }

    /// What a central hears: the advertisement, then the same with the scan response if there is one. With the signal strength of a unit on
    /// the same table.
    var sightings: [Advertisement] {
        let answers = scanResponse.isEmpty ? [advertisedServices] : [advertisedServices, advertisedServices.union(scanResponse)]
        return answers.map { Advertisement(address: address, name: name, services: $0, rssi: -48) }
    }
}

/// The attributes that a central finds on a unit.
package struct GATTTable: Sendable {
    package var services: [GATTService]

    package init(services: [GATTService]) { self.services = services }

    subscript(id: AttributeID) -> GATTCharacteristic? {
        services.lazy.flatMap(\.characteristics).first { $0.id == id }
    }

    package var notifying: [AttributeID] {
        services.flatMap(\.characteristics).filter { $0.properties.contains(.notify) }.map(\.id)
    }
}

package struct GATTService: Sendable {
    package let id: AttributeID
    package let characteristics: [GATTCharacteristic]

    package init(id: AttributeID, characteristics: [GATTCharacteristic]) { (self.id, self.characteristics) = (id, characteristics) }
}

package struct GATTCharacteristic: Sendable {
    package enum Property: String, Sendable {
        /// A write with response.
        case write
        /// A write without response.
        case command
        case notify
    }

    package let id: AttributeID
    package let properties: [Property]
    /// Refuses writes over an unencrypted link.
    package let needsEncryption: Bool
    /// Its stack takes a write with response although the properties have none.
    package let takesRequests: Bool

    package init(id: AttributeID, properties: [Property], needsEncryption: Bool = false, takesRequests: Bool = false) {
        (self.id, self.properties, self.needsEncryption) = (id, properties, needsEncryption)
        self.takesRequests = takesRequests || properties.contains(.write)
    }
}

/// Attribute protocol errors (Core Specification, Vol 3, Part F, 3.4.1.1).
enum ATTError {
    static let attributeNotFound: UInt8 = 0x01
    static let writeNotPermitted: UInt8 = 0x03
    static let insufficientAuthentication: UInt8 = 0x05
}

package enum SecurityRequest: Sendable, Hashable {
    /// Just-works pairing with bonding.
    case pair
    /// Encryption with the key of an existing bond.
    case encrypt(key: [UInt8])
}

package enum SecurityAnswer: Sendable, Hashable {
    case encrypted(key: [UInt8])
    /// - Parameters:
    ///   - reason: of Pairing Failed (Core Specification, Vol 3, Part H, 3.5.5).
    ///   - endsLink: the unit disconnects afterwards.
    case refused(reason: UInt8, endsLink: Bool)

    /// For a unit that cannot pair.
    static let notSupported = SecurityAnswer.refused(reason: 0x05, endsLink: false)
}

/// The pace of a link over 1M PHY with link-layer packets of 251 bytes.
package struct LinkPace: Sendable {
    let interval: Duration
    /// How much of an interval the peripheral's radio may be on, for both directions.
    let eventLength: Duration
    let supervisionTimeout: Duration
    /// How often both sides may send in one event.
    let turns: Int

    package init(interval: Duration = .milliseconds(15), eventLength: Duration, supervisionTimeout: Duration, turns: Int = .max) {
        (self.interval, self.eventLength, self.supervisionTimeout, self.turns) = (interval, eventLength, supervisionTimeout, turns)
    }

    /// nRF5 SDK 17, `ble_dfu` and `sdk_config.h`.
    static let bootloader = LinkPace(eventLength: .microseconds(7500), supervisionTimeout: .seconds(6))

    /// Both since the first event. Not by a quotient of floating-point numbers, which after some minutes gives the same event again.
    package func eventTime(after time: Duration) -> Duration {
        Duration(attoseconds: (time.attoseconds / interval.attoseconds + 1) * interval.attoseconds)
    }

    /// Air time of one attribute value of `count` bytes, including acknowledgements between its link-layer packets.
    package static func airtime(valueCount count: Int) -> Duration {
        let bytes = count + 7
        let packets = (bytes + 250) / 251
        return .microseconds((bytes + packets * 10) * 8 + packets * 380)
    }
}
