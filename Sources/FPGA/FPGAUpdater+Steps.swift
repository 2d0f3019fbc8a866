import Cryptography
import REPL
import Support

enum RetryReason: Error, Hashable {
    /// Only an erase makes the write counter known again.
    case counterUnknown
    case flashDiffers(pages: [Int])

    var explanation: String {
        switch self {
        case .counterUnknown: "the unit does not know where it stopped writing"
        case .flashDiffers(let pages): "\(pages.count) pages of the flash differ from what was written"
        }
    }
}

extension FPGAUpdater {
    private static let skipByteCount = 32 * 1024

    func retrying<Value>(_ onEvent: (FPGAEvent) -> Void, _ step: () async throws -> Value) async throws -> Value {
        try await session.retrying({ onEvent(.notice($0)) }, step)
    }

    func survey(_ onEvent: (FPGAEvent) -> Void) async throws -> FlashState {
        try await retrying(onEvent) { try await probe.survey(for: image) }
    }

    static let stopCode = "import fpga\nfpga.run(False)"

    /// The FPGA shares the flash. It starts again with the unit.
    package func stopFPGA(_ onEvent: (FPGAEvent) -> Void) async throws {
        try await retrying(onEvent) {
            _ = try await session.repl.runText(Self.stopCode, using: "fpga.run", within: session.patience)
        }
    }

    package func erase(_ onEvent: (FPGAEvent) -> Void) async throws {
        onEvent(.erasing)
        try await retrying(onEvent) {
            let answer = try await session.using { try await session.perform("erase()", within: FlashHelper.eraseTimeout) }
            guard try FlashHelper.counter(from: answer) == 0 else { throw RetryReason.counterUnknown }
        }
    }

    /// Advances the unit's write counter to `target` by writing 0xFF, which changes nothing. An unknown counter is assumed to
    /// be 0, as after a restart. If the assumption is wrong, the firmware refuses to write past the end, or the first piece
    /// does not read back.
    func advance(to target: Int, from counter: Int?, _ onEvent: (FPGAEvent) -> Void) async throws -> Int {
        if let counter, counter > target {
            guard counter <= image.bytes.count, image.bytes[target..<counter].allSatisfy({ $0 == 0xFF }) else {
                throw RetryReason.counterUnknown
            }
            return counter
        }
        if counter == nil { _ = try await retrying(onEvent) { try await session.perform("guess()") } }
        for start in stride(from: counter ?? 0, to: target, by: Self.skipByteCount) {
            let end = min(start + Self.skipByteCount, target)
            let answer = try await retrying(onEvent) {
                try FlashHelper.counter(from: await session.perform("skip(\(start),\(end))", within: FlashHelper.readTimeout))
            }
            guard answer == end else { throw RetryReason.counterUnknown }
        }
        return counter == nil ? try await checkGuess(at: target, onEvent) : target
    }

    /// Writes pieces one at a time until one is distinguishable from blank flash, then reads that one back.
    private func checkGuess(at target: Int, _ onEvent: (FPGAEvent) -> Void) async throws -> Int {
        var position = target
        for chunk in FPGAChunkEncoder(image: image, from: target) {
            // A piece whose answer was lost is not sent again: the helper may already have written it.
            let counter = try await retrying(onEvent) { () async throws -> Int? in
                if try await helper.counter() == chunk.range.lowerBound {
                    _ = try await session.repl.run(chunk.code, within: session.patience)
                }
                return try await helper.counter()
            }
            guard counter == chunk.range.upperBound else { throw RetryReason.counterUnknown }
            position = chunk.range.upperBound
            let content = image.bytes[chunk.range]
            if content.allSatisfy({ $0 == 0xFF }) { continue }
            let call = "say(_nf.part(\(chunk.range.lowerBound),\(position)))"
            let digest = try await retrying(onEvent) { try await session.ask(call) }
            guard digest == HexText.encode(SHA256.of(content).prefix(FPGALimits.pageDigestByteCount)) else {
                throw RetryReason.counterUnknown
            }
            break
        }
        return position
    }

    package func write(from start: Int, _ onEvent: (FPGAEvent) -> Void) async throws {
        var transport = transport
        var position = start
        var fruitlessAttempts = 0
        onEvent(.writing(bytesDone: position, bytesTotal: image.bytes.count))
        while position < image.bytes.count {
            let begin = position
            do {
                try await transport.write(image, from: begin, through: session) {
                    onEvent(.writing(bytesDone: $0, bytesTotal: image.bytes.count))
                }
                return
            } catch where session.isTransient(error) || transport.reasonToLeave(error) != nil {
                position = try await standing(onEvent)
                fruitlessAttempts = position > begin ? 0 : fruitlessAttempts + 1
                let reason = transport.reasonToLeave(error) ?? (fruitlessAttempts == 2 ? "it failed twice at byte \(position)" : nil)
                if let reason, let other = transport.fallback {
                    onEvent(.notice("the image goes as Python text from here on, which takes longer: \(reason)"))
                    (transport, fruitlessAttempts) = (other, 0)
                    continue
                }
                guard fruitlessAttempts < 2 else { throw FPGAError.writeFailed("no piece gets through at byte \(position)") }
                onEvent(.notice("data was lost on the way; going on at byte \(position)"))
            }
        }
    }

    private func standing(_ onEvent: (FPGAEvent) -> Void) async throws -> Int {
        let counter = try await retrying(onEvent) {
            if !session.repl.isInStep { try await session.repl.recover(within: HelperSession.recoveryTimeout) }
            return try await helper.counter()
        }
        guard let counter, counter <= image.bytes.count else { throw RetryReason.counterUnknown }
        return counter
    }

    func verify(_ onEvent: (FPGAEvent) -> Void) async throws {
        let digest = try await retrying(onEvent) {
            try await probe.digest(by: session) { onEvent(.verifying(bytesDone: $0, bytesTotal: image.bytes.count)) }
        }
        if digest == image.sha256 { return }
        throw RetryReason.flashDiffers(pages: try await survey(onEvent).differingPages(from: image))
    }

    func commit(_ onEvent: (FPGAEvent) -> Void) async throws {
        onEvent(.committing)
        try await retrying(onEvent) { _ = try await session.perform("done()") }
        let marker = try await retrying(onEvent) { try await session.ask("mark()") }
        guard marker == HexText.encode(FPGALimits.marker) else { throw FPGAError.commitFailed(marker: marker) }
    }
}
