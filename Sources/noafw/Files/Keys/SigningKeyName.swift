import ArgumentParser
import Cryptography
import DFU
import FoundationEssentials
import ScriptBundle
import Support

/// Where a private key is that is to sign: a file, `-` for standard input, `env:NAME` for a variable of the environment. The key itself is
/// never an argument.
struct SigningKeyName: FileName {
    static let form = "file|-|env:NAME"

    private enum Place {
        case standardInput, file
        case variable(String)
    }

    let name: String

    private var place: Place {
        if name == "-" { return .standardInput }
        return name.hasPrefix("env:") ? .variable(String(name.dropFirst(4))) : .file
    }

    func uses(in context: CommandContext) -> [FileUse] {
        if case .file = place { [.read(context.path(self))] } else { [] }
    }

    /// Ed25519, for bundles and what is said of them.
    /// - Throws: ``CommandError/noSigningKey(place:)``, ``CommandError/keyExposed(path:)``, ``BundleError``.
    func bundleKey(in context: CommandContext) async throws -> BundleSigningKey {
        guard let pem = try await givenPEM(in: context) else { return try BundleKeyFile.signing(context.path(self)) }
        return try BundleSigningKey(name: name, pem: pem)
    }

    /// P-256, for firmware packages.
    /// - Throws: ``CommandError/noSigningKey(place:)``, ``CommandError/keyExposed(path:)``, ``PackageFault``.
    func packageKey(in context: CommandContext) async throws -> SigningKey {
        guard let pem = try await givenPEM(in: context) else { return try PackageKeyFile.signing(context.path(self)) }
        return try SigningKey(name: name, pem: pem)
    }

    /// - Returns: `nil` where it is in a file.
    private func givenPEM(in context: CommandContext) async throws -> [UInt8]? {
        switch place {
        case .file: return nil
        case .standardInput:
            guard !context.input.isTerminal else { throw CommandError.noSigningKey(place: "standard input") }
            var reader = try InputReader(context)
            defer { reader.close() }
            guard let bytes = try await reader.whole(limit: KeyFile.sizeLimit), !bytes.isEmpty else {
                throw CommandError.noSigningKey(place: "standard input")
            }
            return Self.pem(bytes)
        case .variable(let variable):
            guard let text = context.environment[variable], !text.isEmpty, text.utf8.count <= KeyFile.sizeLimit else {
                throw CommandError.noSigningKey(place: "the environment variable \(variable)")
            }
            return Self.pem(Array(text.utf8))
        }
    }

    /// A CI's masked variables have one line: there a key is the base64 of its file.
    private static func pem(_ bytes: [UInt8]) -> [UInt8] {
        guard !bytes.contains(bytes: "-----BEGIN".utf8),
            let decoded = Data(base64Encoded: Data(bytes), options: .ignoreUnknownCharacters)
        else { return bytes }
        return [UInt8](decoded)
    }
}
