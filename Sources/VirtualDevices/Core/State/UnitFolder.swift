import Bluetooth
import Foundation
import Support

/// A virtual unit's state on disk: what survives a power cut, and the end of the process that plays the unit.
public struct UnitFolder: Sendable {
    struct Identity: Codable, Sendable {
        var family: String
        var address: String
        var batteryPercent = 80
        var isCharging = false
    }

    public let root: URL
    var files: URL { root.appendingPathComponent("files", isDirectory: true) }
    private var bootloader: URL { root.appendingPathComponent("bootloader.json") }
    private var identityFile: URL { root.appendingPathComponent("unit.json") }
    /// What the unit shows; read it with ``VirtualDisplay``.
    public var display: URL { root.appendingPathComponent("display.json") }

    /// Opens the folder, or makes a factory-new unit there.
    /// - Parameter fill: writes what the factory leaves in a unit of this family.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that is not made yet.
    package init(root: URL, name: String, family: String, fill: (UnitFolder) throws -> Void) throws {
        self.root = root
        try Self.writing(files) { try FileWriter.makeFolder(files.path) }
        if FileManager.default.fileExists(atPath: identityFile.path) { return }
        let lock = try lock()
        try fill(self)
        try save(Identity(family: family, address: Self.addressText(for: name, family: family)))
        withExtendedLifetime(lock) {}
    }

    /// In bytes.
    private static let identityLimit = 64 << 10
    /// In bytes; several times what it holds when its flash is full.
    private static let bootloaderLimit = 16 << 20

    func identity() throws -> Identity {
        try Self.reading(identityFile, limit: Self.identityLimit) { try JSONDecoder().decode(Identity.self, from: Data($0)) }
    }

    func save(_ identity: Identity) throws {
        try Self.writing(identityFile) { try Self.replace(identityFile, with: try JSONEncoder().encode(identity)) }
    }

    /// The address of the unit, which has to be of this family.
    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    func address(of family: String) throws -> DeviceAddress {
        let identity = try identity()
        guard identity.family == family else {
            throw UnitFolderError.unreadable(path: identityFile.path, reason: "it is no unit of the family \(family)")
        }
        guard let address = DeviceAddress(identity.address) else {
            throw UnitFolderError.unreadable(path: identityFile.path, reason: "it holds no address")
        }
        return address
    }

    func loadBootloader() throws -> BootloaderStorage {
        try Self.reading(bootloader, limit: Self.bootloaderLimit) { try JSONDecoder().decode(BootloaderStorage.self, from: Data($0)) }
    }

    package func save(_ storage: BootloaderStorage) throws {
        try Self.writing(bootloader) { try Self.replace(bootloader, with: try JSONEncoder().encode(storage)) }
    }

    /// - Parameter limit: in bytes.
    static func reading<Value>(_ file: URL, limit: Int, _ decode: ([UInt8]) throws -> Value) throws -> Value {
        do {
            return try decode(try FileReader.read(file.path, limit: limit))
        } catch {
            throw UnitFolderError.unreadable(path: file.path, reason: SystemError.text(error))
        }
    }

    /// - Throws: ``UnitFolderError/unwritable(path:reason:)``.
    package static func replace(_ file: URL, with bytes: some Sequence<UInt8>) throws {
        do {
            try FileWriter.replace(file.path, with: bytes)
        } catch {
            throw UnitFolderError.unwritable(path: file.path, reason: error.reason)
        }
    }

    private static func writing(_ file: URL, _ write: () throws -> Void) throws {
        do {
            try write()
        } catch let error as UnitFolderError {
            throw error
        } catch {
            throw UnitFolderError.unwritable(path: file.path, reason: SystemError.text(error))
        }
    }

    /// The address of the unit in a folder, which need not be there yet.
    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    public static func address(root: URL, name: String, family: String) throws -> DeviceAddress? {
        let file = root.appendingPathComponent("unit.json")
        guard FileManager.default.fileExists(atPath: file.path) else { return usualAddress(name: name, family: family) }
        let identity = try reading(file, limit: identityLimit) { try JSONDecoder().decode(Identity.self, from: Data($0)) }
        return DeviceAddress(identity.address)
    }

    /// Of a new unit with this name.
    public static func usualAddress(name: String, family: String) -> DeviceAddress? { DeviceAddress(addressText(for: name, family: family)) }

    /// A random static address (top two bits set) that follows from the unit's name and family, as text.
    private static func addressText(for name: String, family: String) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(family):\(name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var octets = (0..<6).map { UInt8(truncatingIfNeeded: hash >> ($0 * 8)) }
        octets[0] |= 0xC0
        return octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined(separator: ":")
    }

    /// Takes the unit for this process; the lock ends with the returned value or the process.
    public func lock() throws -> UnitLock { try UnitLock(file: root.appendingPathComponent("unit.lock")) }
}
