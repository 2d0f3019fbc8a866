/// The camera: a picture is read as header, data, and last two bytes, in pieces that never mix (camera.c).
struct FrameCamera {
    private var header: ArraySlice<UInt8> = []
    private var exposed: (data: ArraySlice<UInt8>, at: Duration)?
    private var data: ArraySlice<UInt8> = []
    private var footer: ArraySlice<UInt8> = []

    private static let headerSize = 623
    /// Its length has two bytes.
    private static let largestData = 65_535
    private static let exposure = Duration.milliseconds(40)
    private static let ending: [UInt8] = [0xFF, 0xD9]

    /// - Parameter scene: a JPEG file; with an empty one no picture becomes ready.
    mutating func capture(_ scene: [UInt8], now: Duration) {
        let picture = scene.suffix(2) == Self.ending[...] ? scene.dropLast(2) : scene[...]
        header = picture.prefix(Self.headerSize)
        exposed = scene.isEmpty ? nil : (picture.dropFirst(Self.headerSize).prefix(Self.largestData), now + Self.exposure)
        data = []
        footer = Self.ending[...]
    }

    /// Also fetches the data length; no data can be read before.
    mutating func isReady(now: Duration) -> Bool {
        guard let exposed, exposed.at <= now else { return false }
        if !exposed.data.isEmpty {
            data = exposed.data
            self.exposed?.data = []
        }
        return true
    }

    /// - Returns: at most `count` bytes; none after the last.
    mutating func read(_ count: Int, isRaw: Bool) -> [UInt8] {
        if !isRaw, !header.isEmpty { return Self.take(count, from: &header) }
        return data.isEmpty ? Self.take(count, from: &footer) : Self.take(count, from: &data)
    }

    private static func take(_ count: Int, from part: inout ArraySlice<UInt8>) -> [UInt8] {
        defer { part = part.dropFirst(count) }
        return Array(part.prefix(count))
    }
}
