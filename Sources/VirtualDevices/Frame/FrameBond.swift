import Foundation

/// The one bond that a Frame keeps: its long-term key, in a page of its own flash.
///
/// An erased page is no bond, and its key is what the radio answers with nevertheless (`bluetooth.c`).
struct FrameBond: Codable, Sendable, Hashable {
    var key = [UInt8](repeating: 0xFF, count: keyLength)

    static let keyLength = 16
    var exists: Bool { key.contains { $0 != 0xFF } }

    private enum CodingKeys: String, CodingKey { case key }

    init() {}
    init(key: [UInt8]) { self.key = key }

    init(from decoder: any Decoder) throws {
        let bytes = try decoder.container(keyedBy: CodingKeys.self).decode(HexBytes.self, forKey: .key).bytes
        if bytes.count == Self.keyLength { key = bytes }
    }

    func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(HexBytes(key), forKey: .key)
    }
}

extension UnitFolder {
    private var bondFile: URL { root.appendingPathComponent("bond.json") }
    /// In bytes.
    private static let bondLimit = 4096

    func loadBond() throws -> FrameBond {
        guard FileManager.default.fileExists(atPath: bondFile.path) else { return FrameBond() }
        return try Self.reading(bondFile, limit: Self.bondLimit) { try JSONDecoder().decode(FrameBond.self, from: Data($0)) }
    }

    func save(_ bond: FrameBond) throws { try Self.replace(bondFile, with: try JSONEncoder().encode(bond)) }
}
