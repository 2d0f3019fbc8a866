import Bluetooth
import Foundation
import Support

public struct UnitFolder: Sendable {
    struct Identity: Codable, Sendable {
        var family: String
        var address: String
        var batteryPercent = 80
        var isCharging = false
    }

    /// In bytes.
    private static let identityLimit = 64 << 10
    /// In bytes; several times a full flash.
    private static let bootloaderLimit = 16 << 20

    public let root: URL
    var files: URL { root.appendingPathComponent("files", isDirectory: true) }
    private var bootloader: URL { root.appendingPathComponent("bootloader.json") }
    private var identityFile: URL { Self.identityFile(in: root) }
    /// Read it with ``VirtualDisplay``.
    public var display: URL { root.appendingPathComponent("display.json") }

    /// Opens the folder, or creates a factory-new unit there.
    /// - Parameter fill: writes the factory content for a unit of this family.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that does not exist yet.
    package init(root: URL, name: String, family: String, fill: (UnitFolder) throws -> Void) throws {
        self.root = root
        try Self.makeFolder(files)
        if FileManager.default.fileExists(atPath: identityFile.path) { return }
        let lock = try lock()
        try fill(self)
        try save(Identity(family: family, address: Self.usualAddress(name: name, family: family)?.description ?? ""))
        withExtendedLifetime(lock) {}
    }

    private static func identityFile(in root: URL) -> URL { root.appendingPathComponent("unit.json") }

    private static func identity(in root: URL) throws -> Identity { try decode(identityFile(in: root), limit: identityLimit) }

    func identity() throws -> Identity { try Self.identity(in: root) }

    func save(_ identity: Identity) throws { try Self.replace(identityFile, with: try JSONEncoder().encode(identity)) }

    func loadBootloader() throws -> BootloaderStorage { try Self.decode(bootloader, limit: Self.bootloaderLimit) }

    package func save(_ storage: BootloaderStorage) throws { try Self.replace(bootloader, with: try JSONEncoder().encode(storage)) }

    /// The address of the unit, which must be of this family.
    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    func address(of family: String) throws -> DeviceAddress {
        let identity = try identity()
        guard identity.family == family else {
            throw UnitFolderError.unreadable(path: identityFile.path, reason: "it is not a unit of the family \(family)")
        }
        guard let address = DeviceAddress(identity.address) else {
            throw UnitFolderError.unreadable(path: identityFile.path, reason: "it holds no address")
        }
        return address
    }

    /// The address of the unit in a folder, which need not exist yet.
    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    public static func address(root: URL, name: String, family: String) throws -> DeviceAddress? {
        guard FileManager.default.fileExists(atPath: identityFile(in: root).path) else { return usualAddress(name: name, family: family) }
        return DeviceAddress(try identity(in: root).address)
    }

    /// The address of a new unit: random static (top two bits set), derived from its name and family.
    public static func usualAddress(name: String, family: String) -> DeviceAddress? {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(family):\(name)".utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var octets = Array(hash.littleEndianBytes.prefix(6))
        octets[0] |= 0xC0
        return DeviceAddress(octets: octets)
    }

    /// - Parameter limit: in bytes.
    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    static func reading<Value>(_ file: URL, limit: Int, _ decode: ([UInt8]) throws -> Value) throws -> Value {
        do {
            return try decode(try FileReader.read(file.path, limit: limit))
        } catch {
            throw UnitFolderError.unreadable(path: file.path, reason: SystemError.text(error))
        }
    }

    static func damaged(_ file: URL) -> UnitFolderError { .unreadable(path: file.path, reason: "it does not hold what it should") }

    /// Like ``reading(_:limit:_:)``, for JSON.
    static func decode<Value: Decodable>(_ file: URL, limit: Int) throws -> Value {
        try reading(file, limit: limit) { try JSONDecoder().decode(Value.self, from: Data($0)) }
    }

    /// - Throws: ``UnitFolderError/unwritable(path:reason:)``.
    package static func replace(_ file: URL, with bytes: some Sequence<UInt8>) throws {
        do { try FileWriter.replace(file.path, with: bytes) } catch {
            throw UnitFolderError.unwritable(path: file.path, reason: error.reason)
        }
    }

    /// - Throws: ``UnitFolderError/unwritable(path:reason:)``.
    static func makeFolder(_ folder: URL) throws {
        do { try FileWriter.makeFolder(folder.path) } catch { throw UnitFolderError.unwritable(path: folder.path, reason: error.reason) }
    }

    /// Locks the unit for this process, until the returned value or the process ends.
    public func lock() throws -> UnitLock { try UnitLock(file: root.appendingPathComponent("unit.lock")) }
}

public final class UnitLock: Sendable {
    private let lock: HeldLock

    init(file: URL) throws {
        let descriptor = open(file.path, O_RDWR | O_CREAT | OpenedFile.flags, 0o600)
        lock = HeldLock(descriptor)
        guard descriptor >= 0 else { throw UnitFolderError.unwritable(path: file.path, reason: SystemError.last) }
        guard lock.take() else {
            var holder = [UInt8](repeating: 0, count: 32)
            let count = max(0, pread(descriptor, &holder, holder.count, 0))
            throw LinkError.busy("process \(String(decoding: holder[..<count], as: UTF8.self))")
        }
        ftruncate(descriptor, 0)
        let text = Array("\(getpid())".utf8)
        _ = pwrite(descriptor, text, text.count, 0)
    }
}
