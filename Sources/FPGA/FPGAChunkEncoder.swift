import Cryptography
import REPL

/// One write command: what the helper decodes from it are the image's bytes `range`.
struct FPGAChunk: Sendable, Hashable {
    let range: Range<Int>
    let code: PythonCode
}

/// Cuts an image into write commands that fit the unit's ring, with runs of 0x00 and 0xFF as numbers.
///
/// A command reads `_nf.w(offset,check,b'literal',300,b'literal',-40)`: positive numbers are runs of 0x00, negative ones of 0xFF. More
/// than half of a real image is zeros.
struct FPGAChunkEncoder: Sequence, IteratorProtocol {
    /// `_nf.w(` 6, offset 6, comma, check 10, closing parenthesis.
    private static let frameByteCount = 24
    /// A number splits a literal: `',` 4 digits and sign `,b'`; a shorter run is cheaper inside the literal.
    private static let shortestRun = 8

    private let image: [UInt8]
    private var offset: Int

    init(image: FPGAImage, from offset: Int) {
        self.image = image.bytes
        self.offset = offset
    }

    mutating func next() -> FPGAChunk? {
        guard offset < image.count else { return nil }
        let end = Swift.min(image.count, offset + FPGALimits.maximumChunkByteCount)
        var budget = PythonCode.maximumPipelinedByteCount - Self.frameByteCount
        var parts: [UInt8] = []
        var position = offset
        while position < end {
            let run = runLength(at: position, before: end)
            let part = run >= Self.shortestRun
                ? number(of: run, at: position) : literal(at: position, before: end, budget: budget)
            guard part.source.count <= budget, part.byteCount > 0 else { break }
            parts += part.source
            budget -= part.source.count
            position += part.byteCount
        }
        let range = offset..<position
        offset = position
        let head = "_nf.w(\(range.lowerBound),\(SHA256.number(of: image[range]))"
        // The source holds nothing but literals, digits and names, so it is always fit to travel.
        guard !range.isEmpty, let code = try? PythonCode(bytes: Array(head.utf8) + parts + [UInt8(ascii: ")")]) else {
            return nil
        }
        return FPGAChunk(range: range, code: code)
    }

    private struct Part {
        var source: [UInt8]
        var byteCount: Int
    }

    private func runLength(at position: Int, before end: Int) -> Int {
        let byte = image[position]
        guard byte == 0x00 || byte == 0xFF else { return 0 }
        return image[position..<end].prefix { $0 == byte }.count
    }

    private func number(of run: Int, at position: Int) -> Part {
        Part(source: Array(",\(image[position] == 0 ? run : -run)".utf8), byteCount: run)
    }

    /// As much as fits of the bytes up to the next run.
    private func literal(at position: Int, before end: Int, budget: Int) -> Part {
        var room = budget - 4  // ,b''
        var count = 0
        while position + count < end {
            let index = position + count
            if runLength(at: index, before: Swift.min(end, index + Self.shortestRun)) >= Self.shortestRun { break }
            room -= PythonLiteral.cost(of: image[index], before: index + 1 < image.count ? image[index + 1] : nil)
            guard room >= 0 else { break }
            count += 1
        }
        let value = image[position..<(position + count)]
        return Part(source: count == 0 ? [] : [UInt8(ascii: ",")] + PythonLiteral.bytes(value), byteCount: count)
    }
}
