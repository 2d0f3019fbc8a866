import Bluetooth
import Support

/// What can go wrong between this machine and an assistant's server. Texts from a server are printable and short.
public enum AssistantError: Error, Hashable, Sendable {
    /// The configuration file cannot be used; says why.
    case badConfiguration(path: String, String)
    /// Others than its owner can read the configuration file.
    case notPrivate(path: String, String)
    case badBaseURL(String)
    /// A key would go over an unencrypted connection to another machine.
    case plainHTTP(host: String)
    /// The key holds characters that a header cannot.
    case badKey
    case unreachable(host: String, reason: String)
    case unknownHost(String)
    case insecure(host: String, reason: String)
    /// The argument names what was waited for.
    case timedOut(String)
    case unauthorized(status: Int, String)
    case tooManyRequests(String, retryAfter: Duration?)
    case serverFailed(status: Int, String)
    case refused(status: Int, String)
    case redirected(to: String)
    /// An answer in another form than was asked for; the argument says which.
    case notUnderstood(String)
    case tooLong(what: String, limitBytes: Int)
    case emptyAnswer
    /// The answer broke off after so many bytes of text.
    case brokenOff(afterBytes: Int)
    /// The proxy is there, but does not lead to the server; says why.
    case proxyRefused(proxy: String, String)
}

extension AssistantError: DiagnosableError {
    public var diagnosis: Diagnosis {
        Diagnosis(code: code, category: category, fault: fault, message: message, cause: advice.cause, remedy: advice.remedy)
    }

    /// Published: a code keeps its meaning.
    private var code: String {
        switch self {
        case .badConfiguration: "AST-0001"
        case .notPrivate: "AST-0002"
        case .badBaseURL: "AST-0003"
        case .plainHTTP: "AST-0004"
        case .badKey: "AST-0005"
        case .unreachable: "AST-0006"
        case .unknownHost: "AST-0007"
        case .insecure: "AST-0008"
        case .timedOut: "AST-0009"
        case .unauthorized: "AST-0010"
        case .tooManyRequests: "AST-0011"
        case .serverFailed: "AST-0012"
        case .refused: "AST-0013"
        case .redirected: "AST-0014"
        case .notUnderstood: "AST-0015"
        case .tooLong: "AST-0016"
        case .emptyAnswer: "AST-0017"
        case .brokenOff: "AST-0018"
        case .proxyRefused: "AST-0019"
        }
    }

    private var category: Diagnosis.Category {
        switch self {
        case .badConfiguration: .badData
        case .notPrivate, .unauthorized: .permission
        case .badBaseURL, .plainHTTP, .badKey: .usage
        case .unreachable, .unknownHost, .insecure, .redirected, .refused, .notUnderstood, .tooLong, .emptyAnswer, .proxyRefused:
            .unavailable
        case .timedOut, .tooManyRequests, .serverFailed, .brokenOff: .tryAgain
        }
    }

    private var fault: Diagnosis.Fault? { category == .usage || category == .badData ? nil : .station }

    private var message: String {
        switch self {
        case .badConfiguration(let path, let reason): "cannot use \(path): \(reason)"
        case .notPrivate(let path, let reason): "\(path) may hold a key, but \(reason)"
        case .badBaseURL(let text): "'\(text)' is not the base URL of a server"
        case .plainHTTP(let host): "the key would be sent to \(host) unencrypted"
        case .badKey: "the key contains characters that a key cannot have"
        case .unreachable(let host, let reason): "cannot reach the assistant at \(host): \(reason)"
        case .unknownHost(let host): "cannot find the assistant's host \(host)"
        case .insecure(let host, let reason): "cannot make a secure connection to \(host): \(reason)"
        case .timedOut(let what): "timed out while waiting for \(what) from the assistant"
        case .unauthorized(let status, let text): "the assistant refused the key (HTTP \(status))\(Self.suffix(text))"
        case .tooManyRequests(let text, _): "the assistant got too many requests (HTTP 429)\(Self.suffix(text))"
        case .serverFailed(let status, let text): "the assistant's server failed (HTTP \(status))\(Self.suffix(text))"
        case .refused(let status, let text): "the assistant refused the request (HTTP \(status))\(Self.suffix(text))"
        case .redirected(let place): "the assistant's server redirects to \(place)"
        case .notUnderstood(let what): "cannot understand the assistant's answer: \(what)"
        case .tooLong(let what, let limit): "\(what) is longer than \(limit) bytes"
        case .emptyAnswer: "the assistant gave an empty answer"
        case .brokenOff(let count): "the assistant's answer broke off after \(count) bytes"
        case .proxyRefused(let proxy, let reason): "cannot reach the assistant through the proxy \(proxy): \(reason)"
        }
    }

    private static func suffix(_ text: String) -> String { text.isEmpty ? "" : ": \(text)" }

    private var advice: (cause: String, remedy: String) {
        switch self {
        case .badConfiguration:
            ("the file was edited by hand or is not meant for this program", "correct the file; docs/chat.md shows an example")
        case .notPrivate:
            ("the file's owner or permissions let others read it", "run chmod 600 on it, as the file's owner")
        case .badBaseURL:
            ("it has no http or https scheme, or no host", "give a URL such as https://api.openai.com or http://localhost:8080")
        case .plainHTTP:
            ("the base URL begins with http://", "use https://, or set allow_plain_http in the configuration file")
        case .badKey:
            ("it was copied with a line end, a space or quotation marks", "copy the key again")
        case .unreachable:
            ("no server listens there, or the network is down", "check the base URL and the network")
        case .unknownHost:
            ("the name is misspelt, or the network has no name service", "check the base URL and the network")
        case .insecure:
            ("the server's certificate does not match its name or is not trusted here", "check the base URL; if the server uses a private certificate authority, set ca_file in the configuration file")
        case .timedOut, .brokenOff:
            ("the server is overloaded, or the network is poor", "ask again")
        case .unauthorized:
            ("the key is missing or wrong, or it lacks a right", "set NOAFW_API_KEY or the configuration file's api_key")
        case .tooManyRequests:
            ("there were too many questions in a short time, or the account's quota is used up", "wait, then ask again; check the account's quota")
        case .serverFailed:
            ("the server has a problem of its own", "ask again later")
        case .refused:
            (
                "the server does not know the model, or the model does not accept this kind of input",
                "check the model's name and the base URL; set images to false in the configuration file for a model that takes no pictures")
        case .redirected:
            ("the base URL is not the server's own address, and noafw never sends a key to another one", "set the base URL to the address that the server names")
        case .notUnderstood:
            ("the base URL does not lead to an OpenAI-compatible server", "check the base URL")
        case .tooLong:
            ("the server sent more than an answer may contain", "check the base URL and the model")
        case .emptyAnswer:
            ("the model had nothing to say", "rephrase the question")
        case .proxyRefused:
            ("the proxy requires a password, or does not allow this connection", "check https_proxy, no_proxy and the configuration file's proxy")
        }
    }
}
