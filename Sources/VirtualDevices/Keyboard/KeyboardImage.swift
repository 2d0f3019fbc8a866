/// What ESP-IDF looks at before it writes an image, and before it starts one (`esp_https_ota.c`, `esp_image_format.c`). Nobody looks at the
/// project's name, and there is no signature.
enum KeyboardImage {
    /// Header, first segment's header, descriptor.
    static let headByteCount = 24 + 8 + 256
    static let slotByteCount = 0x18_0000
    private static let esp32s3: UInt16 = 9

    /// What the beginning shows.
    static func mayBeWritten(_ head: [UInt8]) -> Bool {
        guard head.count >= headByteCount, head[0] == 0xE9 else { return false }
        return UInt16(head[12]) | UInt16(head[13]) << 8 == esp32s3 && Array(head[32..<36]) == [0x32, 0x54, 0xCD, 0xAB]
    }

    /// - Parameter digest: SHA-256.
    static func mayBeStarted(_ image: [UInt8], digest: ([UInt8]) -> [UInt8]) -> Bool {
        guard image.count >= headByteCount, image.count <= slotByteCount, (1...16).contains(image[1]) else { return false }
        var place = 24
        var sum: UInt8 = 0xEF
        for _ in 0..<image[1] {
            guard place + 8 <= image.count else { return false }
            let length = (0..<4).reduce(0) { $0 | Int(image[place + 4 + $1]) << (8 * $1) }
            place += 8
            guard length % 4 == 0, length <= image.count - place else { return false }
            for byte in image[place..<place + length] { sum ^= byte }
            place += length
        }
        let end = place | 15
        guard end < image.count, image[end] == sum else { return false }
        guard image[23] == 1 else { return true }
        return image.count >= end + 33 && digest(Array(image[...end])) == Array(image[(end + 1)..<(end + 33)])
    }

    /// What the program reports, which is a text of its own among the image's: three numbers with points between zeros. Where there is
    /// none, what the build was called.
    static func version(of image: [UInt8]) -> String {
        let texts = image.dropFirst(headByteCount).split(separator: 0).lazy.compactMap { piece -> String? in
            guard (5...11).contains(piece.count), piece.allSatisfy({ $0 == 0x2E || (0x30...0x39).contains($0) }) else { return nil }
            let text = String(decoding: piece, as: UTF8.self)
            return text.split(separator: ".", omittingEmptySubsequences: false).filter { (1...3).contains($0.count) }.count == 3
                && text.filter { $0 == "." }.count == 2 ? text : nil
        }
        return texts.first ?? String(decoding: image.dropFirst(48).prefix(32).prefix { $0 != 0 }, as: UTF8.self)
    }
}
