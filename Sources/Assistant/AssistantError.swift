import Support

/// What can go wrong between this machine and an assistant's server. A server's texts are printable and short.
public enum AssistantError: Error, Hashable, Sendable {
    /// Says why the configuration file cannot be used.
    case badConfiguration(path: String, String)
    /// Others than its owner can read the configuration file.
    case notPrivate(path: String, String)
    case badBaseURL(String)
    /// The key would go to another machine over an unencrypted connection.
    case plainHTTP(host: String)
    /// A header cannot hold the key's characters.
    case badKey
    case unreachable(host: String, reason: String)
    case unknownHost(String)
    case insecure(host: String, reason: String)
    /// The argument names the wait.
    case timedOut(String)
    case unauthorized(status: Int, String)
    case tooManyRequests(String, retryAfter: Duration?)
    case serverFailed(status: Int, String)
    case refused(status: Int, String)
    case redirected(to: String)
    /// The argument says what came instead of an answer.
    case notUnderstood(String)
    case tooLong(what: String, limitBytes: Int)
    case emptyAnswer
    /// The answer broke off after this many bytes of text.
    case brokenOff(afterBytes: Int)
    /// The proxy does not lead to the server; says why.
    case proxyRefused(proxy: String, String)
}

extension AssistantError: DiagnosableError {
    public var diagnosis: Diagnosis {
        let network = "check the base URL and the network"
        return switch self {
        case .badConfiguration(let path, let reason):
            row("AST-0001", .badData, "cannot use \(path): \(reason)",
                cause: "the file was edited by hand or is not meant for this program",
                remedy: "correct the file; docs/chat.md shows an example")
        case .notPrivate(let path, let reason):
            row("AST-0002", .permission, "\(path) may hold a key, but \(reason)",
                cause: "the file's owner or permissions let others read it",
                remedy: "run chmod 600 on it, as the file's owner")
        case .badBaseURL(let text):
            row("AST-0003", .usage, "'\(text)' is not the base URL of a server", cause: "it has no http or https scheme, or no host",
                remedy: "give a URL such as https://api.openai.com or http://localhost:8080")
        case .plainHTTP(let host):
            row("AST-0004", .usage, "the key would be sent to \(host) unencrypted", cause: "the base URL begins with http://",
                remedy: "use https://, or set allow_plain_http in the configuration file")
        case .badKey:
            row("AST-0005", .usage, "the key contains characters that a key cannot have",
                cause: "it was copied with a line end, a space or quotation marks", remedy: "copy the key again")
        case .unreachable(let host, let reason):
            row("AST-0006", .unavailable, "cannot reach the assistant at \(host): \(reason)",
                cause: "no server listens there, or the network is down", remedy: network)
        case .unknownHost(let host):
            row("AST-0007", .unavailable, "cannot find the assistant's host \(host)",
                cause: "the name is misspelt, or the network has no name service", remedy: network)
        case .insecure(let host, let reason):
            row("AST-0008", .unavailable, "cannot make a secure connection to \(host): \(reason)",
                cause: "the server's certificate does not match its name or is not trusted here",
                remedy: "check the base URL; if the server uses a private certificate authority, set ca_file in the configuration file")
        case .timedOut(let what):
            row("AST-0009", .tryAgain, "timed out while waiting for \(what) from the assistant",
                cause: "the server is overloaded, or the network is poor", remedy: "ask again")
        case .unauthorized(let status, let text):
            row("AST-0010", .permission, "the assistant refused the key (HTTP \(status))\(Self.suffix(text))",
                cause: "the key is missing or wrong, or it lacks a right", remedy: "set NOAFW_API_KEY or the configuration file's api_key")
        case .tooManyRequests(let text, _):
            row("AST-0011", .tryAgain, "the assistant got too many requests (HTTP 429)\(Self.suffix(text))",
                cause: "there were too many questions in a short time, or the account's quota is used up",
                remedy: "wait, then ask again; check the account's quota")
        case .serverFailed(let status, let text):
            row("AST-0012", .tryAgain, "the assistant's server failed (HTTP \(status))\(Self.suffix(text))",
                cause: "the server has a problem of its own", remedy: "ask again later")
        case .refused(let status, let text):
            row("AST-0013", .unavailable, "the assistant refused the request (HTTP \(status))\(Self.suffix(text))",
                cause: "the server does not know the model, or the model does not accept this kind of input",
                remedy: "check the model's name and the base URL; "
                    + "set images to false in the configuration file for a model that takes no pictures")
        case .redirected(let place):
            row("AST-0014", .unavailable, "the assistant's server redirects to \(place)",
                cause: "the base URL is not the server's own address, and noafw never sends a key to another one",
                remedy: "set the base URL to the address that the server names")
        case .notUnderstood(let what):
            row("AST-0015", .unavailable, "cannot understand the assistant's answer: \(what)",
                cause: "the base URL does not lead to an OpenAI-compatible server", remedy: "check the base URL")
        case .tooLong(let what, let limit):
            row("AST-0016", .unavailable, "\(what) is longer than \(limit) bytes", cause: "the server sent more than an answer may contain",
                remedy: "check the base URL and the model")
        case .emptyAnswer:
            row("AST-0017", .unavailable, "the assistant gave an empty answer", cause: "the model had nothing to say",
                remedy: "rephrase the question")
        case .brokenOff(let count):
            row("AST-0018", .tryAgain, "the assistant's answer broke off after \(count) bytes",
                cause: "the server or a proxy ended the connection", remedy: "ask again; if it breaks off again, see the server's log")
        case .proxyRefused(let proxy, let reason):
            row("AST-0019", .unavailable, "cannot reach the assistant through the proxy \(proxy): \(reason)",
                cause: "the proxy requires a password, or does not allow this connection",
                remedy: "check https_proxy, no_proxy and the configuration file's proxy")
        }
    }

    private func row(_ code: String, _ category: Diagnosis.Category, _ message: String, cause: String, remedy: String) -> Diagnosis {
        let isInput = category == .usage || category == .badData
        return Diagnosis(code, category, isInput ? nil : .station, message, cause: cause, remedy: remedy)
    }

    private static func suffix(_ text: String) -> String { text.isEmpty ? "" : ": \(text)" }
}
