public struct PixelPicture: Sendable, Hashable {
    static let sideLimit = 8192
    public static let areaLimit = 1 << 24

    public let width: Int
    public let height: Int
    /// Red, green, blue of each pixel, row by row from the top.
    public let pixels: [UInt8]

    /// - Returns: `nil` for sizes that do not match or exceed the limits.
    public init?(width: Int, height: Int, pixels: [UInt8]) {
        guard Self.isUsable(width: width, height: height), pixels.count == width * height * 3 else { return nil }
        (self.width, self.height, self.pixels) = (width, height, pixels)
    }

    static func isUsable(width: Int, height: Int) -> Bool {
        (1...sideLimit).contains(width) && (1...sideLimit).contains(height) && width * height <= areaLimit
    }

    /// Turned counterclockwise by 90°.
    package func turnedLeft() -> PixelPicture? {
        var turned: [UInt8] = []
        turned.reserveCapacity(pixels.count)
        for row in 0..<width {
            for column in 0..<height {
                let start = (column * width + width - 1 - row) * 3
                turned += pixels[start..<start + 3]
            }
        }
        return PixelPicture(width: height, height: width, pixels: turned)
    }

    /// Each pixel is the mean of those that it replaces. A smaller picture stays unchanged.
    func fitted(width frameWidth: Int, height frameHeight: Int) -> PixelPicture? {
        let scale = min(1, Double(frameWidth) / Double(width), Double(frameHeight) / Double(height))
        if scale == 1 { return self }
        let newWidth = max(1, Int(Double(width) * scale)), newHeight = max(1, Int(Double(height) * scale))
        var result: [UInt8] = []
        result.reserveCapacity(newWidth * newHeight * 3)
        for row in 0..<newHeight {
            let rows = row * height / newHeight..<max(row * height / newHeight + 1, (row + 1) * height / newHeight)
            for column in 0..<newWidth {
                let columns = column * width / newWidth..<max(column * width / newWidth + 1, (column + 1) * width / newWidth)
                result += mean(rows, columns)
            }
        }
        return PixelPicture(width: newWidth, height: newHeight, pixels: result)
    }

    private func mean(_ rows: Range<Int>, _ columns: Range<Int>) -> [UInt8] {
        var (red, green, blue) = (0, 0, 0)
        for row in rows {
            for column in columns {
                let start = (row * width + column) * 3
                red += Int(pixels[start])
                green += Int(pixels[start + 1])
                blue += Int(pixels[start + 2])
            }
        }
        let count = rows.count * columns.count
        return [UInt8(red / count), UInt8(green / count), UInt8(blue / count)]
    }
}
