import Bluetooth
import Foundation
import Support
import Synchronization

/// The keys of a virtual host's bonds, by the units' addresses: what a host loses is lost for good.
public final class BondStore: Sendable {
    /// Bytes of a key's file, as hexadecimal text; a long-term key has 16 bytes.
    private static let fileLimit = 256

    private let keys = Mutex<[DeviceAddress: [UInt8]]>([:])
    private let folder: URL?

    /// Keeps its keys for as long as it is there.
    public init() { folder = nil }

    /// Keeps its keys in files of a folder, which is made for the first one.
    public init(folder: URL) { self.folder = folder }

    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    public func key(for address: DeviceAddress) throws -> [UInt8]? {
        guard let file = file(of: address) else { return keys.withLock { $0[address] } }
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try UnitFolder.reading(file, limit: Self.fileLimit) { bytes in
            guard let key = HexText.decode(String(decoding: bytes, as: UTF8.self)), !key.isEmpty else {
                throw UnitFolderError.unreadable(path: file.path, reason: "it does not hold what it should")
            }
            return key
        }
    }

    /// - Throws: ``UnitFolderError/unwritable(path:reason:)``.
    func keep(_ key: [UInt8], for address: DeviceAddress) throws {
        guard let folder, let file = file(of: address) else { return keys.withLock { $0[address] = key } }
        do { try FileWriter.makeFolder(folder.path) } catch { throw UnitFolderError.unwritable(path: folder.path, reason: error.reason) }
        try UnitFolder.replace(file, with: Array(HexText.encode(key).utf8))
    }

    /// Harmless when there is none.
    /// - Throws: ``UnitFolderError/unwritable(path:reason:)``.
    public func forget(_ address: DeviceAddress) throws {
        guard let file = file(of: address) else { return keys.withLock { $0[address] = nil } }
        guard unlink(file.path) == 0 || errno == ENOENT else {
            throw UnitFolderError.unwritable(path: file.path, reason: SystemError.last)
        }
    }

    private func file(of address: DeviceAddress) -> URL? {
        folder?.appendingPathComponent(address.description.replacing(":", with: "-") + ".key")
    }
}
