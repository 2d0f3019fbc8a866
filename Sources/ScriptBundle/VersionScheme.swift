import Cryptography
import REPL
import Support

/// How the version of a set of scripts is computed and written.
public enum VersionScheme: String, Sendable, Hashable, Codable, CaseIterable {
    /// The phone app's: `SHA256 digest: ` and 64 hexadecimal digits.
    case app
    /// 64 hexadecimal digits: what `sha256sum FILES… | sha256sum` prints for the files in their order.
    case sha256

    func version(of files: [ScriptSet.File]) -> String {
        switch self {
        case .app: "SHA256 digest: " + Self.appDigest(of: files)
        case .sha256: Self.plainDigest(of: files)
        }
    }

    /// Names and contents one after the other, each 0x0A as the two characters `\n`, hashed (noa-for-ios,
    /// `Controller.swift`). The app hashes UTF-8 text; here it is the bytes as they are, so any content has a version, and
    /// text has the app's.
    private static func appDigest(of files: [ScriptSet.File]) -> String {
        let digest = SHA256Stream()
        let lineFeed = Array(#"\n"#.utf8)
        for file in files {
            digest.update(Array(file.name.utf8))
            var isFirst = true
            for line in file.bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
                if !isFirst { digest.update(lineFeed) }
                digest.update(line)
                isFirst = false
            }
        }
        return HexText.encode(digest.finish())
    }

    private static func plainDigest(of files: [ScriptSet.File]) -> String {
        let lines = files.map { "\(SHA256.text(of: $0.bytes))  \($0.name)\n" }
        return HexText.encode(SHA256.of(Array(lines.joined().utf8)))
    }
}
