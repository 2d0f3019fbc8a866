import Cryptography
import REPL

/// Splits an image into write commands that fit the unit's ring, with runs of 0x00 and 0xFF as numbers.
///
/// A command reads `_nf.w(offset,check,b'literal',300,b'literal',-40)`: positive numbers are runs of 0x00, negative ones runs
/// of 0xFF. More than half of a real image is zeros.
struct FPGAChunkEncoder: Sequence, IteratorProtocol {
    /// `_nf.w(` 6, offset 6, comma, check 10, closing parenthesis.
    private static let frameByteCount = 24
    /// A number splits a literal: `',`, 4 digits and sign, `,b'`. A shorter run is cheaper inside the literal.
    private static let shortestRun = 8

    private let image: [UInt8]
    private var offset: Int

    init(image: FPGAImage, from offset: Int) { (self.image, self.offset) = (image.bytes, offset) }

    mutating func next() -> HelperPiece? {
        guard offset < image.count else { return nil }
        let end = Swift.min(image.count, offset + FPGALimits.maximumChunkByteCount)
        var budget = PythonCode.maximumPipelinedByteCount - Self.frameByteCount
        var parts: [UInt8] = []
        var position = offset
        while position < end {
            let run = runLength(at: position, before: end)
            let count = run >= Self.shortestRun ? run : literalLength(at: position, before: end, budget: budget)
            let source = run >= Self.shortestRun
                ? Array(",\(image[position] == 0 ? run : -run)".utf8)
                : [UInt8(ascii: ",")] + PythonLiteral.bytes(image[position..<(position + count)])
            guard source.count <= budget, count > 0 else { break }
            parts += source
            budget -= source.count
            position += count
        }
        let range = offset..<position
        offset = position
        let head = "_nf.w(\(range.lowerBound),\(SHA256.number(of: image[range]))"
        // The source contains only literals, digits and names, so it is always safe to send.
        guard !range.isEmpty, let code = try? PythonCode(bytes: Array(head.utf8) + parts + [UInt8(ascii: ")")]) else {
            return nil
        }
        return HelperPiece(range: range, code: code)
    }

    private func runLength(at position: Int, before end: Int) -> Int {
        let byte = image[position]
        guard byte == 0x00 || byte == 0xFF else { return 0 }
        return image[position..<end].prefix { $0 == byte }.count
    }

    /// As many of the bytes before the next run as fit.
    private func literalLength(at position: Int, before end: Int, budget: Int) -> Int {
        var room = budget - 4  // ,b''
        var index = position
        while index < end, runLength(at: index, before: Swift.min(end, index + Self.shortestRun)) < Self.shortestRun {
            room -= PythonLiteral.cost(of: image[index], before: index + 1 < image.count ? image[index + 1] : nil)
            guard room >= 0 else { break }
            index += 1
        }
        return index - position
    }
}
