import Foundation

/// The kernel's report to root about an adapter (Linux, net/bluetooth/hci_debugfs.c).
struct AdapterCapabilities: Sendable, Hashable {
    /// Milliseconds, for a new link.
    struct Timing: Sendable, Hashable {
        var leastInterval: Double
        var mostInterval: Double
        var supervision: Double
    }

    var timing: Timing?
    /// The Bluetooth SIG's name, such as `5.0`.
    var version: String?
    /// Whether the adapter has the data length extension.
    var sendsLongPackets: Bool?

    init() {}

    /// - Parameter adapter: a kernel name such as `hci0`.
    init(of adapter: String, in folder: String = "/sys/kernel/debug/bluetooth") {
        func text(_ name: String) -> String? {
            guard let file = FileHandle(forReadingAtPath: "\(folder)/\(adapter)/\(name)") else { return nil }
            defer { try? file.close() }
            guard let data = try? file.read(upToCount: 4096) else { return nil }
            return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
        if let least = text("conn_min_interval").flatMap(Double.init), let most = text("conn_max_interval").flatMap(Double.init),
            let supervision = text("supervision_timeout").flatMap(Double.init)
        {
            timing = Timing(leastInterval: least * 1.25, mostInterval: most * 1.25, supervision: supervision * 10)
        }
        version = text("hci_version").flatMap { Int($0) }.flatMap { Self.versions[$0] }
        sendsLongPackets = text("features").flatMap(Self.hasDataLengthExtension)
    }

    /// Bluetooth Assigned Numbers, Core Version.
    private static let versions = [
        6: "4.0", 7: "4.1", 8: "4.2", 9: "5.0", 10: "5.1", 11: "5.2", 12: "5.3", 13: "5.4", 14: "6.0",
    ]

    /// Bit 5 of the LE features (Core 5.4, Vol 6, Component B, 4.6), in a line such as `LE: ff 79 01 00 00 00 00 00`.
    private static func hasDataLengthExtension(_ features: String) -> Bool? {
        let line = features.split(separator: "\n").first { $0.hasPrefix("LE:") }
        let first = line?.dropFirst(3).split(separator: " ").first
        return first.flatMap { UInt8($0, radix: 16) }.map { $0 & 0x20 != 0 }
    }
}
