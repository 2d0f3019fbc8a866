import Cryptography
import REPL
import Support
import Synchronization

/// Sends coded pieces that the helper reads straight from the REPL's input: no source, no lexer, no escapes.
struct InputTransport: FPGATransport {
    /// The book takes 11 kB, a piece under way 3 kB.
    private static let leastFreeByteCount = 17_000
    /// Longer than the unit is ever silent between two pieces: collecting and programming take 20 ms.
    private static let leastPatience = Duration.milliseconds(300)
    private static let partByteCount = 130

    var fallback: (any FPGATransport)? { LiteralTransport() }

    func reasonToLeave(_ error: any Error) -> String? {
        switch error {
        case REPLError.lacking: InputPiece.isLacking
        case let error as REPLError where error.isOutOfMemory: InputPiece.isShort
        case TooLittleMemory.free(let count): InputPiece.isShort(of: count)
        default: nil
        }
    }

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        let book = book(for: image)
        // A book that was cut short says nothing about the way.
        try await session.retrying({ _ in }) { try await upload(book, through: session) }
        let pieces = ImagePiece.pieces(of: image.bytes, from: offset, in: book)
        let answer = try await session.feed("go()", pieces.map(\.bytes), patience: Self.leastPatience) { readCount in
            if readCount > 0 { onProgress(pieces[min(readCount, pieces.count) - 1].range.upperBound) }
        }
        guard try FlashHelper.counter(from: answer) == image.bytes.count else { throw REPLError.garbage("the end of the image") }
    }

    func prepare(_ image: FPGAImage) async { _ = book(for: image) }

    func book(for image: FPGAImage) -> PhraseBook { SharedBook.last.book(for: image) }

    /// - Throws: ``TooLittleMemory``, and ``REPLError/lacking(_:)`` where the firmware's Python cannot read its input.
    func upload(_ book: PhraseBook, through session: HelperSession) async throws {
        let parts = Self.parts(of: book.listing)
        let mark = SHA256.number(of: parts.joined(), byteCount: 3)
        if try await session.using({ try await session.ask("kept(\(mark))") }) == "1" { return }
        var free = try await Self.freeBytes(session)
        if free < Self.leastFreeByteCount {
            // What an interrupted program still holds goes with its interpreter, and with it the helper, but not the firmware's counter.
            guard let counter = try FlashHelper.counter(from: await session.ask("at()")) else { throw RetryReason.counterUnknown }
            try await session.repl.softReset(within: HelperSession.recoveryTimeout)
            try await session.ensure()
            try await session.tell("n=\(counter)")
            free = try await Self.freeBytes(session)
        }
        guard free >= Self.leastFreeByteCount else { throw TooLittleMemory.free(free) }
        let commands = try parts.map { try PythonCode(bytes: Array("_nf.t(".utf8) + PythonLiteral.bytes($0) + [UInt8(ascii: ")")]) }
        try await session.repl.pipeline(commands + [PythonCode("_nf.keep(\(mark))")], within: session.patience) { _, _ in }
        guard try await session.ask("kept(\(mark))") == "1" else { throw REPLError.garbage("the phrases") }
    }

    private static func freeBytes(_ session: HelperSession) async throws -> Int {
        let text = try await session.asking(for: "sys.stdin.readinto") { try await session.ask("free()") }
        guard let count = Int(text), count >= 0 else { throw REPLError.unreadable(text) }
        return count
    }

    /// Whole entries, as many as fit a command.
    private static func parts(of listing: [[UInt8]]) -> [[UInt8]] {
        listing.reduce(into: [[]]) { parts, entry in
            if parts[parts.count - 1].count + entry.count > partByteCount { parts.append([]) }
            parts[parts.count - 1] += entry
        }
    }
}

enum TooLittleMemory: Error {
    case free(Int)
}

/// Choosing the phrases takes a while: an interrupted write goes on with the same ones, and so do the other units of a fleet.
private final class SharedBook: Sendable {
    static let last = SharedBook()

    private let kept = Mutex<(image: [UInt8], book: PhraseBook)?>(nil)

    func book(for image: FPGAImage) -> PhraseBook {
        kept.withLock { kept in
            if let kept, kept.image == image.sha256 { return kept.book }
            let book = PhraseBook(for: image.bytes)
            kept = (image.sha256, book)
            return book
        }
    }
}
