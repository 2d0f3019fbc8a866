import Cryptography
import Support
import TestSupport
import Testing

@testable import FPGA
@testable import REPL

@Suite struct FPGAImageTests {
    @Test func aShortImageIsPadded() throws {
        let image = try FPGAImage([1, 2, 3], isChecked: false)
        #expect(image.bytes.count == 444_430)
        #expect(image.bytes[3...].allSatisfy { $0 == 0xFF })
        #expect(image.pageDigests.count == 109)
        #expect(FPGALimits.page(108).count == 2062)
    }

    @Test func wrongSizesAreRefused() {
        #expect(throws: FPGAError.imageEmpty) { try FPGAImage([]) }
        #expect(throws: FPGAError.imageTooLong(byteCount: 444_431)) {
            try FPGAImage([UInt8](repeating: 0, count: 444_431))
        }
        #expect(throws: Never.self) { try FPGAImage([UInt8](repeating: 0, count: 444_430), isChecked: false) }
    }

    @Test func digestIsSHA256() throws {
        // FIPS 180-4, example B.1
        #expect(HexText.encode(SHA256.of(Array("abc".utf8))).hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
    }

    /// Each of its round trips takes two connection intervals.
    @Test func aPlanOfASlowLinkTakesItsRoundTripsLonger() throws {
        let image = try FPGAImage([1, 2, 3], isChecked: false)
        let (quick, slow) = (FPGAPace(of: image), FPGAPace(of: image, interval: 0.03))
        #expect(abs(slow.write - quick.write - 20 * 2 * 0.015) < 1e-9)
        #expect(abs(slow.commit - quick.commit - 15 * 2 * 0.015) < 1e-9)
        #expect(quick.erase == slow.erase)
        #expect((5.0..<30).contains(quick.write), "seconds, not minutes")
        let dense = try FPGAImage([UInt8](repeating: 1, count: FPGALimits.imageByteCount), isChecked: false)
        let rings = Double(FPGALimits.imageByteCount) / 1023
        let (slower, slowest) = (FPGAPace(of: dense, interval: 0.1), FPGAPace(of: dense, interval: 0.2))
        #expect(abs(slowest.write - slower.write - (1.24 * rings * 2 + 20 * 2) * 0.1) < 1e-6, "each filling of the ring takes two events")
        let half = FPGAPace(of: image, from: image.bytes.count / 2)
        #expect(abs((quick.write - 3.4) / 2 - (half.write - 3.4)) < 1e-9)
    }

    @Test func codesAreStable() {
        let errors: [FPGAError] = [
            .imageTooLong(byteCount: 1), .imageEmpty, .verificationFailed(pages: [1]), .writeFailed(""), .commitFailed(marker: ""),
            .notABitstream(reason: ""), .markerStays,
        ]
        #expect(errors.map(\.diagnosis.code) == [1, 2, 3, 4, 5, 8, 9].map { "FPGA-000\($0)" })
        #expect(errors.prefix(2).allSatisfy { $0.diagnosis.category == .badData })
    }
}

@Suite struct FPGAPlanTests {
    private let image: FPGAImage
    private let blank: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]

    init() throws { image = try FPGAImage(developmentImage(seed: 41), isChecked: false) }

    /// As the unit looks at its flash: the edge of a page only when it is asked for.
    private func survey(_ flash: [UInt8], _ marker: [UInt8]) -> FlashState {
        let digests = (0..<FPGALimits.pageCount).map { FPGAImage.digest(of: flash[FPGALimits.page($0)]) }
        let whole = SHA256.of(flash[..<FPGALimits.imageByteCount])
        var survey = FlashState(pageDigests: digests, sha256: whole, marker: marker, counter: nil)
        if let page = FPGAPlan.openPage(survey: survey, image: image) {
            let content = flash[FPGALimits.page(page)]
            let count = (content.lastIndex { $0 != 0xFF }).map { $0 + 1 - content.startIndex } ?? 0
            survey.edge = .init(page: page, byteCount: count, digest: FPGAImage.digest(of: content.prefix(count)))
        }
        return survey
    }

    private func plan(flash: [UInt8], marker: [UInt8]) -> FPGAPlan {
        FPGAPlan(survey: survey(flash, marker), image: image)
    }

    private func written(_ count: Int) -> [UInt8] {
        image.bytes[..<count] + [UInt8](repeating: 0xFF, count: image.bytes.count - count)
    }

    @Test func currentImage() {
        #expect(plan(flash: image.bytes, marker: FPGALimits.marker) == .nothing)
        #expect(plan(flash: image.bytes, marker: blank) == .commit)
        #expect(plan(flash: image.bytes, marker: [0, 0, 0, 0]) == .erase)
    }

    /// The pages' digests are cut short: only the whole one says that nothing is to do.
    @Test func equalPagesAloneAreNotTheImage() {
        var forged = survey(image.bytes, FPGALimits.marker)
        forged.sha256 = SHA256.of([1])
        #expect(FPGAPlan(survey: forged, image: image) == .erase)
        forged.marker = blank
        #expect(FPGAPlan(survey: forged, image: image) == .erase)
    }

    @Test func interruptedAnywhereItResumes() {
        var generator = SeededNumbers(seed: 42)
        for _ in 0..<12 {
            let count = Int.random(in: 0..<439_000, using: &generator)
            guard case .resume(let from) = plan(flash: written(count), marker: blank) else {
                Issue.record("no resume at \(count)")
                continue
            }
            // Bytes of 0xFF at the end of what was written cannot be told from blank flash.
            #expect(from <= count && image.bytes[from..<count].allSatisfy { $0 == 0xFF })
        }
        #expect(plan(flash: written(0), marker: blank) == .resume(from: 0))
    }

    @Test func foreignBytesNeedAnErase() {
        var flash = written(100_000)
        flash[300_000] = 0
        #expect(plan(flash: flash, marker: blank) == .erase)
        flash = written(100_000)
        flash[50_000] ^= 1
        #expect(plan(flash: flash, marker: blank) == .erase)
        #expect(plan(flash: written(100_000), marker: FPGALimits.marker) == .erase)
    }

    @Test func aPieceThatIsThereAlreadyBehindAHoleIsHarmless() {
        var flash = written(8192)
        flash.replaceSubrange(FPGALimits.page(50), with: image.bytes[FPGALimits.page(50)])
        #expect(plan(flash: flash, marker: blank) == .resume(from: 8192))
    }

    @Test func anEdgeIsAskedForOnlyWhereItDecides() {
        #expect(survey(written(10_000), blank).edge?.page == 2)
        #expect(survey(written(8192), blank).edge == nil)
        #expect(survey(image.bytes, blank).edge == nil)
        #expect(survey(written(10_000), FPGALimits.marker).edge == nil)
    }

    @Test func edgesAreNotTrusted() {
        var survey = survey(written(10_000), blank)
        let honest = survey.edge
        #expect(FPGAPlan(survey: survey, image: image) == .resume(from: 10_000))
        for edge in [nil, .init(page: 3, byteCount: 1808, digest: 0), .init(page: 2, byteCount: -1, digest: 0),
                     .init(page: 2, byteCount: 4097, digest: 0), .init(page: 2, byteCount: 1807, digest: honest?.digest ?? 0),
                     FlashState.Edge(page: 2, byteCount: .max, digest: 0)] as [FlashState.Edge?] {
            survey.edge = edge
            #expect(FPGAPlan(survey: survey, image: image) == .erase)
        }
    }

    @Test func shortSurveysAreNotTrusted() {
        #expect(FPGAPlan(survey: FlashState(pageDigests: [], sha256: [], marker: [], counter: nil), image: image) == .erase)
    }
}

@Suite struct FPGAChunkEncoderTests {
    /// Decodes as the helper on the unit does, from the facts of Python's literals.
    private func decode(_ chunk: HelperPiece) -> [UInt8]? {
        var scanner = LiteralScanner(chunk.code.bytes.dropFirst("_nf.w(".utf8.count))
        guard scanner.number() == chunk.range.lowerBound, scanner.skip(","), let check = scanner.number() else { return nil }
        var bytes: [UInt8] = []
        while scanner.skip(",") {
            if let run = scanner.number() {
                bytes += [UInt8](repeating: run > 0 ? 0 : 0xFF, count: abs(run))
            } else if let literal = scanner.literal() {
                bytes += literal
            } else {
                return nil
            }
        }
        return scanner.skip(")") && Int(SHA256.number(of: bytes)) == check ? bytes : nil
    }

    @Test func chunksMakeUpTheImageWithinTheirLimits() throws {
        var generator = SeededNumbers(seed: 51)
        let contents = [
            developmentImage(seed: 52), generator.bytes(count: 30_000), [UInt8](repeating: 0, count: 444_430),
            (0..<40_000).map { _ in UInt8(ascii: "'") }, (0..<40_000).map { $0 % 2 == 0 ? 0 : 0x31 }, [7],
        ]
        for content in contents {
            let image = try FPGAImage(content, isChecked: false)
            var position = 0
            for chunk in FPGAChunkEncoder(image: image, from: 0) {
                #expect(chunk.range.lowerBound == position)
                #expect(chunk.range.count <= FPGALimits.maximumChunkByteCount)
                #expect(chunk.code.bytes.count <= PythonCode.maximumPipelinedByteCount)
                #expect(decode(chunk) == Array(image.bytes[chunk.range]))
                position = chunk.range.upperBound
            }
            #expect(position == FPGALimits.imageByteCount)
        }
    }

    /// A literal that leaves room for no more than a few bytes, before a run that takes more.
    @Test(arguments: 455...475) func aRunBehindAFullLiteralWaits(literalByteCount: Int) throws {
        for byte: UInt8 in [0x00, 0xFF] {
            var content = [UInt8](repeating: byte, count: 105_000)
            content.replaceSubrange(100_000..<(100_000 + literalByteCount), with: repeatElement(UInt8(ascii: "a"), count: literalByteCount))
            let image = try FPGAImage(content, isChecked: false)
            let chunk = try #require(FPGAChunkEncoder(image: image, from: 100_000).first { _ in true })
            #expect(chunk.code.bytes.count <= PythonCode.maximumPipelinedByteCount)
        }
    }

    @Test func itBeginsAnywhere() throws {
        let image = try FPGAImage(developmentImage(seed: 53), isChecked: false)
        for offset in [1, 127, 444_429] {
            #expect(FPGAChunkEncoder(image: image, from: offset).first { _ in true }?.range.lowerBound == offset)
        }
        #expect(Array(FPGAChunkEncoder(image: image, from: 444_430)).isEmpty)
    }

    @Test func zerosAreCheap() throws {
        let image = try FPGAImage(developmentImage(seed: 54), isChecked: false)
        let sourceByteCount = FPGAChunkEncoder(image: image, from: 0).reduce(0) { $0 + $1.code.bytes.count + 1 }
        #expect(sourceByteCount < image.bytes.count * 6 / 10)
    }
}

/// Reads numbers and `bytes` literals of Python.
private struct LiteralScanner {
    private var rest: ArraySlice<UInt8>

    init(_ source: ArraySlice<UInt8>) { rest = source }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func number() -> Int? {
        let digits = rest.prefix { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        guard let value = Int(String(decoding: digits, as: UTF8.self)) else { return nil }
        rest = rest.dropFirst(digits.count)
        return value
    }

    mutating func literal() -> [UInt8]? {
        guard skip("b"), let quote = rest.popFirst() else { return nil }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == quote { return bytes }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            let octal = rest.prefix(3).prefix { (0x30...0x37).contains($0) }
            if octal.isEmpty {
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped == UInt8(ascii: "n") ? 10 : escaped == UInt8(ascii: "r") ? 13 : escaped)
            } else {
                bytes.append(octal.reduce(0) { $0 * 8 + $1 - 0x30 })
                rest = rest.dropFirst(octal.count)
            }
        }
        return nil
    }
}

