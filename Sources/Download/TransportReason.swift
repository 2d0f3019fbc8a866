import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL

/// Why a connection failed, in an operator's words.
package enum TransportReason {
    package static func text(_ error: any Error) -> String {
        switch error {
        case let error as IOError: String(cString: strerror(error.errnoCode))
        case let error as HTTPClientError: error.shortDescription.lowercased()
        case let error as NIOSSLExtraError where error == .failedToValidateHostname: "its certificate is for another name"
        case NIOSSLError.handshakeFailed(let cause): handshake("\(cause)")
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: "its certificate cannot be checked"
        case NIOSSLError.uncleanShutdown: "it closed the connection"
        case is BoringSSLError: handshake("\(error)")
        default: "the connection failed (\(type(of: error)))"
        }
    }

    /// BoringSSL's names.
    private static let handshakes = [
        ("CERTIFICATE_VERIFY_FAILED", "its certificate is not trusted here"),
        ("WRONG_VERSION_NUMBER", "it does not speak TLS"), ("HTTP_REQUEST", "it does not speak TLS"),
        ("EOF during handshake", "it closed the connection"),
        ("PROTOCOL_VERSION", "it has no safe version of TLS"), ("UNSUPPORTED_PROTOCOL", "it has no safe version of TLS"),
        ("HANDSHAKE_FAILURE", "it has no cipher in common with this program"),
    ]

    private static func handshake(_ text: String) -> String {
        if let known = handshakes.first(where: { text.contains($0.0) }) { return known.1 }
        let marker = "OPENSSL_internal:"
        guard let start = text.range(of: marker)?.upperBound else { return "the handshake failed" }
        let name = text[start...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }.prefix(60)
        return "the handshake failed (\(String(name).replacing("_", with: " ").lowercased()))"
    }
}
