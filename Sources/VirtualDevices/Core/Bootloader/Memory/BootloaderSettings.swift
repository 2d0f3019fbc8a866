/// What the bootloader remembers: the content of its settings page (nRF5 SDK 17, `nrf_dfu_types.h`, `nrf_dfu_settings_t`).
/// The page's checksums are left out: a page is whole or blank here.
struct BootloaderSettings: Codable, Sendable, Equatable {
    enum BankContent: UInt8, Codable, Sendable {
        case nothing
        case application
        case bootloader
    }

    struct Bank: Codable, Sendable, Equatable {
        var content = BankContent.nothing
        /// Bytes. The next image goes behind bank 0 by this size, valid or not.
        var size: UInt32 = 0
        var crc: UInt32 = 0
    }

    /// Offsets and CRCs of data run over the image, not over the object.
    struct Progress: Codable, Sendable, Equatable {
        var commandSize: UInt32 = 0
        var commandOffset: UInt32 = 0
        var commandCRC: UInt32 = 0
        var objectSize: UInt32 = 0
        /// Shares its memory with the address where an update begins, which is written over it at the end of one.
        var imageCRC: UInt32 = 0
        var executedCRC: UInt32 = 0
        var imageOffset: UInt32 = 0
        var executedOffset: UInt32 = 0
    }

    struct Validation: Codable, Sendable, Equatable {
        enum Kind: UInt32, Codable, Sendable {
            case none
            case crc
            case sha256
            case ecdsa
        }

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
    /// 512 bytes; erased (0xFF) behind the packet, zero in a unit that never had one.
    var initCommand = [UInt8](repeating: 0, count: initCommandLimit)
    var applicationValidation = Validation()

    mutating func resetProgress() {
        initCommand = [UInt8](repeating: 0xFF, count: Self.initCommandLimit)
        progress = Progress()
        writeOffset = 0
    }
}
