import DFU
import Provisioning

extension AssetSearch {
    /// What a virtual unit's bootloader trusts beside the vendor's key: the key that the catalogue's package is signed with, if it
    /// names one. 64 bytes each, x then y, big-endian.
    func bootloaderKeys(for family: FamilyID) -> [[UInt8]] {
        guard let key = try? locate().firmware(for: family.rawValue).key,
            let trusted = try? TrustedKey(name: key.name, pem: key.bytes)
        else { return [] }
        return [Self.bigEndian(trusted.coordinates)]
    }

    /// Nordic writes keys with both coordinates byte-reversed.
    private static func bigEndian(_ coordinates: [UInt8]) -> [UInt8] {
        Array(coordinates.prefix(32).reversed()) + Array(coordinates.dropFirst(32).reversed())
    }
}
