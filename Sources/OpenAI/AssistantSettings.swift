import Assistant
import Support

public struct AssistantSettings: Sendable {
    struct Timeouts: Sendable, Hashable {
        /// In real time.
        var connect = Duration.seconds(10)
        /// From the request to the head, and from there to the first piece.
        var firstByte = Duration.seconds(60)
        var betweenPieces = Duration.seconds(30)
        var whole = Duration.seconds(180)
    }

    typealias Proxy = ProxyAddress

    public var baseURL = BaseURL.openAI
    public var chatModel = "gpt-4o-mini"
    var speechModel = "whisper-1"
    var takesImages = true
    /// The wearer's, as ISO 639-1; `nil` lets the server detect it.
    var language: String?
    public var tokenLimit = 4096
    var timeouts = Timeouts()
    var retries = RetryPolicy()
    /// Never used for this machine.
    var proxy: Proxy?
    /// PEM certificates to trust besides the system's.
    public var certificateFile: String?
    /// Lets a key go to another machine over `http://`.
    var allowsPlainHTTP = false
    /// Sent only to ``baseURL``'s origin.
    public internal(set) var key: SecretText?
    /// For the user: sentences without a full stop.
    public internal(set) var notices: [String] = []

    public init(baseURL: BaseURL = .openAI, key: SecretText? = nil) { (self.baseURL, self.key) = (baseURL, key) }

    func check() throws(AssistantError) {
        if key != nil, !baseURL.isEncrypted, !baseURL.isPrivateToThisMachine, !allowsPlainHTTP {
            throw .plainHTTP(host: baseURL.host)
        }
    }
}
