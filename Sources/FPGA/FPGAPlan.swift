/// What a unit's flash holds, found out on the unit.
public struct FlashState: Sendable, Hashable {
    /// How far a page was written: what lies before its last bytes of 0xFF.
    public struct Edge: Sendable, Hashable {
        public var page: Int
        /// 0…4096 bytes of the page, up to the last one that is not 0xFF.
        public var byteCount: Int
        /// As ``FPGAImage/pageDigests``, of these bytes.
        public var digest: UInt64

        public init(page: Int, byteCount: Int, digest: UInt64) {
            self.page = page
            self.byteCount = byteCount
            self.digest = digest
        }
    }

    /// As ``FPGAImage/pageDigests``, 109 of them.
    public var pageDigests: [UInt64]
    /// As ``FPGAImage/sha256``: a page's digest is cut short, and so tells where the flash differs, not that it does not.
    public var sha256: [UInt8]
    /// The four bytes behind the image.
    public var marker: [UInt8]
    /// Where the next write would land, when the helper that did all writes since the last erase is still there.
    public var counter: Int?
    /// Of the page that ``FPGAPlan/openPage(survey:image:)`` names.
    public var edge: Edge?

    public init(pageDigests: [UInt64], sha256: [UInt8], marker: [UInt8], counter: Int?, edge: Edge? = nil) {
        self.pageDigests = pageDigests
        self.sha256 = sha256
        self.marker = marker
        self.counter = counter
        self.edge = edge
    }

    public var isCommitted: Bool { marker == FPGALimits.marker }
}

/// How to get an image into a unit's flash.
///
/// The flash is NOR: writing only clears bits. Writing 0xFF changes nothing, and writing what is there already is harmless, so
/// whatever is blank or equal can be written over from any point; anything else needs the erase of all pages.
public enum FPGAPlan: Sendable, Hashable {
    /// The image and its marker are there.
    case nothing
    /// The image is there, its marker is not.
    case commit
    /// The first `from` bytes are there, the rest is blank or equal.
    case resume(from: Int)
    /// Erase, write from the start.
    case erase

    public init(survey: FlashState, image: FPGAImage) {
        let markerIsWritable = zip(survey.marker, FPGALimits.marker).allSatisfy { $0 & $1 == $1 }
        guard survey.pageDigests.count == image.pageDigests.count, survey.marker.count == 4 else {
            self = .erase
            return
        }
        if survey.sha256 == image.sha256 {
            self = survey.isCommitted ? .nothing : markerIsWritable ? .commit : .erase
        } else if let page = Self.resumablePage(survey, image), let written = Self.writtenByteCount(of: page, survey, image) {
            self = .resume(from: FPGALimits.page(page).lowerBound + written)
        } else {
            self = .erase
        }
    }

    /// The page whose ``FlashState/Edge`` a plan for this image needs; `nil` when none is needed.
    public static func openPage(survey: FlashState, image: FPGAImage) -> Int? {
        guard let page = resumablePage(survey, image), survey.pageDigests[page] != blankDigest(ofPage: page) else { return nil }
        return page
    }

    private static let blankMarker: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    private static let blankPageDigest = FPGAImage.digest(of: repeatElement(0xFF, count: FPGALimits.pageByteCount))
    private static let blankLastPageDigest = FPGAImage.digest(
        of: repeatElement(0xFF, count: FPGALimits.page(FPGALimits.pageCount - 1).count))

    private static func blankDigest(ofPage index: Int) -> UInt64 {
        index == FPGALimits.pageCount - 1 ? blankLastPageDigest : blankPageDigest
    }

    /// The first page that differs, when all behind it is blank or equal and the marker was not written.
    private static func resumablePage(_ survey: FlashState, _ image: FPGAImage) -> Int? {
        guard survey.pageDigests.count == image.pageDigests.count, survey.marker == blankMarker,
            let first = zip(survey.pageDigests, image.pageDigests).firstIndex(where: !=)
        else { return nil }
        let restIsWritable = (first + 1..<survey.pageDigests.count).allSatisfy {
            survey.pageDigests[$0] == image.pageDigests[$0] || survey.pageDigests[$0] == blankDigest(ofPage: $0)
        }
        return restIsWritable ? first : nil
    }

    /// How much of a page was written before the rest, which is blank; `nil` when the page holds something else.
    private static func writtenByteCount(of page: Int, _ survey: FlashState, _ image: FPGAImage) -> Int? {
        if survey.pageDigests[page] == blankDigest(ofPage: page) { return 0 }
        let content = image.bytes[FPGALimits.page(page)]
        guard let edge = survey.edge, edge.page == page, (0..<content.count).contains(edge.byteCount),
            FPGAImage.digest(of: content.prefix(edge.byteCount)) == edge.digest
        else { return nil }
        return edge.byteCount
    }
}

extension Zip2Sequence where Sequence1: Collection, Sequence2: Collection {
    fileprivate func firstIndex(where matches: (Sequence1.Element, Sequence2.Element) -> Bool) -> Int? {
        for (index, pair) in enumerated() where matches(pair.0, pair.1) { return index }
        return nil
    }
}
