import Cryptography
import DFU
import FPGA
import Provisioning
import ScriptBundle
import Support

extension AssetSet {
    /// SHA-256 of each component as a unit gets it, in hexadecimal: the images, and of the scripts what `sha256sum` prints for their files,
    /// sorted by name.
    var sentDigests: [Component: String] {
        var digests: [Component: String] = [:]
        digests[.firmware] = firmware.map { HexText.encode($0.image.sha256) }
        digests[.fpga] = fpga.map { HexText.encode($0.image.sha256) }
        digests[.scripts] = scripts.map { set in
            let list = set.installed.sorted { $0.name < $1.name }.map { "\(HexText.encode(SHA256.of($0.bytes)))  \($0.name)\n" }.joined()
            return HexText.encode(SHA256.of(Array(list.utf8)))
        }
        return digests
    }
}
