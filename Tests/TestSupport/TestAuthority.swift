import Foundation

/// A certificate authority of one test, and a server's certificate of it, made by OpenSSL.
package struct TestAuthority: Sendable {
    package struct NotMade: Error {
        package let output: String
    }

    /// PEM.
    package let authority: String
    package let certificate: String
    package let key: String

    /// - Parameters:
    ///   - names: of the server, as OpenSSL writes them, such as `DNS:localhost` or `IP:127.0.0.1`.
    ///   - days: that the server's certificate is good for; 0 is until now.
    package init(for names: [String], days: Int = 2, in folder: TemporaryFolder) throws {
        let openssl = try TestTools.require(TestTools.openssl, "openssl")
        let (authorityKey, request, names) = (folder.path("ca.key"), folder.path("server.csr"), names.joined(separator: ","))
        (authority, certificate, key) = (folder.path("ca.crt"), folder.path("server.crt"), folder.path("server.key"))
        let extensions = try folder.write("subjectAltName=\(names)\n", to: "extensions")
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        for arguments in [
            ["req", "-x509"] + newKey + ["-days", "2", "-subj", "/CN=noafw test authority", "-keyout", authorityKey, "-out", authority],
            ["req"] + newKey + ["-subj", "/CN=noafw test server", "-keyout", key, "-out", request],
            [
                "x509", "-req", "-in", request, "-CA", authority, "-CAkey", authorityKey, "-days", "\(days)", "-extfile", extensions,
                "-out", certificate
            ]
        ] {
            let result = try runProgram(openssl, arguments)
            guard result.status == 0 else { throw NotMade(output: result.output) }
        }
    }
}
