/// How a chat session behaves.
public struct ChatOptions: Sendable {
    public var mode = AssistantMode.assistant
    /// Tokens of the conversation beyond which it is cleared.
    public var tokenLimit = 4096
    public var connectTimeout = Duration.seconds(20)
    /// How long a unit that was there before may take to announce itself.
    public var readyTimeout = Duration.seconds(4)
    /// How long a program that was just started may take: Noa's says `rdy:` 7 s after its start (noa-for-ios, `main.py`).
    public var startTimeout = Duration.seconds(15)
    /// Waits between attempts to reconnect; the last one repeats.
    public var reconnectDelays: [Duration] = [.milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10)]
    /// Yields an identifier that was never used before, of 16 characters: with its command it fits the smallest packet.
    public var newConfirmation: @Sendable () -> ConfirmationID = {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return ConfirmationID(String(repeating: "0", count: 16 - digits.count) + digits)
    }

    public init() {}
}
