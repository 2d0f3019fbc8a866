/// What a unit's flash holds, as read on the unit.
struct FlashState: Sendable, Hashable {
    /// How much of a page was written: everything before its trailing 0xFF bytes.
    struct Edge: Sendable, Hashable {
        var page: Int
        /// 0…4096.
        var byteCount: Int
        var digest: UInt64
    }

    var pageDigests: [UInt64]
    /// A page's digest is truncated, so it only shows where the flash differs. This one proves that it does not.
    var sha256: [UInt8]
    /// The four bytes after the image.
    var marker: [UInt8]
    /// Where the next write would go; known while the helper that did all writes since the last erase still exists.
    var counter: Int?
    var edge: Edge?

    var isCommitted: Bool { marker == FPGALimits.marker }

    func differingPages(from image: FPGAImage) -> [Int] {
        zip(pageDigests, image.pageDigests).enumerated().filter { $1.0 != $1.1 }.map(\.offset)
    }
}

/// How to get an image into a unit's flash.
///
/// The flash is NOR: writing only clears bits. Blank or equal bytes can be overwritten from any point; anything else requires
/// erasing all pages.
public enum FPGAPlan: Sendable, Hashable {
    /// Image and marker are present.
    case nothing
    /// The image is present, its marker is not.
    case commit
    /// The first `from` bytes are present, the rest is blank or equal.
    case resume(from: Int)
    case erase

    init(survey: FlashState, image: FPGAImage) {
        self = .erase
        guard survey.pageDigests.count == image.pageDigests.count, survey.marker.count == 4 else { return }
        let markerIsWritable = zip(survey.marker, FPGALimits.marker).allSatisfy { $0 & $1 == $1 }
        if survey.sha256 == image.sha256 {
            if markerIsWritable { self = survey.isCommitted ? .nothing : .commit }
        } else if let page = Self.resumablePage(survey, image), let written = Self.writtenByteCount(of: page, survey, image) {
            self = .resume(from: FPGALimits.page(page).lowerBound + written)
        }
    }

    /// The page whose ``FlashState/Edge`` a plan for this image needs.
    static func openPage(survey: FlashState, image: FPGAImage) -> Int? {
        resumablePage(survey, image).flatMap { survey.pageDigests[$0] == blankDigests[$0] ? nil : $0 }
    }

    private static let blankMarker: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    private static let blankDigests = (0..<FPGALimits.pageCount).map {
        FPGAImage.digest(of: [UInt8](repeating: 0xFF, count: FPGALimits.page($0).count))
    }

    /// The first page that differs, if all pages after it are blank or equal and the marker was not written.
    private static func resumablePage(_ survey: FlashState, _ image: FPGAImage) -> Int? {
        guard survey.pageDigests.count == image.pageDigests.count, survey.marker == blankMarker else { return nil }
        let differing = survey.differingPages(from: image)
        let restIsWritable = differing.dropFirst().allSatisfy { survey.pageDigests[$0] == blankDigests[$0] }
        return restIsWritable ? differing.first : nil
    }

    /// How much of a page was written before the blank rest; `nil` if the page holds anything else.
    private static func writtenByteCount(of page: Int, _ survey: FlashState, _ image: FPGAImage) -> Int? {
        if survey.pageDigests[page] == blankDigests[page] { return 0 }
        let content = image.bytes[FPGALimits.page(page)]
        guard let edge = survey.edge, edge.page == page, (0..<content.count).contains(edge.byteCount),
            FPGAImage.digest(of: content.prefix(edge.byteCount)) == edge.digest
        else { return nil }
        return edge.byteCount
    }
}
