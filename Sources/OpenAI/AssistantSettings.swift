import Assistant

/// Which server answers, and how long it may take.
public struct AssistantSettings: Sendable {
    public struct Timeouts: Sendable, Hashable {
        /// To a connection, in real time.
        public var connect = Duration.seconds(10)
        /// From the request to the first byte of the answer, and from its head to the first piece.
        public var firstByte = Duration.seconds(60)
        public var betweenPieces = Duration.seconds(30)
        public var whole = Duration.seconds(180)

        public init() {}
    }

    public struct Proxy: Sendable, Hashable, CustomStringConvertible {
        public var host: String
        public var port: Int
        public var description: String { "\(host):\(port)" }
    }

    public var baseURL = BaseURL.openAI
    public var chatModel = "gpt-4o-mini"
    public var speechModel = "whisper-1"
    public var takesImages = true
    /// The wearer's language as ISO 639-1, for the recognition of speech; `nil` has the server find out.
    public var language: String?
    public var tokenLimit = 4096
    public var timeouts = Timeouts()
    public var retries = RetryPolicy()
    /// Never used for this very machine.
    public var proxy: Proxy?
    /// A PEM file of certificates that are trusted beside the system's: for a server with an authority of its own.
    public var certificateFile: String?
    /// Lets a key go to another machine over `http://`.
    public var allowsPlainHTTP = false
    /// Sent to ``baseURL``'s origin alone. A local server needs none.
    public internal(set) var key: SecretText?
    /// What the user should know about these settings, one sentence each without a full stop.
    public internal(set) var notices: [String] = []

    public init(baseURL: BaseURL = .openAI, key: SecretText? = nil) { (self.baseURL, self.key) = (baseURL, key) }

    func check() throws(AssistantError) {
        if key != nil, !baseURL.isEncrypted, !baseURL.isPrivateToThisMachine, !allowsPlainHTTP {
            throw .plainHTTP(host: baseURL.host)
        }
    }
}
