import Cryptography

/// A part of an image as the helper's `run` reads it: how many codes and exceptions, a salt and a check, then the codes and the
/// exceptions.
///
/// The check covers the decoded bytes, the check before it and the header, so no piece can be lost, doubled or changed unnoticed. The
/// salt keeps bytes out of it on which the unit would act.
struct ImagePiece: Sendable, Hashable {
    let range: Range<Int>
    let bytes: [UInt8]

    /// Ends the helper's loop.
    static let end = [UInt8](repeating: PhraseBook.digitBase, count: headerByteCount)
    static let checkByteCount = 4
    private static let headerByteCount = 3 + checkByteCount
    /// Each number is one byte.
    private static let mostCodes = PhraseBook.digitCount - 1
    /// The firmware copies the whole piece to the heap for each program of its flash.
    static let mostBytes = 512
    /// Divided into phrases at once.
    private static let blockByteCount = 16 * 1024

    /// The image from `offset` to its end.
    static func pieces(of image: [UInt8], from offset: Int, in book: PhraseBook) -> [ImagePiece] {
        var pieces: [ImagePiece] = []
        var check = Array(String(offset).utf8)
        for start in stride(from: offset, to: image.count, by: blockByteCount) {
            var (symbols, position) = (book.symbols(of: image[start..<min(start + blockByteCount, image.count)])[...], start)
            while !symbols.isEmpty {
                let (count, byteCount) = extent(of: symbols)
                let range = position..<position + byteCount
                let piece = ImagePiece(symbols.prefix(count), image, range, after: &check)
                pieces.append(piece)
                symbols = symbols.dropFirst(count)
                position = range.upperBound
            }
        }
        return pieces
    }

    private static func extent(of symbols: ArraySlice<PhraseBook.Symbol>) -> (count: Int, byteCount: Int) {
        var (count, byteCount) = (0, 0)
        for symbol in symbols.prefix(mostCodes) {
            guard byteCount + symbol.byteCount <= mostBytes else { break }
            count += 1
            byteCount += symbol.byteCount
        }
        return (count, byteCount)
    }

    private init(_ symbols: ArraySlice<PhraseBook.Symbol>, _ image: [UInt8], _ range: Range<Int>, after check: inout [UInt8]) {
        var (exceptions, last): ([UInt8], Int) = ([], 0)
        for (place, symbol) in symbols.enumerated() {
            guard let number = symbol.rareNumber else { continue }
            exceptions += [PhraseBook.digitBase + UInt8(place - last), number]
            last = place
        }
        let counts = [symbols.count, exceptions.count / PhraseBook.exceptionByteCount].map { PhraseBook.digitBase + UInt8($0) }
        let content = Array(image[range]) + check
        // Nine checks of ten need no other salt.
        var header: [UInt8] = []
        for salt in PhraseBook.digitBase...UInt8.max {
            header = counts + [salt]
            check = Array(SHA256.of(content + header).prefix(Self.checkByteCount))
            if PhraseBook.forbidden.isDisjoint(with: check) { break }
        }
        self.range = range
        bytes = header + check + symbols.map(\.code) + exceptions
    }
}
