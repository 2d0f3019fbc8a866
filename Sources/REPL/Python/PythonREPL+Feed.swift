import Bluetooth
import Support
import Synchronization

extension PythonREPL {
    /// To hear that a helper swallows its input.
    private static let surrenderTimeout = Duration.milliseconds(400)

    package var piecePacketByteCount: Int { PieceStream.packetByteCount(for: payloadSize) }

    /// Runs code that reads pieces of data from its input, and sends them as it reads.
    ///
    /// If it falls silent or gives up, it is interrupted. The session stays in step if that is answered; otherwise the code swallows
    /// input until ``recover(within:)`` ends it.
    /// - Parameters:
    ///   - patience: from one sign that a piece was read to the next.
    ///   - limit: to start, to end, and for one packet.
    ///   - onRead: how many pieces were read.
    /// - Returns: what the code printed in all.
    package func feed(
        _ code: PythonCode, _ pieces: some Sequence<[UInt8]>, patience: Duration, within limit: Duration, onRead: (Int) -> Void
    ) async throws -> [UInt8] {
        try begin(RawREPLMachine(inFlight: 1))
        try await send(bytes: code.bytes + [Control.execute], before: clock.deadline(in: limit))
        var feed = Feed(stream: PieceStream(pieces))
        var deadline = clock.deadline(in: limit)
        while true {
            while let bytes = inbox.poll() {
                if try take(bytes, into: &feed, onRead) { deadline = clock.deadline(in: feed.stream.isAtEnd ? limit : patience) }
                if let output = try await end(of: &feed) { return output }
            }
            let packet = feed.isRunning ? feed.stream.nextPacket(atMost: piecePacketByteCount) : []
            if !packet.isEmpty {
                try await writer.send(packet, deadline: clock.deadline(in: limit))
                if feed.stream.isAtEnd { deadline = clock.deadline(in: limit) }
            } else if let bytes = try await inbox.next(before: deadline, on: clock) {
                if try take(bytes, into: &feed, onRead) { deadline = clock.deadline(in: feed.stream.isAtEnd ? limit : patience) }
                if let output = try await end(of: &feed) { return output }
            } else {
                try await awaitSurrender(&feed)
                if feed.stream.hasSurrendered { try await settle(&feed) }
                throw REPLError.timedOut("the unit to read what it was sent")
            }
        }
    }

    private struct Feed {
        var stream: PieceStream
        var isRunning = false
        var output: [UInt8] = []
        /// `nil` while the code runs.
        var traceback: [UInt8]?
    }

    /// - Returns: whether anything is new.
    private func take(_ bytes: [UInt8], into feed: inout Feed, _ onRead: (Int) -> Void) throws -> Bool {
        var isNew = false
        for event in try state.withLock({ try $0.machine.receive(bytes) }) {
            switch event {
            case .accepted: (feed.isRunning, isNew) = (true, true)
            case .printed(let bytes):
                feed.output += bytes
                guard feed.stream.receive(bytes) else { continue }
                isNew = true
                onRead(feed.stream.readCount)
            case .answered(let traceback): feed.traceback = traceback
            }
        }
        return isNew
    }

    /// - Returns: `nil` while the code runs.
    private func end(of feed: inout Feed) async throws -> [UInt8]? {
        guard let traceback = feed.traceback else {
            guard feed.stream.hasSurrendered else { return nil }
            try await settle(&feed)
            throw REPLError.garbage("the check of a piece")
        }
        let hasRaised = !traceback.isEmpty
        state.withLock { state in
            state.isInStep = true
            if hasRaised { state.forgetHelpers() }
        }
        if hasRaised { throw REPLError.exception(PythonException(standardError: traceback)) }
        guard feed.stream.isAtEnd, !feed.stream.hasSurrendered else { throw REPLError.garbage("the end of its input") }
        return feed.output
    }

    /// Something was lost, and both sides wait: the helper is interrupted, so that the next interrupt finds it swallowing.
    private func awaitSurrender(_ feed: inout Feed) async throws {
        let deadline = clock.deadline(in: Self.surrenderTimeout)
        try await send(bytes: [Control.interrupt], before: deadline)
        while !feed.stream.hasSurrendered, feed.traceback == nil, let bytes = try await inbox.next(before: deadline, on: clock) {
            _ = try take(bytes, into: &feed) { _ in }
        }
    }

    /// Ends a helper that swallows its input.
    private func settle(_ feed: inout Feed) async throws {
        // It has to swallow what is under way: what comes after the interrupt is for the prompt.
        try await clock.sleep(until: clock.deadline(in: roundTrip))
        let deadline = clock.deadline(in: Self.surrenderTimeout)
        try await send(bytes: [Control.interrupt], before: deadline)
        while feed.traceback == nil, let bytes = try await inbox.next(before: deadline, on: clock) {
            _ = try take(bytes, into: &feed) { _ in }
        }
        guard feed.traceback?.isEmpty == true else { return }
        // An interrupt leaves a byte in the ring, which is in the prompt's line by now (monocle-micropython, `main.c`).
        try await send(bytes: [Control.interrupt], before: deadline)
        state.withLock { $0.isInStep = true }
    }
}
