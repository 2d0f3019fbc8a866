/// How long the parts of an update take, calibrated on the virtual unit with as many packets as fit an event.
public struct FPGAPace: Sendable {
    /// To stop the FPGA and erase 109 pages.
    public let erase = 5.3
    /// To write the image, from where the plan begins, and to prove it.
    public let write: Double
    /// To commit it, and to restart.
    public let commit: Double

    /// Two programs a page, and the digest of each piece.
    private static let flashSeconds = 5.1
    private static let pieceSeconds = 0.0022
    private static let codeSeconds = 0.000_028
    /// Of a run of zeros or of blank bytes that one code stands for.
    private static let fillerByteCount = 60
    private static let codesPerPiece = 600
    /// The ring is free again two events after it was filled. Not all that the unit does passes meanwhile.
    private static let ringByteCount = 1023
    private static let beside = 0.36
    private static let refill = 1.24
    /// A digest of the whole flash, and what is sent before the first piece; then the commit, the restart and the way to the prompt.
    private static let proof = (seconds: 3.4, roundTrips: 20.0)
    private static let end = (seconds: 3.4, roundTrips: 15.0)

    /// - Parameters:
    ///   - offset: the first byte to write.
    ///   - interval: between two connection events, in seconds.
    public init(of image: FPGAImage, from offset: Int = 0, interval: Double = 0.015) {
        let fillerCount = image.bytes.count - image.denseByteCount
        let codes = Double(image.denseByteCount + fillerCount / Self.fillerByteCount)
        let pieces = Double(image.bytes.count / ImagePiece.mostBytes) + codes / Double(Self.codesPerPiece)
        let unit = Self.flashSeconds + pieces * Self.pieceSeconds + codes * Self.codeSeconds
        let ring = codes / Double(Self.ringByteCount) * 2 * interval
        let whole = max(unit, Self.beside * unit + Self.refill * ring)
        let slower = 2 * (interval - 0.015)
        write = whole * Double(image.bytes.count - offset) / Double(image.bytes.count) + Self.proof.seconds + Self.proof.roundTrips * slower
        commit = Self.end.seconds + Self.end.roundTrips * slower
    }
}
