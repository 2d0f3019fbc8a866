import Support

/// How the version of a set of scripts is computed and written.
public enum VersionScheme: String, Sendable, Hashable, Codable, CaseIterable {
    /// The phone app's: `SHA256 digest: ` and 64 hexadecimal digits, of names and contents one after the other, each 0x0A as the
    /// two characters `\n` (noa-for-ios, `Controller.swift`).
    case app
    /// 64 hexadecimal digits: what `sha256sum FILES… | sha256sum` prints for the files in their order.
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
