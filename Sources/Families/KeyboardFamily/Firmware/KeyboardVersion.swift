import ESPImage

/// A version such as 2.10.0, as in `config.h`.
struct KeyboardVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    let numbers: [Int]

    /// - Returns: `nil` for anything but three numbers of at most three digits.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
        }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        self.numbers = numbers
    }

    var description: String { numbers.map(String.init).joined(separator: ".") }

    static func < (one: KeyboardVersion, other: KeyboardVersion) -> Bool { one.numbers.lexicographicallyPrecedes(other.numbers) }

    /// The version that a unit running the image will report: `CONFIG_APP_VERSION`, a separate text in the image. The descriptor has
    /// another version, that of the build, which counts only when the texts are unclear.
    /// - Returns: `nil` when unclear.
    static func stated(by image: ESPImage) -> KeyboardVersion? {
        let built = KeyboardVersion(image.descriptor.version.drop { $0 == "v" })
        let texts = texts(of: image)
        if texts.count == 1 { return texts.first }
        return texts.isEmpty || built.map(texts.contains) == true ? built : nil
    }

    private static let longestText = 11

    private static func texts(of image: ESPImage) -> Set<KeyboardVersion> {
        var found: Set<KeyboardVersion> = []
        for segment in image.segments {
            for piece in image.bytes[segment.range].split(separator: 0) where piece.count <= longestText {
                // Ignores the descriptor's own texts.
                guard !image.descriptor.range.contains(piece.startIndex), let first = piece.first, (0x30...0x39).contains(first),
                    let version = KeyboardVersion(String(decoding: piece, as: UTF8.self))
                else { continue }
                found.insert(version)
            }
        }
        return found
    }
}
