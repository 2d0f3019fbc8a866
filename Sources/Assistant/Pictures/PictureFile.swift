public enum PictureFile {
    /// Why a file is not a readable picture, as the end of a sentence.
    public struct Fault: Error, Hashable, Sendable {
        public let reason: String
        public init(_ reason: String) { self.reason = reason }
    }

    public static func read(_ bytes: [UInt8]) throws(Fault) -> PixelPicture {
        if bytes.starts(with: PNGFile.signature) { return try PNGFile.read(bytes) }
        if bytes.starts(with: Array("P6".utf8)) || bytes.starts(with: Array("P5".utf8)) { return try PNMReader.read(bytes) }
        throw Fault("it is neither PNG nor PPM")
    }

    public static func isJPEG(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0xFF, 0xD8, 0xFF]) }
}

/// Netpbm's binary forms `P5` (grey) and `P6` (colour), with at most 255 levels.
enum PNMReader {
    static func read(_ bytes: [UInt8]) throws(PictureFile.Fault) -> PixelPicture {
        var place = 2
        var numbers: [Int] = []
        while numbers.count < 3 { numbers.append(try number(bytes, &place)) }
        // One white space, then the pixels.
        place += 1
        let (width, height, highest) = (numbers[0], numbers[1], numbers[2])
        guard PixelPicture.isUsable(width: width, height: height) else { throw .init("it has \(width) × \(height) pixels") }
        guard (1...255).contains(highest) else { throw .init("it has \(highest) levels, more than 255") }
        let channels = bytes[1] == UInt8(ascii: "6") ? 3 : 1
        guard bytes.count - place >= width * height * channels else { throw .init("it is incomplete") }
        let scaled = bytes[place..<place + width * height * channels].map { UInt8(min(255, Int($0) * 255 / highest)) }
        let pixels = channels == 3 ? scaled : scaled.flatMap { [$0, $0, $0] }
        guard let picture = PixelPicture(width: width, height: height, pixels: pixels) else { throw .init("it is incomplete") }
        return picture
    }

    private static func number(_ bytes: [UInt8], _ place: inout Int) throws(PictureFile.Fault) -> Int {
        while place < bytes.count, bytes[place] == UInt8(ascii: "#") || [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) {
            if bytes[place] == UInt8(ascii: "#") {
                while place < bytes.count, bytes[place] != 0x0A { place += 1 }
            } else {
                place += 1
            }
        }
        let digits = bytes.dropFirst(place).prefix(6).prefix { (0x30...0x39).contains($0) }
        guard let number = Int(String(decoding: digits, as: UTF8.self)) else { throw .init("its header is broken") }
        place += digits.count
        return number
    }
}
