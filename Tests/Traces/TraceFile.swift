import Foundation

/// Recorded conversations with Nordic's real bootloader: a line of what all traces share, then a line each.
struct TraceFile {
    let traces: [Trace]
    let header: Header
    private let blobs: [String: [UInt8]]

    init(contentsOf path: String) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        guard let first = lines.first else { throw TraceFault("the file is empty") }
        let decoder = JSONDecoder()
        func line<Value: Decodable>(_ number: Int, _ text: Substring) throws -> Value {
            do { return try decoder.decode(Value.self, from: Data(text.utf8)) } catch {
                throw TraceFault("line \(number): \(TraceFault.words(of: error))")
            }
        }
        let header: Header = try line(1, first)
        self.header = header
        traces = try lines.enumerated().dropFirst().map { try line($0.offset + 1, $0.element) }
        var blobs: [String: [UInt8]] = [:]
        for (name, blob) in header.blobs where blob.of == nil { blobs[name] = try blob.content() }
        for (name, blob) in header.blobs {
            if let base = blob.of { blobs[name] = try blob.changed(blobs[base]) }
        }
        self.blobs = blobs
    }

    /// The image that the recorded packets of its size are about, where there is one.
    func image(of byteCount: Int) throws -> [UInt8]? { blobs["r\(byteCount)"] }

    func bytes(of step: Trace.Step) throws -> [UInt8] {
        if let hex = step.hex { return try Hex.decode(hex) }
        guard let name = step.blob, let blob = blobs[name], let from = step.from, let to = step.to,
            (0...blob.count).contains(from), (from...blob.count).contains(to)
        else { throw TraceFault("a packet without bytes") }
        return Array(blob[from..<to])
    }
}

struct TraceFault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

struct Header: Decodable {
    struct Key: Decodable {
        var publicXHex: String
        var publicYHex: String
    }

    struct Flash: Decodable {
        var eraseMs: Double
        var wordUs: Double
        var queueEntries: Int
        var packetBuffers: Int
    }

    struct Base: Decodable {
        var application: Blob?
        var version: UInt32?
    }

    var testKey: Key
    var flash: Flash
    var bases: [String: Base]
    var blobs: [String: Blob]
}

/// Bytes by value, by seed (SplitMix64, each number little-endian), or by another blob with bytes changed.
struct Blob: Decodable {
    var hex: String?
    var splitmix64: UInt64?
    var count: Int?
    var of: String?
    var xor: [String: UInt8]?

    func content() throws -> [UInt8] {
        if let hex { return try Hex.decode(hex) }
        guard let seed = splitmix64, let count, (0...1 << 24).contains(count) else { throw TraceFault("a blob without content") }
        var state = seed
        var bytes: [UInt8] = []
        while bytes.count < count {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
            value ^= value >> 31
            withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        }
        return Array(bytes.prefix(count))
    }

    func changed(_ base: [UInt8]?) throws -> [UInt8] {
        guard var bytes = base else { throw TraceFault("a blob made of one that is missing") }
        for (place, mask) in xor ?? [:] {
            guard let index = Int(place), bytes.indices.contains(index) else { throw TraceFault("a change outside its blob") }
            bytes[index] ^= mask
        }
        return bytes
    }
}

struct Trace: Decodable {
    struct Setup: Decodable {
        var flash: String
        var capacity: Int
        var hwVersion: UInt32
        var sdReq: [UInt32]
    }

    struct Step: Decodable {
        enum Action: String, Decodable {
            case connect, subscribe, cp, pkt, wait, disconnect
            case powerCycle = "power-cycle"
        }

        var write: Action
        var mtu: Int?
        var on: Bool?
        var hex: String?
        var blob: String?
        var from: Int?
        var to: Int?
        var size: Int?
        var gap: Double?
        var ms: Double?
        var bootloader: Bool?
        var expect: [Expectation]?
    }

    struct Expectation: Decodable {
        var notify: String?
        var att: String?
        var mtu: Int?
        var disconnected: Bool?
        var reset: Bool?
        var started: String?
    }

    struct Final: Decodable, Equatable {
        var bank0Valid: Bool
        var applicationSHA256: String?
        var applicationSize: Int?
        var version: UInt32?
        var initKept: Bool
    }

    /// What the radio does to a client under these conditions.
    struct Client: Decodable {
        struct HeldBack: Decodable {
            /// Counted from 1 among receipts (`of` is `pkt`) or the answers to an operation.
            var notify: Int
            var of: String
            /// One of these.
            var ms: [Double]
        }

        var heldBack: [HeldBack]?
    }

    var id: String
    var topic: String
    var setup: Setup
    var client: Client?
    var steps: [Step]
    var final: Final
}

enum Hex {
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func decode(_ text: String) throws -> [UInt8] {
        guard text.count.isMultiple(of: 2) else { throw TraceFault("\(text.prefix(20)) has an odd number of digits") }
        let digits = try text.map { digit in
            guard let value = digit.hexDigitValue else { throw TraceFault("\(text.prefix(20)) is not hexadecimal") }
            return UInt8(value)
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
