import REPL

/// Sends image bytes to the helper on the unit, through the REPL. The data characteristic is unsuitable: the firmware allocates
/// each of its packets in the radio's interrupt, which never returns when the heap is full (monocle-micropython, `main.c`).
protocol FPGATransport: Sendable {
    /// Writes the image from `offset`, the helper's counter, to its end. Repeats after a transient error.
    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws

    /// Computes what a write needs, while the unit is busy otherwise.
    func prepare(_ image: FPGAImage) async

    /// Another way, if there is one.
    var fallback: (any FPGATransport)? { get }

    /// Why this way is closed, in an operator's words; `nil` while trying again may help.
    func reasonToLeave(_ error: any Error) -> String?
}

extension FPGATransport {
    func prepare(_ image: FPGAImage) async {}
    var fallback: (any FPGATransport)? { nil }
    func reasonToLeave(_ error: any Error) -> String? { nil }
}

/// As Python source, several commands in flight. Works wherever the helper works.
struct LiteralTransport: FPGATransport {
    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        let pieces = Array(FPGAChunkEncoder(image: image, from: offset))
        try await session.send(pieces, position: FlashHelper.counter(from:), onProgress: onProgress)
    }
}
