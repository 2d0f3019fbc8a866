/// A picture of 16 colours for a unit's display: 400 pixels a row, 400 rows at most.
public struct DisplayPicture: Sendable, Hashable {
    public static let width = 400
    static let heightLimit = 400
    static let colourCount = 16
    package static let bytesPerRow = width / 2

    /// 16 × red, green, blue. The first colour is black: the display shows nothing there.
    public let palette: [UInt8]
    /// Two pixels a byte, the left one in the upper half.
    public let rows: [UInt8]

    public var height: Int { rows.count / Self.bytesPerRow }

    /// Fits a picture, with black on both sides of a narrower one, and reduces its colours.
    public init?(_ picture: PixelPicture) {
        guard let fitted = picture.fitted(width: Self.width, height: Self.heightLimit) else { return nil }
        let (palette, indices) = ColourReduction.reduce(fitted, to: Self.colourCount)
        let margin = (Self.width - fitted.width) / 2
        var rows = [UInt8](repeating: 0, count: fitted.height * Self.bytesPerRow)
        for row in 0..<fitted.height {
            for column in 0..<fitted.width {
                let place = margin + column
                let value = indices[row * fitted.width + column]
                rows[row * Self.bytesPerRow + place / 2] |= place.isMultiple(of: 2) ? value << 4 : value
            }
        }
        (self.palette, self.rows) = (palette, rows)
    }
}
