import Bluetooth
import Support

extension LuaREPL {
    /// Messages by which a Frame's program reports the version of its scripts (Noa for iOS, branch `bart/frame`).
    private static let (versionRequest, versionMessage): (UInt8, UInt8) = (0x17, 0x18)
    private static let announcementTimeout = Duration.seconds(3)
    /// The question or its answer may be lost on the way.
    private static let (requestTimeout, requestInterval) = (Duration.seconds(2), Duration.milliseconds(400))
    package static let programTimeout = announcementTimeout + requestTimeout
    /// An error right after the announcement still counts.
    private static let aftermath = Duration.milliseconds(300)
    private static let versionLimit = 160

    /// Restarts Lua and listens to the program; asks it for its version if that does not arrive unasked. A program that does not know the
    /// question may fail on it. The session is then out of step.
    /// - Returns: the version, untrusted but printable; `nil` when neither a version nor an error arrived.
    /// - Throws: ``REPLError/lua(_:)`` for the error that ended the program.
    public func startProgram(within: Duration) async throws -> String? {
        try await reset(within: within)
        if let version = try await awaitVersion(before: clock.deadline(in: Self.announcementTimeout)) { return version }
        let end = clock.deadline(in: Self.requestTimeout)
        while clock.now < end {
            try await writer.send([LuaSignal.message, Self.versionRequest], deadline: clock.deadline(in: within))
            if let version = try await awaitVersion(before: min(end, clock.deadline(in: Self.requestInterval))) { return version }
        }
        return nil
    }

    /// Delivers a print that waits while a program runs, so that the unit prints `word` as soon as the program has ended. The unit
    /// holds only the last such command (frame-codebase, `luaport.c`). What it had sent before has come then.
    public func knock(_ word: String, within: Duration) async throws {
        try await writer.deliver(Array("print(\"\(word)\")".utf8), deadline: clock.deadline(in: within))
    }

    private func awaitVersion(before deadline: SessionClock.Instant) async throws -> String? {
        var version: String?
        var end = deadline
        while clock.now < end, let notification = try await next(before: end) {
            switch notification {
            case .message(let bytes) where bytes.first == Self.versionMessage && version == nil:
                version = PrintableText.of(bytes.dropFirst().prefix(Self.versionLimit))
                end = clock.deadline(in: Self.aftermath)
            case .text(let bytes):
                let exception = LuaException(bytes)
                if exception.endsProgram { throw REPLError.lua(exception) }
            case .message: continue
            }
        }
        return version
    }
}
