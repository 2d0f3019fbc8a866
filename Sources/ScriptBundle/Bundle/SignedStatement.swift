import FoundationEssentials
import Support

/// A statement in an envelope that says who made it (DSSE, https://github.com/secure-systems-lab/dsse).
public struct SignedStatement: Codable, Sendable, Hashable {
    public struct Signature: Codable, Sendable, Hashable {
        /// The signer's fingerprint: a hint, never a reason to trust.
        public var keyid: String
        /// Base64.
        public var sig: String
    }

    public static let inToto = "application/vnd.in-toto+json"
    private static let limit = 4 << 20

    public var payloadType: String
    /// Base64.
    public var payload: String
    public var signatures: [Signature]

    /// - Throws: ``BundleError/signingFailed``.
    public init(_ payload: [UInt8], signedBy key: BundleSigningKey) throws(BundleError) {
        let signature = try key.sign(Self.encoded(payload, Self.inToto))
        (payloadType, self.payload) = (Self.inToto, Data(payload).base64EncodedString())
        signatures = [Signature(keyid: key.publicKey.fingerprint, sig: Data(signature).base64EncodedString())]
    }

    /// - Parameter place: the file's name, for messages.
    /// - Returns: the statement that one of the keys has signed.
    /// - Throws: ``BundleError/statementInvalid(place:reason:)``, ``BundleError/statementNotTrusted(place:)``.
    public static func payload(of bytes: [UInt8], place: String, trusting keys: [BundleKey]) throws(BundleError) -> [UInt8] {
        guard bytes.count <= limit, let envelope = try? JSONDecoder().decode(SignedStatement.self, from: Data(bytes)),
            let payload = Data(base64Encoded: envelope.payload).map([UInt8].init)
        else { throw .statementInvalid(place: place, reason: "it is no signed statement (DSSE)") }
        guard envelope.payloadType == inToto else { throw .statementInvalid(place: place, reason: "it is not of the type \(inToto)") }
        let message = encoded(payload, envelope.payloadType)
        let signatures = envelope.signatures.prefix(16).compactMap { Data(base64Encoded: $0.sig).map([UInt8].init) }
        guard signatures.contains(where: { signature in keys.contains { $0.verifies(signature, over: message) } }) else {
            throw .statementNotTrusted(place: place)
        }
        return payload
    }

    /// What is signed: the type is signed with the payload (PAE).
    private static func encoded(_ payload: [UInt8], _ type: String) -> [UInt8] {
        Array("DSSEv1 \(type.utf8.count) \(type) \(payload.count) ".utf8) + payload
    }
}
