import CCrypto

/// A P-256 private key that signs init packets.
public struct SigningKey: Sendable {
    /// `EC PRIVATE KEY` or `PRIVATE KEY` in PEM form. Secret.
    public let pem: String
    /// x‖y, each byte-reversed, as Nordic's tools print a key.
    public let publicCoordinates: [UInt8]

    /// - Throws: ``PackageFault/keyInvalid(name:reason:)`` for anything but an unencrypted P-256 private key.
    public init(name: String, pem: [UInt8]) throws {
        guard let coordinates = PEM.withPrivateKey(pem, ECDSA.coordinates(of:)) else {
            throw DFUError.package(
                .keyInvalid(name: name, reason: "it holds no unencrypted P-256 private key in PEM form"))
        }
        self.pem = String(decoding: pem, as: UTF8.self)
        publicCoordinates = coordinates
    }

    /// A fresh key.
    public static func generate() throws -> SigningKey {
        guard let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { throw failure("no EC support") }
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1,
            EVP_PKEY_generate(context, &key) == 1, let key
        else { throw failure("key generation") }
        defer { EVP_PKEY_free(key) }
        guard let text = PEM.privateKeyText(key) else { throw failure("key export") }
        return try SigningKey(name: "generated", pem: Array(text.utf8))
    }

    /// The public half in PEM form.
    public func publicPEM() throws -> String {
        guard let text = PEM.withPrivateKey(Array(pem.utf8), PEM.publicKeyText) else {
            throw Self.failure("key export")
        }
        return text
    }

    /// The public half as a key to trust.
    public func trusted(as name: String) -> TrustedKey { TrustedKey(name: name, checked: publicCoordinates) }

    /// ECDSA with SHA-256 over `message`. Every call gives another signature: OpenSSL 3.0 has no deterministic ECDSA.
    /// - Returns: r‖s, each byte-reversed, 64 bytes.
    public func sign(_ message: [UInt8]) throws -> [UInt8] {
        guard let signature = PEM.withPrivateKey(Array(pem.utf8), { ECDSA.sign(message, with: $0) }) else {
            throw Self.failure("ECDSA")
        }
        return signature
    }

    private static func failure(_ what: String) -> DFUError {
        _ = ECDSA.discardErrors() as Void?
        return .package(.signingFailed(reason: what))
    }
}
