import Support

/// Why a file was not fetched. Nothing of it was kept.
public enum DownloadError: Error, Sendable, Hashable {
    case badAddress(reason: String)
    case unreachable(host: String, reason: String)
    case insecure(host: String, reason: String)
    case proxyRefused(proxy: String, reason: String)
    case refused(address: String, status: Int)
    case redirected(address: String, reason: String)
    case tooLong(address: String, limit: Int)
    case digestDiffers(address: String, expected: String, actual: String)
    case timedOut(host: String, what: String)
    case brokenOff(host: String, byteCount: Int)
    case badAuthorities(path: String)
    case notKept(path: String, reason: String)
}

extension DownloadError: DiagnosableError {
    public var diagnosis: Diagnosis {
        switch self {
        case .badAddress(let reason):
            .init("WEB-0001", .usage, nil, "nothing is fetched from this address: \(reason)",
                cause: "what is fetched is checked by a SHA-256 that is known before",
                remedy: "give https://HOST/PATH#sha256=DIGEST, or fetch the file yourself and name it")
        case .unreachable(let host, let reason):
            .init("WEB-0002", .unavailable, nil, "\(host) cannot be reached: \(reason)",
                cause: "this machine has no network, the name is wrong, or a firewall keeps it away",
                remedy: "check the network; behind a proxy set HTTPS_PROXY; or fetch the file elsewhere and name it")
        case .insecure(let host, let reason):
            .init("WEB-0003", .unavailable, nil, "the connection to \(host) is not safe: \(reason)",
                cause: "another server answers, its certificate is bad, or this machine does not know its authority",
                remedy: "check the clock and the name; SSL_CERT_FILE names the authorities of a network with its own")
        case .proxyRefused(let proxy, let reason):
            .init("WEB-0004", .unavailable, nil, "the proxy \(proxy) does not let this through: \(reason)",
                cause: "HTTPS_PROXY names it, and it is off or has rules", remedy: "correct HTTPS_PROXY, or add the host to NO_PROXY")
        case .refused(let address, let status):
            .init("WEB-0005", .unavailable, nil, "\(address) is answered with HTTP status \(status)",
                cause: "the file was moved or removed, or wants a login", remedy: "open the address in a browser, and correct it")
        case .redirected(let address, let reason):
            .init("WEB-0006", .unavailable, nil, "\(address) leads elsewhere, and is not followed: \(reason)",
                cause: "the server sends every request on, or to an unsafe address", remedy: "give the address where the file really is")
        case .tooLong(let address, let limit):
            .init("WEB-0007", .badData, nil, "\(address) gives more than \(limit) bytes", cause: "it is another file, or a page about one",
                remedy: "check that the address is the file's own")
        case .digestDiffers(let address, let expected, let actual):
            .init("WEB-0008", .badData, nil, "\(address) has SHA-256 \(actual), and \(expected) is wanted",
                cause: "the file was replaced, or the digest is another file's",
                remedy: "do not use it; ask the maker for the file's digest, by another way than the address")
        case .timedOut(let host, let what):
            .init("WEB-0009", .tryAgain, nil, "\(host) took too long: \(what)", cause: "the server or the network is slow",
                remedy: "run the same command again later")
        case .brokenOff(let host, let byteCount):
            .init("WEB-000A", .tryAgain, nil, "\(host) broke off after \(byteCount) bytes", cause: "the connection was lost",
                remedy: "run the same command again")
        case .badAuthorities(let path):
            .init("WEB-000B", .missingInput, nil, "\(path) holds no certificates in PEM", cause: "SSL_CERT_FILE names it",
                remedy: "correct SSL_CERT_FILE, or unset it to trust the system's authorities")
        case .notKept(let path, let reason):
            .init("WEB-000C", .inputOutput, .station, "cannot keep a fetched file in \(path): \(reason)",
                cause: "the disk is full, or the folder belongs to another user",
                remedy: "free some space, or set XDG_CACHE_HOME to a folder that noafw may write to")
        }
    }
}
