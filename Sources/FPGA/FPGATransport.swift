import REPL

/// A way for image bytes to get to the helper on the unit, through the REPL. The data characteristic is none: the firmware
/// allocates each of its packets in the radio's interrupt, which a full heap never lets return (monocle-micropython, `main.c`).
public protocol FPGATransport: Sendable {
    /// Has the helper write the image from `offset`, where its counter stands, to its end.
    ///
    /// It may give up at any point by throwing: the updater then asks the helper where it stands and calls again. The helper has
    /// to check offset and checksum of each piece before it writes.
    /// - Parameter onProgress: the counter that the helper confirmed last.
    func write(
        _ image: FPGAImage, from offset: Int, through repl: PythonREPL, onProgress: (Int) -> Void
    ) async throws
}

/// Write commands through the raw REPL, several in flight.
struct LiteralTransport: FPGATransport {
    let within: Duration

    func write(
        _ image: FPGAImage, from offset: Int, through repl: PythonREPL, onProgress: (Int) -> Void
    ) async throws {
        let chunks = Array(FPGAChunkEncoder(image: image, from: offset))
        try await repl.pipeline(chunks.lazy.map(\.code), within: within) { index, answer in
            let counter = try FlashHelper.counter(from: CheckedAnswer.decode(answer))
            guard let counter, counter == chunks[index].range.upperBound else { throw RetryReason.chunkRefused }
            onProgress(counter)
        }
    }
}

/// Why the updater has to look again at what the unit holds.
enum RetryReason: Error, Hashable {
    /// The helper did not take a piece: something was lost before it, or it arrived damaged.
    case chunkRefused
    /// Only an erase makes the write counter known again.
    case counterUnknown
    case flashDiffers(pages: [Int])
}
