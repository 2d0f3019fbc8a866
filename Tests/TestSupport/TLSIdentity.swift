import NIOSSL

/// A server's key and certificate for one test, made by OpenSSL; no client trusts it unless it is told to.
package struct TLSIdentity: Sendable {
    struct NotMade: Error {
        let output: String
    }

    private let keyFile: String
    /// PEM; an authority of its own.
    package let certificateFile: String

    /// - Parameter name: the host that the certificate is for.
    package init(for name: String, in folder: TemporaryFolder) throws {
        (keyFile, certificateFile) = (folder.path("tls-key.pem"), folder.path("tls-certificate.pem"))
        let result = try runProgram(
            try TestTools.require(TestTools.openssl, "openssl"),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=\(name)",
                "-addext", "subjectAltName=DNS:\(name)", "-keyout", keyFile, "-out", certificateFile,
            ])
        guard result.status == 0 else { throw NotMade(output: result.output) }
    }

    func context() throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMFile(certificateFile).map { NIOSSLCertificateSource.certificate($0) }
        let key = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: keyFile, format: .pem))
        return try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: key))
    }
}
