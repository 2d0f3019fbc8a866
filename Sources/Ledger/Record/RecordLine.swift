import Foundation

/// A record as one line of JSON in the spool.
public struct RecordLine: Sendable, Hashable, Codable {
    /// The longest bounded record is shorter.
    public static let byteLimit = 512 * 1024

    public enum Failure: Error, Sendable, Hashable {
        case unreadable
        /// From a later noafw.
        case newer(schema: Int)
    }

    /// The ``ProcessMark`` of the process that has the run open.
    public var owner: Int64
    public var record: RunRecord

    public init(owner: Int64, record: RunRecord) { (self.owner, self.record) = (owner, record) }

    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    public init(line: some Sequence<UInt8>) throws(Failure) {
        let data = Data(line)
        let decoder = JSONDecoder()
        guard data.count <= Self.byteLimit, let form = try? decoder.decode(Form.self, from: data) else { throw .unreadable }
        guard form.record.schema <= RunRecord.currentSchema else { throw .newer(schema: form.record.schema) }
        guard let line = try? decoder.decode(RecordLine.self, from: data) else { throw .unreadable }
        self.init(owner: line.owner, record: line.record.bounded)
    }

    /// Readable by every version.
    private struct Form: Decodable {
        struct Record: Decodable { var schema: Int }
        var record: Record
    }
}
