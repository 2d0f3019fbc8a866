import Bluetooth
import FoundationEssentials
import Support

/// The units that this station has worked on, in a file in its state folder: they distinguish a stranded bootloader from an
/// unknown one.
public struct KnownUnits: Sendable {
    public struct Unit: Codable, Sendable, Hashable {
        public var family: FamilyID
        /// The application's.
        public var address: String
        /// Seconds since 1970, UTC.
        public var lastWorkedOn: Int

        package init(family: FamilyID, address: String, lastWorkedOn: Int) {
            (self.family, self.address, self.lastWorkedOn) = (family, address, lastWorkedOn)
        }
    }

    private struct Document: Codable {
        var schema = "noafw.units/1"
        var units: [Unit]
    }

    private static let largestFile = 1 << 20
    /// The least recently worked on are dropped.
    private static let capacity = 5000

    private let file: URL

    public init(stateFolder: String) {
        file = URL(fileURLWithPath: stateFolder, isDirectory: true).appendingPathComponent("units.json")
    }

    /// - Throws: ``StateFileError`` if the file exists but cannot be read.
    public func load() throws -> [Unit] { try Self.read(file, Self.units) ?? [] }

    /// - Returns: `nil` if there is no file.
    static func read<Content>(_ file: URL, _ decode: ([UInt8]) throws -> Content) throws -> Content? {
        guard (try? FileManager.default.attributesOfItem(atPath: file.path)) != nil else { return nil }
        do {
            return try decode(FileReader.read(file.path, limit: largestFile))
        } catch let failure as FileReader.Failure {
            throw StateFileError.unreadable(path: file.path, reason: failure.reason)
        } catch {
            throw StateFileError.unreadable(path: file.path, reason: "it does not hold what it should")
        }
    }

    static func units(in document: [UInt8]) throws -> [Unit] { try JSONDecoder().decode(Document.self, from: Data(document)).units }

    public func addresses() throws -> Set<DeviceAddress> { Set(try load().compactMap { DeviceAddress($0.address) }) }

    /// Records a unit before anything is done to it.
    /// - Throws: ``StateFileError``, `CancellationError`.
    public func record(
        _ family: FamilyID, _ address: DeviceAddress, at date: Date = Date(), clock: SessionClock = .continuous
    ) async throws {
        try await Self.withLock(beside: file, clock) {
            var units = try load().filter { $0.address != address.description }
            units.append(Unit(family: family, address: address.description, lastWorkedOn: Int(date.timeIntervalSince1970)))
            try Self.write(Document(units: Array(units.suffix(Self.capacity))), to: file)
        }
    }

    /// - Returns: whether the unit was known.
    /// - Throws: ``StateFileError``, `CancellationError`.
    public func remove(_ address: DeviceAddress, clock: SessionClock = .continuous) async throws -> Bool {
        guard try addresses().contains(address) else { return false }
        try await Self.withLock(beside: file, clock) {
            try Self.write(Document(units: try load().filter { $0.address != address.description }), to: file)
        }
        return true
    }

    static func write(_ document: some Encodable, to file: URL) throws(StateFileError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            try FileWriter.replace(file.path, with: encoder.encode(document))
        } catch {
            throw .unwritable(path: file.path, reason: SystemError.text(error))
        }
    }

    /// One lock for all that the station remembers of units.
    static func withLock(beside file: URL, _ clock: SessionClock, _ body: () throws -> Void) async throws {
        let folder = file.deletingLastPathComponent()
        do {
            try FileWriter.makeFolder(folder.path)
        } catch {
            throw StateFileError.unwritable(path: folder.path, reason: error.reason)
        }
        let lock = try await UnitLock.waiting(for: folder.appendingPathComponent("units.lock"), clock: clock)
        defer { withExtendedLifetime(lock) {} }
        try body()
    }
}
