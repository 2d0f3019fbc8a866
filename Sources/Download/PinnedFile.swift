import Foundation

/// A file somewhere else, and what it has to be.
public struct PinnedFile: Sendable, Hashable {
    /// Without the digest; printable ASCII.
    public let address: String
    /// Lower-case hexadecimal.
    public let sha256: String
    public let byteLimit: Int

    /// - Parameter text: `https://HOST/PATH#sha256=DIGEST`.
    /// - Throws: ``DownloadError/badAddress(reason:)``.
    public init(_ text: String, byteLimit: Int) throws(DownloadError) {
        let parts = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let mark = "sha256="
        guard parts.count == 2, parts[1].hasPrefix(mark) else { throw .badAddress(reason: "it has no SHA-256: add #sha256=DIGEST") }
        try self.init(address: String(parts[0]), sha256: String(parts[1].dropFirst(mark.count)), byteLimit: byteLimit)
    }

    /// - Throws: ``DownloadError/badAddress(reason:)``.
    public init(address: String, sha256: String, byteLimit: Int) throws(DownloadError) {
        if let reason = Self.refusal(of: address) { throw .badAddress(reason: reason) }
        guard sha256.utf8.count == 64, sha256.allSatisfy({ $0.isASCII && $0.isHexDigit }) else {
            throw .badAddress(reason: "a SHA-256 is 64 hexadecimal digits")
        }
        (self.address, self.sha256, self.byteLimit) = (address, sha256.lowercased(), byteLimit)
    }

    /// Why noafw fetches nothing from an address; `nil` for one that it takes.
    static func refusal(of address: String) -> String? {
        guard address.utf8.count <= 2000, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: address), let host = parts.host, !host.isEmpty
        else { return "it is no address of the form https://HOST/PATH" }
        guard parts.scheme?.lowercased() == "https" else { return "only https is taken" }
        // An address shows up in a process list: no place for a password.
        guard parts.user == nil, parts.password == nil else { return "it holds a user or a password" }
        return nil
    }

    /// The last part of the path; another name where that is none for a file.
    public var name: String {
        let last = URLComponents(string: address)?.path.split(separator: "/").last.map(String.init) ?? ""
        let isPlain = last.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || "-_.".utf8.contains(byte)
        }
        return isPlain && !last.hasPrefix(".") && (1...100).contains(last.utf8.count) ? last : "file"
    }
}
