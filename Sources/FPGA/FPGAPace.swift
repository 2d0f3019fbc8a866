/// How long the parts of an update take, calibrated on the virtual unit at a connection interval of 15 ms with several packets an event.
public struct FPGAPace: Sendable {
    /// To stop the FPGA and erase 109 pages.
    public let erase = 5.3
    /// To write the image, from where the plan begins.
    public let write: Double
    /// To prove and commit it, and to restart.
    public let commit = 6.2

    /// Two programs a page, and the digest of each piece.
    private static let flashSeconds = 5.1
    private static let pieceSeconds = 0.0022
    private static let codeSeconds = 0.000_028
    /// Of a run of zeros or of blank bytes that one code stands for.
    private static let fillerByteCount = 60
    private static let codesPerPiece = 600

    /// - Parameter from: the first byte to write.
    public init(of image: FPGAImage, from offset: Int = 0) {
        let fillerCount = image.bytes.count - image.denseByteCount
        let codes = Double(image.denseByteCount + fillerCount / Self.fillerByteCount)
        let pieces = Double(image.bytes.count / ImagePiece.mostBytes) + codes / Double(Self.codesPerPiece)
        let whole = Self.flashSeconds + pieces * Self.pieceSeconds + codes * Self.codeSeconds
        write = whole * Double(image.bytes.count - offset) / Double(image.bytes.count)
    }
}
