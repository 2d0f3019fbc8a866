import Cryptography

/// A bootloader's build settings and the speed of its flash.
///
/// The defaults are those of an nRF52832 with S132 7.3.0: nRF5 SDK 17 (`nrf_dfu_ble.c`, `sdk_config.h` of its secure
/// bootloader), nRF52832 product specification (flash times). It requires a signature and the same or a higher version.
public struct BootloaderConfiguration: Sendable, Equatable {
    /// Required `hw_version` of an init packet.
    public var hardwareVersion: UInt32 = 52
    /// Must be in an init packet's `sd_req`: the SoftDevice's firmware id.
    public var softDeviceID: UInt32 = 0x0124
    /// P-256 public keys, each 64 bytes: x then y, both big-endian. One match is enough.
    public var trustedKeys: [[UInt8]]
    /// Where the application begins, after the SoftDevice, in bytes.
    var applicationStart = BootloaderStorage.defaultApplicationStart
    /// Flash between the SoftDevice and the bootloader, in bytes, a multiple of ``pageSize``.
    var applicationCapacity: Int

    /// Flash page and largest data object, in bytes.
    let pageSize = 4096
    public var pageEraseTime: Duration = .milliseconds(85)
    public var wordWriteTime: Duration = .microseconds(41)
    /// Packets that can wait for the flash.
    public var packetBuffers = 17
    /// In bytes; a longer packet never arrives.
    let packetCapacity = 244
    /// Flash operations that can wait, including the running one (`NRF_FSTORAGE_SD_QUEUE_SIZE`). One erase and fifteen writes
    /// fill it: a whole object of seventeen packets sent during the erase loses two.
    public var flashQueueDepth = 16
    /// Words in one settings page, which is written twice because it has a backup.
    let settingsWords = 224

    /// The unit resets after this time without a CREATE of an init packet or an executed data object, linked or not.
    let inactivityTimeout: Duration = .seconds(180)
    /// From the end of the link to the reset.
    public let resetDelay: Duration = .milliseconds(200)
    /// Size of the bootloader's own flash in bytes, which limits an update of it.
    var bootloaderCapacity = 24_576

    /// An ECDSA P-256 signature in software at 64 MHz: an estimate.
    public var signatureCheckTime: Duration = .milliseconds(70)
    /// SHA-256 and CRC-32 over a whole application at 64 MHz: an estimate.
    public var imageCheckTime: Duration = .milliseconds(400)

    /// - Parameters:
    ///   - trustedKeys: a key that is not a point on the curve verifies nothing.
    ///   - applicationCapacity: in bytes; rounded down to whole pages.
    public init(trustedKeys: [[UInt8]], applicationCapacity: Int = 323_584) {
        self.trustedKeys = trustedKeys
        self.applicationCapacity = max(0, applicationCapacity) / pageSize * pageSize
    }

    /// Whether any trusted key signed `message`, by ECDSA over P-256 with SHA-256.
    /// - Parameter signature: r then s, 32 bytes each, **little-endian** as Nordic writes them.
    func trusts(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        guard signature.count == 64 else { return false }
        let bigEndian = signature[..<32].reversed() + signature[32...].reversed()
        return trustedKeys.contains { P256.PublicKey(point: $0)?.verifies(bigEndian, over: message) == true }
    }
}

/// Public keys that the manufacturers published: big-endian x and y. Each family adds its own.
enum VendorKeys {}
