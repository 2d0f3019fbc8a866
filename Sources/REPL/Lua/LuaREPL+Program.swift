import Bluetooth
import Support

/// How a program that was started has shown itself.
public enum LuaProgramSign: Sendable, Hashable {
    /// It has told its version: untrusted, but printable.
    case version(String)
    /// Neither a version nor an error came.
    case silent
}

/// The messages by which a Frame's program tells the version of its scripts (Noa for iOS, branch `bart/frame`).
public enum LuaProgramMessage {
    static let versionRequest: UInt8 = 0x17
    static let version: UInt8 = 0x18
}

extension LuaREPL {
    /// A program tells its version by itself when it is ready.
    private static let announcementTimeout = Duration.seconds(3)
    private static let requestTimeout = Duration.seconds(2)
    /// How long ``startProgram(asks:within:)`` listens.
    package static let programTimeout = announcementTimeout + requestTimeout
    /// An error right after the announcement still counts.
    private static let aftermath = Duration.milliseconds(300)
    private static let versionLimit = 160

    /// Restarts Lua and listens to the program. The session is then out of step.
    /// - Parameters:
    ///   - asks: asks for the version when it does not come by itself. A program that does not know the question may fail of it.
    ///   - within: for the restart; the program then has 5 s.
    /// - Throws: ``REPLError/lua(_:)`` for the error that ended it; ``REPLError``, `LinkError`.
    public func startProgram(asks: Bool, within: Duration) async throws -> LuaProgramSign {
        try await reset(within: within)
        if let version = try await awaitVersion(before: clock.deadline(in: Self.announcementTimeout)) { return version }
        guard asks else { return .silent }
        try await send([LuaProgramMessage.versionRequest], within: within)
        return try await awaitVersion(before: clock.deadline(in: Self.requestTimeout)) ?? .silent
    }

    /// Sends a print that waits while a program runs: the unit says the word as soon as the program has ended. It holds one such
    /// command, the last one (frame-codebase, `luaport.c`).
    public func knock(_ word: String, within: Duration) async throws {
        try await channel.send(Array("print(\"\(word)\")".utf8), deadline: clock.deadline(in: within))
    }

    private func awaitVersion(before deadline: SessionClock.Instant) async throws -> LuaProgramSign? {
        var sign: LuaProgramSign?
        var end = deadline
        while clock.now < end, let notification = try await next(before: end) {
            switch notification {
            case .message(let bytes) where bytes.first == LuaProgramMessage.version && sign == nil:
                sign = .version(PrintableText.of(bytes.dropFirst().prefix(Self.versionLimit)))
                end = clock.deadline(in: Self.aftermath)
            case .text(let bytes):
                let exception = LuaException(bytes)
                if exception.endsProgram { throw REPLError.lua(exception) }
            case .message: continue
            }
        }
        return sign
    }
}
