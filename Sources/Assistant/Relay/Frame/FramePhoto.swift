/// What a Frame's camera sends: a JPEG, or from the earliest firmware 200 × 200 pixels of 8 bits (Noa for iOS, branch `bart/frame`).
enum FramePhoto {
    private static let side = 200
    private static let start: [UInt8] = [0xFF, 0xD8]

    static func photo(of bytes: [UInt8]) -> Photo? {
        if bytes.starts(with: start) { return Photo(jpeg: bytes) }
        guard bytes.count == side * side else { return nil }
        let pixels = bytes.flatMap { byte -> [UInt8] in
            [level(byte >> 5, of: 7), level(byte >> 2 & 7, of: 7), level(byte & 3, of: 3)]
        }
        return PixelPicture(width: side, height: side, pixels: pixels)?.turnedLeft().flatMap(PNGFile.file).map { Photo(png: $0) }
    }

    private static func level(_ value: UInt8, of highest: Int) -> UInt8 { UInt8(Int(value) * 255 / highest) }
}
