import REPL

/// A part of an image as an ``InputPiece`` of codes and exceptions.
struct ImagePiece: Sendable, Hashable {
    let range: Range<Int>
    let bytes: [UInt8]

    /// How far an exception is from the one before it is one byte.
    private static let mostCodes = InputPiece.digitCount - 1
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
            exceptions += [InputPiece.digitBase + UInt8(place - last), number]
            last = place
        }
        self.range = range
        bytes = InputPiece.bytes(symbols.map(\.code), exceptions: exceptions, content: image[range], after: &check)
    }
}
