import Cryptography
import Support

/// How the version of a set of scripts is computed and written.
public enum VersionScheme: String, Sendable, Hashable, Codable, CaseIterable {
    /// The phone app's: `SHA256 digest: ` and 64 hexadecimal digits, over names and contents in sequence, each 0x0A as the two
    /// characters `\n` (noa-for-ios, `Controller.swift`).
    case app
    /// 64 hexadecimal digits, as `sha256sum FILES… | sha256sum` prints for the files in order.
    case sha256

    func version(of files: [ScriptSet.File]) -> String {
        var digest = VersionDigest(self)
        for file in files {
            digest.begin(file.name)
            digest.update(file.bytes[...])
        }
        return digest.finish()
    }
}

/// Computes the version of consecutive scripts, each in pieces cut anywhere.
struct VersionDigest {
    private static let escapedLineFeed = Array(#"\n"#.utf8)

    private let scheme: VersionScheme
    private let whole = SHA256Stream()
    private var file: (name: String, digest: SHA256Stream)?

    init(_ scheme: VersionScheme) { self.scheme = scheme }

    mutating func begin(_ name: String) {
        switch scheme {
        case .app: whole.update(Array(name.utf8))
        case .sha256:
            endFile()
            file = (name, SHA256Stream())
        }
    }

    /// The app hashes UTF-8 text. Hashing bytes gives every content a version, and the app's version for text.
    func update(_ bytes: ArraySlice<UInt8>) {
        guard scheme == .app else {
            file?.digest.update(bytes)
            return
        }
        var rest = bytes
        while let end = rest.firstIndex(of: 0x0A) {
            whole.update(rest[..<end])
            whole.update(Self.escapedLineFeed)
            rest = rest[(end + 1)...]
        }
        whole.update(rest)
    }

    mutating func finish() -> String {
        endFile()
        let digest = HexText.encode(whole.finish())
        return scheme == .app ? "SHA256 digest: " + digest : digest
    }

    private mutating func endFile() {
        guard let file else { return }
        whole.update(Array("\(HexText.encode(file.digest.finish()))  \(file.name)\n".utf8))
        self.file = nil
    }
}
