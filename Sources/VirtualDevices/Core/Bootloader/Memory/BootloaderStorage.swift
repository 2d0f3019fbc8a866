import Foundation

/// What survives a power cut: the settings page, its backup, and the flash behind the SoftDevice.
///
/// Encodes its bytes as base64, so that an archive of 200 KiB of flash stays readable and small.
public struct BootloaderStorage: Sendable, Equatable {
    /// Where the application begins behind the SoftDevice S132 7.3.0, in bytes.
    public static let defaultApplicationStart: UInt32 = 0x26000

    /// `nil` while erased or half written.
    var settingsPage: BootloaderSettings?
    var backupPage: BootloaderSettings?
    /// From the application's first byte on; what lies behind is erased.
    var flash: [UInt8]

    /// A unit as its last update left it.
    /// - Parameters:
    ///   - application: its image; empty for a unit without one.
    ///   - applicationVersion: the last init packet's `fw_version`; no later one may be lower.
    ///   - applicationStart: ``BootloaderConfiguration/applicationStart`` of the unit's bootloader.
    public init(
        application: [UInt8] = [], applicationVersion: UInt32 = 0, applicationStart: UInt32 = Self.defaultApplicationStart
    ) {
        var settings = BootloaderSettings()
        settings.applicationVersion = applicationVersion
        flash = application
        if !application.isEmpty {
            let crc = BootloaderCryptography.crc32(application)
            settings.resetProgress()
            settings.bank0 = .init(content: .application, size: UInt32(clamping: application.count), crc: crc)
            settings.progress.imageCRC = applicationStart
            settings.applicationValidation = .init(kind: .crc, bytes: withUnsafeBytes(of: crc.littleEndian, Array.init))
        }
        settingsPage = settings
        backupPage = settings
    }

    /// What the bootloader takes as its settings: the backup wherever that is whole, for all that matters here
    /// (nRF5 SDK, `nrf_dfu_settings.c`, `nrf_dfu_settings_reinit`, built without updates from the application).
    var settings: BootloaderSettings { (settingsPage == nil ? backupPage : backupPage ?? settingsPage) ?? BootloaderSettings() }

    /// A received image waits for the next reset.
    public var hasPendingUpdate: Bool { settings.bank1.content != .nothing }
    /// Whether the settings call the application bootable.
    public var applicationIsValid: Bool { settings.bank0.content == .application }
    /// The bootable application's image, else empty.
    public var application: [UInt8] { applicationIsValid ? image(at: 0, count: Int(settings.bank0.size)) : [] }
    public var applicationVersion: UInt32 { settings.applicationVersion }
    /// The accepted init packet of an update that is not finished; empty when there is none.
    public var initPacket: [UInt8] { Array(settings.initCommand.prefix(Int(settings.progress.commandSize))) }

    func image(at offset: Int, count: Int) -> [UInt8] {
        let end = max(0, offset) + max(0, count)
        guard offset >= 0, offset < end else { return [] }
        return Array(flash[min(offset, flash.count)..<min(end, flash.count)])
            + [UInt8](repeating: 0xFF, count: end - max(offset, min(end, flash.count)))
    }

    mutating func erase(at offset: Int, count: Int) {
        let end = min(offset + count, flash.count)
        if offset < end { flash.replaceSubrange(offset..<end, with: repeatElement(0xFF, count: end - offset)) }
    }

    /// NOR flash only clears bits.
    mutating func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        let missing = offset + bytes.count - flash.count
        if missing > 0 { flash.append(contentsOf: repeatElement(0xFF, count: missing)) }
        for (index, byte) in bytes.enumerated() { flash[offset + index] &= byte }
    }
}

extension BootloaderStorage: Codable {
    private enum CodingKeys: String, CodingKey {
        case settingsPage, backupPage, flash
        /// Of units made before the pages were modelled.
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
