import Bluetooth
import Support
import VirtualDevices

/// What a radio bridge tells a unit. As JSON each is an object with the case as its only key:
/// `{"command":{"characteristic":"e5700002-…","value":"0a0b"}}`.
enum BridgeMessage: Codable, Sendable, Equatable {
    /// A central connected and asks for an ATT MTU of at most so many bytes, or for none (0). The number tells this link from the one
    /// before, which the central may still believe in. What follows concerns this link.
    case connect(link: Int, mtu: Int)
    /// A write with response; answered by ``UnitMessage/written(id:error:)``.
    case write(id: Int, characteristic: String, value: HexBytes)
    /// A write without response; answered by ``UnitMessage/taken`` when the unit's link layer has room for the next one.
    case command(characteristic: String, value: HexBytes)
    /// The central wrote a client characteristic configuration.
    case subscribe(characteristic: String, isOn: Bool)
    /// The central wants the link encrypted: with the key of an earlier pairing, or without one by just-works pairing with bonding.
    /// Answered by ``UnitMessage/secured(id:key:reason:endsLink:)``, whose key the bridge keeps beside the long-term key of its own
    /// stack: `{"secure":{"id":1}}` for a pairing request, `{"secure":{"id":2,"key":"…"}}` when the central starts encryption.
    case secure(id: Int, key: HexBytes?)
    case disconnect
    /// The link breaks, as when the unit is carried away; both sides notice after the supervision timeout.
    case cutLink
    /// The unit loses power and comes back two seconds later.
    case cutPower
}

/// What a unit tells the radio bridge.
enum UnitMessage: Codable, Sendable, Equatable {
    /// Where the unit answers over the network, for as long as it is played.
    case network(url: String)
    /// The unit can be connected to. `scanResponse` has those of the services that only its answer to an active scan names; `mtu` is
    /// the largest ATT MTU of this identity; `requestsSecurity` says that it sends a Security Request (bonding, no MITM) as soon as a
    /// link is up.
    case advertise(
        address: String, name: String, services: [String], scanResponse: [String], mtu: Int, requestsSecurity: Bool,
        table: [ServiceDescription])
    /// The unit cannot be connected to: it restarts, or has a link.
    case silent
    case connected(link: Int, mtu: Int)
    /// The unit went away before the link was up.
    case refused(link: Int, reason: String)
    /// `error` is an ATT error code, `null` for none.
    case written(id: Int, error: UInt8?)
    case taken
    /// The link is encrypted, and `key` is what the next one is encrypted with; or `key` is `null`, `reason` is what the pairing failed
    /// for (SMP), 6 for a key that is not the unit's, and `endsLink` tells that the unit leaves: ``gone(link:isTimeout:)`` follows.
    case secured(id: Int, key: HexBytes?, reason: UInt8?, endsLink: Bool)
    case notify(characteristic: String, value: HexBytes)
    /// A link ended for the central too; `isTimeout` when the unit left without a word, by a supervision timeout ago.
    case gone(link: Int, isTimeout: Bool)
}

/// One service of the attribute table that a central discovers.
struct ServiceDescription: Codable, Sendable, Equatable {
    struct Characteristic: Codable, Sendable, Equatable {
        var uuid: String
        /// Of `write`, `command` (write without response), `notify`.
        var properties: [String]
        /// A write over a link that is not encrypted is refused by the unit, with ATT error 0x05.
        var needsEncryption = false
    }

    var uuid: String
    var characteristics: [Characteristic]

    init(_ service: GATTService) {
        uuid = service.id.description
        characteristics = service.characteristics.map {
            Characteristic(
                uuid: $0.id.description, properties: $0.properties.map(\.rawValue), needsEncryption: $0.needsEncryption)
        }
    }
}

/// An attribute value as hexadecimal text, at most 512 bytes (Core Specification, Vol 3, Part F, 3.2.9).
struct HexBytes: Codable, Sendable, Equatable {
    static let limit = 512
    var bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let bytes = HexText.decode(try container.decode(String.self)), bytes.count <= Self.limit else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an attribute value")
        }
        self.bytes = bytes
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(HexText.encode(bytes))
    }
}
