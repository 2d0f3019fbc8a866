import CCrypto

/// ECDSA over P-256 with SHA-256 (FIPS 186-5). Numbers are 32 bytes, big-endian.
public enum P256 {
    /// Of r and s together.
    public static let signatureByteCount = 64
    /// Of x and y together.
    public static let pointByteCount = 64

    /// A point on the curve; verifies signatures.
    public struct PublicKey: Sendable, Hashable {
        /// x‖y.
        public let point: [UInt8]

        /// - Returns: `nil` when it is not a point on the curve.
        public init?(point: [UInt8]) {
            guard P256.withPublicKey(point, { _ in true }) == true else { return nil }
            self.point = point
        }

        /// - Parameter pem: `PUBLIC KEY` (SubjectPublicKeyInfo); `nil` for anything but a P-256 key.
        public init?(pem: [UInt8]) {
            guard let point = PEM.withPublicKey(pem, P256.point(of:)) else { return nil }
            self.point = point
        }

        fileprivate init(known point: [UInt8]) { self.point = point }

        /// `PUBLIC KEY`; `nil` when libcrypto fails.
        public var pem: String? { P256.withPublicKey(point, P256.pem) }

        /// - Parameter signature: r‖s.
        public func verifies(_ signature: [UInt8], over message: [UInt8]) -> Bool {
            guard signature.count == signatureByteCount, let der = derSignature(signature) else { return false }
            return P256.withPublicKey(point) { Signing.verifies(der, over: message, by: $0, digest: EVP_sha256()) } ?? false
        }
    }

    /// Signs.
    public struct PrivateKey: Sendable {
        /// `EC PRIVATE KEY` or `PRIVATE KEY`. Secret.
        public let pem: String
        /// Computed from the private half.
        public let publicKey: PublicKey

        /// - Returns: `nil` for anything but an unencrypted P-256 private key.
        public init?(pem: [UInt8]) {
            guard let point = PEM.withPrivateKey(pem, P256.point(of:)) else { return nil }
            self.pem = String(decoding: pem, as: UTF8.self)
            publicKey = PublicKey(known: point)
        }

        /// A fresh key; `nil` when libcrypto fails.
        public static func generate() -> PrivateKey? {
            // `EC PRIVATE KEY` (SEC 1), the form that `nrfutil keys generate` writes.
            Signing.withNewKey("EC", group: "P-256") { key in
                PEM.text { PEM_write_bio_PrivateKey_traditional($0, key, nil, nil, 0, nil, nil) }
            }.flatMap { PrivateKey(pem: Array($0.utf8)) }
        }

        /// `PUBLIC KEY`; `nil` when libcrypto fails.
        public var publicPEM: String? { PEM.withPrivateKey(Array(pem.utf8), P256.pem) }

        /// Every call gives a different signature: OpenSSL 3.0 has no deterministic ECDSA.
        /// - Returns: r‖s; `nil` when libcrypto fails.
        public func sign(_ message: [UInt8]) -> [UInt8]? {
            PEM.withPrivateKey(Array(pem.utf8)) { Signing.sign(message, by: $0, digest: EVP_sha256()) }.flatMap(rawSignature)
        }
    }
}

extension P256 {
    /// A SubjectPublicKeyInfo's DER before the coordinates of an uncompressed point (RFC 5480).
    private static let publicKeyPrefix: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
    ]

    private static func withPublicKey<Result>(_ point: [UInt8], _ body: (OpaquePointer) -> Result?) -> Result? {
        guard point.count == pointByteCount else { return nil }
        // libcrypto queues errors per thread; a leftover would be blamed on a later call.
        defer { ERR_clear_error() }
        let der = publicKeyPrefix + point
        return der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let key = d2i_PUBKEY(nil, &cursor, buffer.count) else { return nil }
            defer { EVP_PKEY_free(key) }
            return body(key)
        }
    }

    /// - Returns: `nil` when it is not a P-256 key.
    private static func point(of key: OpaquePointer) -> [UInt8]? {
        guard let der = derBytes({ i2d_PUBKEY(key, $0) }), der.count == publicKeyPrefix.count + pointByteCount,
            der.starts(with: publicKeyPrefix)
        else { return nil }
        return Array(der.suffix(pointByteCount))
    }

    private static func pem(_ key: OpaquePointer) -> String? { PEM.text { PEM_write_bio_PUBKEY($0, key) } }

    private static func derSignature(_ signature: [UInt8]) -> [UInt8]? {
        guard let parsed = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(parsed) }
        guard let r = BN_bin2bn(Array(signature[..<32]), 32, nil) else { return nil }
        guard let s = BN_bin2bn(Array(signature[32...]), 32, nil) else {
            BN_free(r)
            return nil
        }
        // On success the signature owns both numbers.
        guard ECDSA_SIG_set0(parsed, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        return derBytes { i2d_ECDSA_SIG(parsed, $0) }
    }

    private static func rawSignature(_ der: [UInt8]) -> [UInt8]? {
        der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let parsed = d2i_ECDSA_SIG(nil, &cursor, buffer.count) else { return nil }
            defer { ECDSA_SIG_free(parsed) }
            var r = [UInt8](repeating: 0, count: 32)
            var s = r
            guard BN_bn2binpad(ECDSA_SIG_get0_r(parsed), &r, 32) == 32, BN_bn2binpad(ECDSA_SIG_get0_s(parsed), &s, 32) == 32
            else { return nil }
            return r + s
        }
    }

    private static func derBytes(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
        let length = Int(encode(nil))
        guard length > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        let written = bytes.withUnsafeMutableBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return Int(encode(&cursor))
        }
        return written == length ? bytes : nil
    }
}
