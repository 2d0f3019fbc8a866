import Foundation
import Support

/// A Frame's only bond: its long-term key, in a flash page of its own.
///
/// An erased page is no bond, but the radio still answers with its content as the key (`bluetooth.c`).
struct FrameBond: Sendable, Hashable {
    var key = [UInt8](repeating: 0xFF, count: keyLength)

    static let keyLength = 16
    var exists: Bool { key.contains { $0 != 0xFF } }
}

extension UnitFolder {
    private var bondFile: URL { root.appendingPathComponent("bond.json") }
    /// In bytes.
    private static let bondLimit = 4096

    func loadBond() throws -> FrameBond {
        guard FileManager.default.fileExists(atPath: bondFile.path) else { return FrameBond() }
        let record: [String: String] = try Self.decode(bondFile, limit: Self.bondLimit)
        guard let key = record["key"].flatMap(HexText.decode) else { throw Self.damaged(bondFile) }
        return key.count == FrameBond.keyLength ? FrameBond(key: key) : FrameBond()
    }

    func save(_ bond: FrameBond) throws { try Self.replace(bondFile, with: try JSONEncoder().encode(["key": HexText.encode(bond.key)])) }
}
