import Foundation

/// What survives a power cut.
///
/// Encodes its bytes as base64, so that an archive of 200 KiB of flash stays readable and small.
public struct BootloaderStorage: Codable, Sendable, Equatable {
    /// The application's image; empty when it was given up for an update.
    public var application: [UInt8]
    /// Whether the settings page calls ``application`` bootable.
    public var applicationIsValid: Bool
    /// `fw_version` of the last application that became valid. It stays when that application is given up, so that an
    /// interrupted update cannot be used for a downgrade.
    public var applicationVersion: UInt32
    /// The accepted init packet of an update that is not finished; empty when there is none.
    public var initPacket: [UInt8]
    /// The flash that receives the image: what was there before, erased (0xFF) or written, from its first byte.
    public var incoming: [UInt8]

    public init(
        application: [UInt8] = [], applicationIsValid: Bool = false, applicationVersion: UInt32 = 0,
        initPacket: [UInt8] = [], incoming: [UInt8] = []
    ) {
        self.application = application
        self.applicationIsValid = applicationIsValid
        self.applicationVersion = applicationVersion
        self.initPacket = initPacket
        self.incoming = incoming
    }

    private enum CodingKeys: String, CodingKey {
        case application, applicationIsValid, applicationVersion, initPacket, incoming
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        application = [UInt8](try values.decode(Data.self, forKey: .application))
        applicationIsValid = try values.decode(Bool.self, forKey: .applicationIsValid)
        applicationVersion = try values.decode(UInt32.self, forKey: .applicationVersion)
        initPacket = [UInt8](try values.decode(Data.self, forKey: .initPacket))
        incoming = [UInt8](try values.decode(Data.self, forKey: .incoming))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(Data(application), forKey: .application)
        try values.encode(applicationIsValid, forKey: .applicationIsValid)
        try values.encode(applicationVersion, forKey: .applicationVersion)
        try values.encode(Data(initPacket), forKey: .initPacket)
        try values.encode(Data(incoming), forKey: .incoming)
    }
}
