enum ApplicationImage {
    private static let versionPlace = 4096

    /// An image with its version as plain text; the rest compresses like code.
    /// - Parameter count: in bytes, at least 4109.
    static func make(version: String, count: Int, seed: UInt64) -> [UInt8] {
        var image = noise(count: count, seed: seed)
        let text = Array(version.utf8) + [0]
        image.replaceSubrange(versionPlace..<versionPlace + text.count, with: text)
        return image
    }

    /// The plain-text `vYY.DDD.HHMM` in an application image.
    static func versionText(in image: [UInt8]) -> String {
        let pattern = Array("v00.000.0000".utf8)
        for start in image.indices.dropLast(pattern.count) where image[start] == pattern[0] {
            let candidate = image[start..<start + pattern.count]
            let fits = zip(candidate, pattern).allSatisfy { byte, model in
                model == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == model
            }
            if fits { return String(decoding: candidate, as: UTF8.self) }
        }
        return "unknown"
    }

    static func noise(count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
            while filled < count {
                bytes[filled] = UInt8(truncatingIfNeeded: generator.next())
                filled += 1
            }
        }
    }
}
