import Foundation
import Support

/// What survives a power cut: the settings page, its backup, and the flash after the SoftDevice. Encodes bytes as base64.
public struct BootloaderStorage: Sendable, Equatable {
    /// Where the application begins after the SoftDevice S132 7.3.0, in bytes.
    public static let defaultApplicationStart: UInt32 = 0x26000

    /// `nil` while erased or half written.
    var settingsPage: BootloaderSettings?
    var backupPage: BootloaderSettings?
    /// From the application's first byte on; the rest is erased.
    var flash: [UInt8]

    /// A unit after its last update.
    /// - Parameters:
    ///   - application: empty for a unit without one.
    ///   - applicationVersion: the last init packet's `fw_version`; no later one may be lower.
    public init(
        application: [UInt8] = [], applicationVersion: UInt32 = 0, applicationStart: UInt32 = Self.defaultApplicationStart
    ) {
        var settings = BootloaderSettings()
        settings.applicationVersion = applicationVersion
        flash = application
        if !application.isEmpty {
            let crc = CRC32.of(application)
            settings.resetProgress()
            settings.bank0 = .init(content: .application, size: UInt32(clamping: application.count), crc: crc)
            settings.progress.imageCRC = applicationStart
            settings.applicationValidation = .init(kind: .crc, bytes: crc.littleEndianBytes)
        }
        settingsPage = settings
        backupPage = settings
    }

    /// The backup if it is intact (nRF5 SDK, `nrf_dfu_settings_reinit`, built without updates from the application).
    var settings: BootloaderSettings { (settingsPage == nil ? backupPage : backupPage ?? settingsPage) ?? BootloaderSettings() }

    /// A received image is waiting for the next reset.
    package var hasPendingUpdate: Bool { settings.bank1.content != .nothing }
    public var applicationIsValid: Bool { settings.bank0.content == .application }
    /// The image of the bootable application; empty if there is none.
    public var application: [UInt8] { applicationIsValid ? image(at: 0, count: Int(settings.bank0.size)) : [] }
    public var applicationVersion: UInt32 { settings.applicationVersion }
    /// The accepted init packet of an unfinished update; empty if there is none.
    public var initPacket: [UInt8] { Array(settings.initCommand.prefix(Int(settings.progress.commandSize))) }

    func image(at offset: Int, count: Int) -> [UInt8] {
        let end = max(0, offset) + max(0, count)
        guard offset >= 0, offset < end else { return [] }
        return Array(flash[min(offset, flash.count)..<min(end, flash.count)])
            + [UInt8](repeating: 0xFF, count: end - max(offset, min(end, flash.count)))
    }

    mutating func erase(at offset: Int, count: Int) {
        let end = min(offset + count, flash.count)
        if offset < end { flash.erase(offset..<end) }
    }

    mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        let missing = offset + bytes.count - flash.count
        if missing > 0 { flash.append(contentsOf: repeatElement(0xFF, count: missing)) }
        flash.program(bytes, at: offset)
    }
}

extension BootloaderStorage: Codable {
    private enum CodingKeys: String, CodingKey {
        case settingsPage, backupPage, flash
        /// For units created before the pages were modelled.
        case application, applicationVersion
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        guard values.contains(.flash) else {
            self.init(
                application: [UInt8](try values.decode(Data.self, forKey: .application)),
                applicationVersion: try values.decode(UInt32.self, forKey: .applicationVersion))
            return
        }
        self.init()
        settingsPage = try values.decodeIfPresent(BootloaderSettings.self, forKey: .settingsPage)
        backupPage = try values.decodeIfPresent(BootloaderSettings.self, forKey: .backupPage)
        flash = [UInt8](try values.decode(Data.self, forKey: .flash))
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(settingsPage, forKey: .settingsPage)
        try values.encodeIfPresent(backupPage, forKey: .backupPage)
        try values.encode(Data(flash), forKey: .flash)
    }
}

/// The settings page's content (nRF5 SDK 17, `nrf_dfu_types.h`, `nrf_dfu_settings_t`) without its checksums: here a page is
/// either whole or blank.
struct BootloaderSettings: Codable, Sendable, Equatable {
    enum BankContent: UInt8, Codable, Sendable { case nothing, application, bootloader }

    struct Bank: Codable, Sendable, Equatable {
        var content = BankContent.nothing
        /// Bytes. Decides where the next image goes after bank 0, valid or not.
        var size: UInt32 = 0
        var crc: UInt32 = 0
    }

    /// Data offsets and CRCs cover the image, not the object.
    struct Progress: Codable, Sendable, Equatable {
        var commandSize: UInt32 = 0
        var commandOffset: UInt32 = 0
        var commandCRC: UInt32 = 0
        var objectSize: UInt32 = 0
        /// At the end of an update its start address overwrites this.
        var imageCRC: UInt32 = 0
        var executedCRC: UInt32 = 0
        var imageOffset: UInt32 = 0
        var executedOffset: UInt32 = 0
    }

    struct Validation: Codable, Sendable, Equatable {
        enum Kind: UInt32, Codable, Sendable { case none, crc, sha256, ecdsa }

        var kind = Kind.none
        var bytes: [UInt8] = []
    }

    static let initCommandLimit = 512

    var applicationVersion: UInt32 = 0
    var bootloaderVersion: UInt32 = 0
    /// What the unit runs.
    var bank0 = Bank()
    /// What it will run after the next reset.
    var bank1 = Bank()
    /// Where the next packet goes, from the start of the image.
    var writeOffset: UInt32 = 0
    var progress = Progress()
    /// Erased (0xFF) after the packet; zero in a unit that never had one.
    var initCommand = [UInt8](repeating: 0, count: initCommandLimit)
    var applicationValidation = Validation()

    mutating func resetProgress() {
        initCommand = [UInt8](repeating: 0xFF, count: Self.initCommandLimit)
        progress = Progress()
        writeOffset = 0
    }
}
