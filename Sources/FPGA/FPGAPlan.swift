import REPL

/// What a unit's flash holds, found out on the unit.
public struct FPGASurvey: Sendable, Hashable {
    /// CRC-32 of the image's part of each page, 109 of them.
    public var pageCRCs: [UInt32]
    /// The four bytes behind the image.
    public var marker: [UInt8]
    /// Where the next write would land, when the helper that did all writes since the last erase is still there.
    public var counter: Int?

    public init(pageCRCs: [UInt32], marker: [UInt8], counter: Int?) {
        self.pageCRCs = pageCRCs
        self.marker = marker
        self.counter = counter
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

    public init(survey: FPGASurvey, image: FPGAImage) {
        let markerIsWritable = zip(survey.marker, FPGALimits.marker).allSatisfy { $0 & $1 == $1 }
        guard survey.pageCRCs.count == image.pageCRCs.count, survey.marker.count == 4 else {
            self = .erase
            return
        }
        guard let first = zip(survey.pageCRCs, image.pageCRCs).firstIndex(where: !=) else {
            self = survey.isCommitted ? .nothing : markerIsWritable ? .commit : .erase
            return
        }
        let restIsWritable = (first + 1..<survey.pageCRCs.count).allSatisfy {
            survey.pageCRCs[$0] == image.pageCRCs[$0] || survey.pageCRCs[$0] == Self.blankCRC(ofPage: $0)
        }
        guard survey.marker == Self.blankMarker, restIsWritable,
            let written = Self.writtenByteCount(ofPage: first, crc: survey.pageCRCs[first], image: image)
        else {
            self = .erase
            return
        }
        self = .resume(from: FPGALimits.page(first).lowerBound + written)
    }

    private static let blankMarker: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    private static let blankPageCRC = ZlibCRC32.of(repeatElement(0xFF, count: FPGALimits.pageByteCount))
    private static let blankLastPageCRC = ZlibCRC32.of(
        repeatElement(0xFF, count: FPGALimits.page(FPGALimits.pageCount - 1).count))

    private static func blankCRC(ofPage index: Int) -> UInt32 {
        index == FPGALimits.pageCount - 1 ? blankLastPageCRC : blankPageCRC
    }

    /// How much of a page was written before the rest, which is blank; `nil` when the page holds something else.
    ///
    /// A CRC runs backwards too: from the page's value back over the blank bytes, forwards over the image's, until both meet.
    private static func writtenByteCount(ofPage index: Int, crc: UInt32, image: FPGAImage) -> Int? {
        let page = Array(image.bytes[FPGALimits.page(index)])
        var backwards = ZlibCRC32(resumingFrom: crc)
        var valuesBeforeBlank = [crc]
        for _ in page {
            backwards.takeBack(0xFF)
            valuesBeforeBlank.append(backwards.value)
        }
        var forwards = ZlibCRC32()
        for count in 0..<page.count {
            if forwards.value == valuesBeforeBlank[page.count - count] { return count }
            forwards.update(CollectionOfOne(page[count]))
        }
        return nil
    }
}

extension Zip2Sequence where Sequence1: Collection, Sequence2: Collection {
    fileprivate func firstIndex(where matches: (Sequence1.Element, Sequence2.Element) -> Bool) -> Int? {
        for (index, pair) in enumerated() where matches(pair.0, pair.1) { return index }
        return nil
    }
}
