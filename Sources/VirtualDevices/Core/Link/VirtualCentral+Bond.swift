import Bluetooth
import Foundation
import Support
import Synchronization

extension VirtualCentral: BondingCentral {
    /// Pairs if there is no key, and keeps the new one.
    /// - Returns: `nil` when the link is lost.
    func secure(_ connection: VirtualConnection, with key: [UInt8]?, before deadline: SessionClock.Instant) async throws -> SecurityAnswer?
    {
        let reply = Inbox<SecurityAnswer>()
        let settled: @Sendable () async throws -> SecurityAnswer? = { [bonds, clock] in
            let answer = try await reply.next(before: deadline, on: clock)
            if case .encrypted(let new)? = answer, key == nil { try bonds.keep(new, for: connection.address) }
            return answer
        }
        do {
            try connection.link.send(.secure(key.map(SecurityRequest.encrypt) ?? .pair, reply: reply))
            if let answer = try await settled() { return answer }
        } catch is LinkError {
            return nil
        } catch is CancellationError {
            // As bluetoothd does, the host ends a pairing whose client has left.
            await clock.shielded(for: .seconds(1)) { _ = try await settled() }
        }
        await connection.disconnect()
        try Task.checkCancellation()
        throw LinkError.timedOut("the link to be encrypted")
    }

    public func forgetBond(with address: DeviceAddress, deadline: SessionClock.Instant) async throws -> Bool {
        let hadKey = try bonds.key(for: address) != nil
        try bonds.forget(address)
        return hadKey
    }
}

/// A virtual host's bond keys, by unit address.
public final class BondStore: Sendable {
    /// Bytes of a key in hexadecimal.
    private static let fileLimit = 256

    private let keys = Mutex<[DeviceAddress: [UInt8]]>([:])
    private let folder: URL?

    public init() { folder = nil }

    /// Keeps its keys in files in a folder.
    public init(folder: URL) { self.folder = folder }

    /// - Throws: ``UnitFolderError/unreadable(path:reason:)``.
    public func key(for address: DeviceAddress) throws -> [UInt8]? {
        guard let file = file(of: address) else { return keys.withLock { $0[address] } }
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try UnitFolder.reading(file, limit: Self.fileLimit) { bytes in
            guard let key = HexText.decode(String(decoding: bytes, as: UTF8.self)), !key.isEmpty else { throw UnitFolder.damaged(file) }
            return key
        }
    }

    /// - Throws: ``UnitFolderError/unwritable(path:reason:)``.
    func keep(_ key: [UInt8], for address: DeviceAddress) throws {
        guard let folder, let file = file(of: address) else { return keys.withLock { $0[address] = key } }
        try UnitFolder.makeFolder(folder)
        try UnitFolder.replace(file, with: Array(HexText.encode(key).utf8))
    }

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
