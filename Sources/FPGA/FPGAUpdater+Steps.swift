import Cryptography
import REPL
import Support

extension FPGAUpdater {
    private static let skipByteCount = 32 * 1024

    /// Whether asking the unit again can help: something was lost or damaged on the way.
    private static func isTransient(_ error: any Error) -> Bool {
        switch error {
        case REPLError.exception(let exception):
            !["NameError", "ValueError", "OSError"].contains { exception.lastLine.hasPrefix($0) }
        case REPLError.timedOut, REPLError.garbage, REPLError.outOfStep: true
        case REPLError.unreadable, FPGAError.answerUnreadable, RetryReason.chunkRefused: true
        default: false
        }
    }

    /// Repeats a step that may be repeated, after getting back to the prompt.
    func retrying<Value>(_ onEvent: (FPGAEvent) -> Void, _ step: () async throws -> Value) async throws -> Value {
        do {
            return try await step()
        } catch where Self.isTransient(error) {
            onEvent(.notice("an answer was lost; asking again"))
            try await repl.recover(within: timing.recovery)
        }
        return try await step()
    }

    func survey(_ onEvent: (FPGAEvent) -> Void) async throws -> FlashState {
        try await retrying(onEvent) { try await probe.survey(for: image) }
    }

    static let stopCode = "import fpga\nfpga.run(False)"

    /// The FPGA shares the flash; it starts again with the unit.
    func stopFPGA(_ onEvent: (FPGAEvent) -> Void) async throws {
        try await retrying(onEvent) {
            _ = try await repl.runText(Self.stopCode, using: "fpga.run", within: timing.command)
        }
    }

    func erase(_ onEvent: (FPGAEvent) -> Void) async throws {
        try await retrying(onEvent) {
            try await helper.ensure()
            let counter = try FlashHelper.counter(from: await helper.ask("erase()", within: timing.erase))
            guard counter == 0 else { throw RetryReason.counterUnknown }
        }
    }

    /// Gets the unit's write counter to where writing may go on, by writing 0xFF, which changes nothing.
    ///
    /// Without a helper that knows the counter it is taken to be 0, as after a restart. Should it be anything else, the firmware
    /// refuses to write past the end, or the first piece does not read back where it belongs.
    /// - Returns: where to go on.
    func advance(
        to target: Int, from counter: Int?, budget: inout UpdateBudget, _ onEvent: (FPGAEvent) -> Void
    ) async throws -> Int {
        if let counter, counter > target {
            guard counter <= image.bytes.count, image.bytes[target..<counter].allSatisfy({ $0 == 0xFF }) else {
                throw RetryReason.counterUnknown
            }
            return counter
        }
        if counter == nil { _ = try await retrying(onEvent) { try await helper.ask("guess()", within: timing.command) } }
        try await skip(from: counter ?? 0, to: target, onEvent)
        return counter == nil ? try await checkGuess(at: target, budget: &budget, onEvent) : target
    }

    private func skip(from start: Int, to target: Int, _ onEvent: (FPGAEvent) -> Void) async throws {
        var position = start
        while position < target {
            let end = min(position + Self.skipByteCount, target)
            let offset = position
            let counter = try await retrying(onEvent) {
                try FlashHelper.counter(from: await helper.ask("skip(\(offset),\(end))", within: timing.read))
            }
            guard counter == end else { throw RetryReason.counterUnknown }
            position = end
        }
    }

    /// Writes pieces one by one until one of them can be told from blank flash, and reads that one back.
    private func checkGuess(
        at target: Int, budget: inout UpdateBudget, _ onEvent: (FPGAEvent) -> Void
    ) async throws -> Int {
        var position = target
        for chunk in FPGAChunkEncoder(image: image, from: target) {
            // A piece whose answer was lost is not sent again: the helper then stands behind it.
            let counter = try await retrying(onEvent) { () async throws -> Int? in
                if try await helper.counter() == chunk.range.lowerBound { _ = try await repl.run(chunk.code, within: timing.command) }
                return try await helper.counter()
            }
            guard counter == chunk.range.upperBound else { throw RetryReason.counterUnknown }
            position = chunk.range.upperBound
            budget.bytesWritten += chunk.range.count
            let content = image.bytes[chunk.range]
            if content.allSatisfy({ $0 == 0xFF }) { continue }
            let call = "say(_nf.part(\(chunk.range.lowerBound),\(chunk.range.upperBound)))"
            let digest = try await retrying(onEvent) { try await helper.askSafely(call, within: timing.command) }
            guard digest == HexText.encode(SHA256.of(content).prefix(FPGALimits.pageDigestByteCount)) else {
                throw RetryReason.counterUnknown
            }
            return position
        }
        return position
    }

    /// Writes the rest of the image; after each loss it goes on from where the helper says it stands.
    func write(from start: Int, budget: inout UpdateBudget, _ onEvent: (FPGAEvent) -> Void) async throws {
        var position = start
        var fruitlessAttempts = 0
        onEvent(.writing(bytesDone: position, bytesTotal: image.bytes.count))
        while position < image.bytes.count {
            let begin = position
            do {
                try await transport.write(image, from: begin, through: repl) { confirmed in
                    position = confirmed
                    onEvent(.writing(bytesDone: confirmed, bytesTotal: image.bytes.count))
                }
                budget.bytesWritten += image.bytes.count - begin
                position = image.bytes.count
            } catch where Self.isTransient(error) {
                position = try await standing(onEvent)
                budget.bytesWritten += max(0, position - begin)
                fruitlessAttempts = position > begin ? 0 : fruitlessAttempts + 1
                guard fruitlessAttempts < 2 else { throw FPGAError.writeFailed("no piece gets through at byte \(position)") }
                onEvent(.notice("data was lost on the way; going on at byte \(position)"))
            }
        }
    }

    private func standing(_ onEvent: (FPGAEvent) -> Void) async throws -> Int {
        let counter = try await retrying(onEvent) {
            try await repl.recover(within: timing.recovery)
            return try await helper.counter()
        }
        guard let counter, counter <= image.bytes.count else { throw RetryReason.counterUnknown }
        return counter
    }

    func prove(_ onEvent: (FPGAEvent) -> Void) async throws {
        let digest = try await retrying(onEvent) {
            try await probe.digest { onEvent(.proving(bytesDone: $0, bytesTotal: image.bytes.count)) }
        }
        if digest == image.sha256 { return }
        let survey = try await survey(onEvent)
        throw RetryReason.flashDiffers(pages: survey.differingPages(from: image))
    }

    func commit(_ onEvent: (FPGAEvent) -> Void) async throws {
        onEvent(.committing)
        try await retrying(onEvent) { _ = try await helper.ask("done()", within: timing.command) }
        let marker = try await retrying(onEvent) { try await helper.askSafely("mark()", within: timing.command) }
        guard marker == HexText.encode(FPGALimits.marker) else { throw FPGAError.commitFailed(marker: marker) }
    }
}
