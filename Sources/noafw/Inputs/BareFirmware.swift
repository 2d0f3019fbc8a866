import Cryptography
import Provisioning
import ScriptBundle
import Support

/// Firmware that is one file without a package. The unit does not check who made it: `FILE.sig`, 64 bytes of Ed25519 over the file, says so
/// here, as a bundle's signature does.
struct BareFirmware {
    private static let limitBytes = 16 << 20

    let path: NamedPath
    let inputs: AssetInputs
    /// Whether the unit is a virtual one or only looked at.
    let isHarmless: Bool
    let notice: (String) -> Void

    /// - Parameter open: as `SupportedFamily.bareFirmware`.
    func load(_ open: ([UInt8], String?) throws -> any ComponentAsset) throws -> any ComponentAsset {
        let bytes = try InputFile.read(path, limit: Self.limitBytes)
        let asset = try open(bytes, inputs.firmwareVersion)
        notice("\(path.name): firmware \(asset.version), \(try origin(of: bytes))")
        return asset
    }

    private func origin(of bytes: [UInt8]) throws -> String {
        guard !inputs.allowsUnsigned else { return "not checked who made it (--unsigned)" }
        let keys = try TrustInputs(given: inputs.trust.map(inputs.path), search: inputs.search).bundleKeys(note: notice)
        guard !keys.isEmpty else {
            guard isHarmless else { throw BareFirmwareError.noKey(path: path.name) }
            return "not checked who made it: no trusted key was given"
        }
        let file = inputs.path("\(path.name).sig")
        let signature: [UInt8]
        do {
            signature = try InputFile.read(file, limit: Ed25519.signatureByteCount)
        } catch let failure as InputFile.Failure where failure.diagnosis.category == .missingInput {
            throw BareFirmwareError.missing(path: path.name)
        }
        guard let key = keys.first(where: { Ed25519.PublicKey(bytes: $0.bytes)?.verifies(signature, over: bytes) == true }) else {
            throw BareFirmwareError.notTrusted(path: path.name, keys: keys.map(\.name))
        }
        return "signed, trusted as \(key.name)"
    }
}
