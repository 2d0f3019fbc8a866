import Download
import Provisioning

/// A file that a family's maker has released, at an address that does not change.
struct VendorFile: Sendable, Hashable {
    var component: Component
    var version: String
    var address: String
    var sha256: String
    var byteCount: Int

    /// The file's name there.
    var name: String { address.split(separator: "/").last.map(String.init) ?? "" }

    /// - Parameter mirror: where the same file is, under the same name; the digest stays.
    /// - Throws: ``DownloadError/badAddress(reason:)``.
    func pinned(mirror: String?) throws(DownloadError) -> PinnedFile {
        let place = mirror.map { $0 + ($0.hasSuffix("/") ? "" : "/") + name } ?? address
        return try PinnedFile(address: place, sha256: sha256, byteLimit: byteCount)
    }
}

extension VendorFile {
    private static let github = "https://raw.githubusercontent.com/brilliantlabsAR"
    /// The maker's phone apps carry what they flash.
    private static let monocleApp = "\(github)/noa-for-ios/cd78cbb0ab158ed8ccff2078f475dbede41f2954/ios/Noa/Noa/Monocle%20Assets"
    private static let frameApp = "\(github)/noa-flutter/3600998288c36384fd4200d4daed22cf7bcef55d/assets"

    static let monocle = [
        VendorFile(
            component: .firmware, version: "v23.248.0754", address: "\(monocleApp)/Firmware/monocle-micropython-v23.248.0754.zip",
            sha256: "f2c7e23d52538a9833980fcbd7fc678b2cc755ed6e621ff2c11e7fb9f36f40d5", byteCount: 215_332),
        VendorFile(
            component: .fpga, version: "v23.230.0808", address: "\(monocleApp)/FPGA/monocle-fpga.bin",
            sha256: "951e8f3bb8d4c87a2293b6a12440b8bd2490d163adb6405830dd12bea35ec731", byteCount: 444_430),
    ]

    static let frame = [
        VendorFile(
            component: .firmware, version: "v25.080.0838", address: "\(frameApp)/frame-firmware-v25.080.0838.zip",
            sha256: "56c3eed88c78723ebfb659c35d32052eef421001e6046991f95575aab0395ac7", byteCount: 557_504),
    ]
}
