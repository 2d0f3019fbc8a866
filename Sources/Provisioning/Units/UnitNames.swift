import Bluetooth
import FoundationEssentials
import Support

/// What people at this station call units, in a file in its state folder. A name stays until it is taken away, however many units the
/// station works on.
public struct UnitNames: Sendable {
    /// Bytes of a name.
    public static let lengthLimit = 64
    private static let capacity = 5000

    private struct Document: Codable {
        struct Entry: Codable { var address, name: String }
        var schema = "noafw.names/1"
        var names: [Entry]
    }

    private let file: URL

    public init(stateFolder: String) {
        file = URL(fileURLWithPath: stateFolder, isDirectory: true).appendingPathComponent("names.json")
    }

    /// - Throws: ``StateFileError`` if the file exists but cannot be read.
    public func load() throws -> [DeviceAddress: String] { try KnownUnits.read(file, Self.names) ?? [:] }

    static func names(in document: [UInt8]) throws -> [DeviceAddress: String] {
        try JSONDecoder().decode(Document.self, from: Data(document)).names.reduce(into: [:]) { names, entry in
            guard let address = DeviceAddress(entry.address), refusal(of: entry.name) == nil else { return }
            names[address] = entry.name
        }
    }

    /// - Returns: why a text is no name; `nil` for one that is.
    public static func refusal(of name: String) -> String? {
        if !(1...lengthLimit).contains(name.utf8.count) { return "a name has 1 to \(lengthLimit) bytes" }
        if !name.unicodeScalars.allSatisfy(PrintableText.isPrintable) { return "a name has no control characters" }
        if name.first?.isWhitespace == true || name.last?.isWhitespace == true { return "a name neither begins nor ends with a blank" }
        return DeviceAddress(name) == nil ? nil : "an address is no name"
    }

    /// - Throws: ``UnitNameError``, ``StateFileError``, `CancellationError`.
    public func set(_ name: String, for address: DeviceAddress, clock: SessionClock = .continuous) async throws {
        if let reason = Self.refusal(of: name) { throw UnitNameError.notAName(reason: reason) }
        try await change(clock) { names in
            if let other = names.first(where: { $0.key != address && $0.value.lowercased() == name.lowercased() }) {
                throw UnitNameError.taken(name, by: other.key)
            }
            guard names.count < Self.capacity || names[address] != nil else { throw UnitNameError.tooMany(limit: Self.capacity) }
            names[address] = name
        }
    }

    /// - Returns: the name that the unit had.
    /// - Throws: ``StateFileError``, `CancellationError`.
    public func remove(_ address: DeviceAddress, clock: SessionClock = .continuous) async throws -> String? {
        guard try load()[address] != nil else { return nil }
        var old: String?
        try await change(clock) { old = $0.removeValue(forKey: address) }
        return old
    }

    private func change(_ clock: SessionClock, _ body: (inout [DeviceAddress: String]) throws -> Void) async throws {
        try await KnownUnits.withLock(beside: file, clock) {
            var names = try load()
            try body(&names)
            let entries = names.map { Document.Entry(address: "\($0.key)", name: $0.value) }.sorted { $0.address < $1.address }
            try KnownUnits.write(Document(names: entries), to: file)
        }
    }
}

/// Why a unit does not get a name.
public enum UnitNameError: Error, Sendable, Hashable {
    case notAName(reason: String)
    case taken(String, by: DeviceAddress)
    case tooMany(limit: Int)
}

extension UnitNameError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .notAName(let reason):
            Diagnosis(
                "PRV-0050", .usage, nil, "this cannot be a unit's name: \(reason)",
                cause: "names are shown in tables and typed on command lines",
                remedy: "give a name such as \"Room 3, 12\"")
        case .taken(let name, let address):
            Diagnosis(
                "PRV-0051", .usage, nil, "\(name) is the name of \(address)", cause: "a name stands for one unit",
                remedy: "give another name, or take that one away with noafw units forget")
        case .tooMany(let limit):
            Diagnosis(
                "PRV-0052", .unavailable, .station, "this station has names for \(limit) units already",
                cause: "names.json holds no more", remedy: "take away names of units that are gone: see noafw units list")
        }
    }
}
