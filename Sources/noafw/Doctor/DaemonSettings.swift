import Foundation

/// bluetoothd's settings for new links, from main.conf; bluetoothd reads them when it starts.
struct DaemonSettings: Sendable, Hashable {
    /// Milliseconds of silence before a link is lost; `nil` is the kernel's default.
    var supervision: Double?

    static let file = "/etc/bluetooth/main.conf"
    private static let mostBytes = 65_536

    init() {}

    init(of file: String) {
        let handle = FileHandle(forReadingAtPath: file)
        defer { try? handle?.close() }
        self.init(text: String(decoding: (try? handle?.read(upToCount: Self.mostBytes)) ?? Data(), as: UTF8.self))
    }

    init(text: String) {
        var section = ""
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            if line.hasPrefix("["), let end = line.firstIndex(of: "]") { section = String(line[line.index(after: line.startIndex)..<end]) }
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            // Units of 10 ms (Core 5.4, Vol 4, Part E, 7.8.12).
            guard section == "LE", parts.count == 2, parts[0] == "ConnectionSupervisionTimeout", let value = UInt16(parts[1]) else {
                continue
            }
            supervision = Double(value) * 10
        }
    }
}
