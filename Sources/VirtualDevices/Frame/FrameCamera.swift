import Foundation

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

extension FrameCamera {
    /// What the camera sees without a picture: a JPEG of 64 × 64 pixels whose header is as long as the firmware's.
    static let testCard = [UInt8](Data(base64Encoded: testCardText) ?? Data())

    private static let testCardText =
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/"
        + "2wBDARESEhgVGC8aGi9jQjhCY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2NjY2P/wAARCABAAEADASIAAhEBAxEB/8QA"
        + "HwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkK"
        + "FhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXG"
        + "x8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAAAAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAEC"
        + "AxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLRChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOE"
        + "hYaHiImKkpOUlZaXmJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEAPwCtRRRXnn1B"
        + "fooooPz0x6KKK+yOs7qiiivzY9o46iiivXPdL9FFFB+emPRRRX2R1ndUUUV+bHtHHUUUV657pfooooPz0x6KKK+yOs7qiiivzY9o8Xooor6c5DqqKKKAOroo"
        + "ooA6uiiigD//2Q=="
}
