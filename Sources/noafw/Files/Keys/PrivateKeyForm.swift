import Support

/// Recognises a private key, in PEM or DER, by its form alone.
enum PrivateKeyForm {
    /// In bytes; a key has a few hundred, and may come with certificates.
    private static let sizeLimit = 1 << 20
    private static let endings = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"].map { Array($0.utf8) }

    static func isIn(file path: NamedPath) -> Bool { (try? InputFile.read(path, limit: sizeLimit)).map(isIn) ?? false }

    static func isIn(_ bytes: [UInt8]) -> Bool {
        guard bytes.count <= sizeLimit, !bytes.starts(with: Array("PK\u{3}\u{4}".utf8)) else { return false }
        return endings.contains { bytes.contains(bytes: $0) } || isDER(bytes)
    }

    /// The first bytes inside the outer sequence of PKCS #8 (version 0 or 1, an algorithm), PKCS #1 (0, a number), SEC 1 (1, a
    /// string), PKCS #12 (3, a content), and an encrypted PKCS #8, whose algorithm is from PKCS #5 or #12.
    private static let beginnings: [[UInt8]] = [
        [0x02, 0x01, 0x00, 0x30], [0x02, 0x01, 0x01, 0x30], [0x02, 0x01, 0x00, 0x02], [0x02, 0x01, 0x01, 0x04], [0x02, 0x01, 0x03, 0x30],
    ]
    private static let encryptions: [[UInt8]] = [
        [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05], [0x06, 0x0A, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C],
    ]

    private static func isDER(_ bytes: [UInt8]) -> Bool {
        guard let content = sequence(bytes[...]), content.endIndex == bytes.endIndex else { return false }
        if beginnings.contains(where: content.starts(with:)) { return true }
        return sequence(content).map { algorithm in encryptions.contains(where: algorithm.starts(with:)) } ?? false
    }

    /// The content of a leading sequence; lengths of up to three bytes.
    private static func sequence(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.count >= 2, bytes[bytes.startIndex] == 0x30 else { return nil }
        let first = Int(bytes[bytes.startIndex + 1])
        let count = first < 0x80 ? 0 : first - 0x80
        guard count <= 3, first != 0x80, bytes.count >= 2 + count else { return nil }
        let length = count == 0 ? first : bytes[bytes.startIndex + 2..<bytes.startIndex + 2 + count].reduce(0) { $0 << 8 | Int($1) }
        let start = bytes.startIndex + 2 + count
        guard length <= bytes.endIndex - start else { return nil }
        return bytes[start..<start + length]
    }
}
