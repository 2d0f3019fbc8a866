import Foundation
import TestSupport
import Testing

@testable import noafw

/// A key that an output would replace is lost, whatever form it has.
@Suite(.enabled(if: TestTools.mayRunOpenSSL, "openssl is missing: run Tools/setup tests")) struct PrivateKeyFormTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func openssl(_ line: String) throws {
        let words = line.replacing("DIR", with: folder.path).split(separator: " ").map(String.init)
        let (status, output) = try runProgram(try TestTools.require(TestTools.openssl, "openssl"), words)
        #expect(status == 0, "\(line): \(output)")
    }

    private func makeKey() throws { try openssl("ecparam -name prime256v1 -genkey -noout -out DIR/ec.pem") }

    @Test(arguments: [
        "genpkey -algorithm ed25519 -outform DER -out DIR/out", "ec -in DIR/ec.pem -outform DER -out DIR/out",
        "pkcs8 -topk8 -nocrypt -in DIR/ec.pem -outform DER -out DIR/out",
        "pkcs8 -topk8 -passout pass:x -in DIR/ec.pem -outform DER -out DIR/out",
        "pkcs8 -topk8 -passout pass:x -in DIR/ec.pem -out DIR/out", "genrsa -traditional -out DIR/out 2048",
        "pkcs8 -topk8 -v1 PBE-SHA1-3DES -passout pass:x -in DIR/ec.pem -outform DER -out DIR/out",
    ])
    func privateOnesAreTold(command: String) throws {
        try makeKey()
        try openssl(command)
        #expect(PrivateKeyForm.isIn(file: NamedPath(folder.path("out"), in: "/")))
    }

    @Test func aTraditionalKeyInDERIsTold() throws {
        try openssl("genrsa -out DIR/rsa.pem 2048")
        try openssl("rsa -in DIR/rsa.pem -traditional -outform DER -out DIR/out")
        #expect(PrivateKeyForm.isIn(file: NamedPath(folder.path("out"), in: "/")))
    }

    @Test(arguments: [
        "ec -in DIR/ec.pem -pubout -outform DER -out DIR/out", "req -x509 -key DIR/ec.pem -subj /CN=a -outform DER -out DIR/out"
    ])
    func publicOnesAreNot(command: String) throws {
        try makeKey()
        try openssl(command)
        #expect(!PrivateKeyForm.isIn(file: NamedPath(folder.path("out"), in: "/")))
    }

    @Test func anythingIsTakenWithoutHarm() {
        #expect(!PrivateKeyForm.isIn([]))
        for bytes in [[0x30], [0x30, 0x80], [0x30, 0x83, 1], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 2, 0x30, 0x7F], [0x30, 0]]
            as [[UInt8]]
        {
            #expect(!PrivateKeyForm.isIn(bytes))
        }
    }

    @Test func noOutputReplacesOne() async throws {
        try makeKey()
        try openssl("ec -in DIR/ec.pem -outform DER -out DIR/out")
        try folder.write("a = 1\n", to: "src/main.py")
        let before = try folder.read("out")
        let harness = Harness()
        let code = await Noafw.execute(in: harness.context(["bundle", folder.path("src"), "-o", folder.path("out"), "--no-check"]))
        #expect(code == 64 && harness.diagnostics.hasPrefix("error NOA-0026"), "\(harness.diagnostics)")
        #expect(try folder.read("out") == before)
    }
}
