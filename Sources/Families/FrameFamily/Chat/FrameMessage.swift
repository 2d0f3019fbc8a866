import Assistant

/// Messages between a Frame's program and its app (docs/frame-messages.md): the first byte after 0x01.
///
/// Up to 0x18 they are Noa's for iOS (branch `bart/frame`). The others are ours, and go only to an app that has sent ``hello`` over this
/// link, or to a program that has answered it.
enum FrameMessage: UInt8 {
    /// Begins an answer or a picture; from the unit, a recording.
    case start = 0x10
    /// From the unit: its program's question.
    case text = 0x11
    /// Signed 8-bit samples, 8 kHz.
    case audio = 0x12
    case image = 0x13
    /// 16 × red, green, blue; ours adds the number of rows in two bytes, most significant first.
    case palette = 0x14
    /// Two pixels a byte, the left one in the upper half; 200 bytes a row, cut anywhere.
    case rows = 0x15
    case end = 0x16
    case versionRequest = 0x17
    case version = 0x18

    /// From the unit: the wearer no longer waits. The app sends it back; what follows is new.
    case cancel = 0x19
    /// From the app; the unit answers with its level, `1`.
    case hello = 0x1A
    /// From the app: requests `COUNT CHECK` of what was accepted since ``start``.
    case receipt = 0x1B
    /// From the unit, for each message except ``hello``: it can hold the next one.
    case taken = 0x1C
    /// The unit returns it unchanged.
    case ping = 0x1D

    /// Begins each message; anything else is printed output.
    static let mark: UInt8 = 0x01

    func packet() -> [UInt8] { [Self.mark, rawValue] }

    func packet(_ data: some Sequence<UInt8>) -> [UInt8] { packet() + data }

    /// From the camera: a JPEG, or from the earliest firmware 200 × 200 pixels of 8 bits (Noa for iOS, branch `bart/frame`).
    @Sendable static func photo(_ bytes: [UInt8]) -> Photo? {
        if bytes.starts(with: [0xFF, 0xD8]) { return Photo(jpeg: bytes) }
        guard bytes.count == 200 * 200 else { return nil }
        func level(_ value: UInt8, of highest: Int) -> UInt8 { UInt8(Int(value) * 255 / highest) }
        let pixels = bytes.flatMap { [level($0 >> 5, of: 7), level($0 >> 2 & 7, of: 7), level($0 & 3, of: 3)] }
        return PixelPicture(width: 200, height: 200, pixels: pixels)?.turnedLeft().flatMap(PNGFile.file).map { Photo(png: $0) }
    }
}
