import DFU
import FPGA
import Provisioning
import ScriptBundle

/// Opens a bundle for a run: what it holds, and nothing else.
struct BundleLoader {
    private static let family = ScriptFamily.monocle

    let path: NamedPath
    let inputs: AssetInputs
    let notice: (String) -> Void

    func load(_ parts: Set<Part>) throws -> MonocleAssets {
        let bundle = try BundleFile.open(path, limits: .unit)
        let trust = TrustInputs(given: inputs.trust.map(inputs.path), search: inputs.search)
        let keys = try trust.bundleKeys(note: notice)
        notice("bundle \(path.name): \(try BundleTrust(bundle, keys: keys).text(bundle))")
        guard bundle.manifest.family == Self.family else {
            throw BundleError.wrongFamily(place: path.name, bundle: bundle.manifest.family, wanted: Self.family.rawValue)
        }
        let assets = MonocleAssets(
            firmware: parts.contains(.firmware) ? try firmware(bundle, trust) : nil,
            fpga: parts.contains(.fpga) ? try fpga(bundle) : nil,
            scripts: parts.contains(.scripts) ? try scripts(bundle) : nil)
        guard assets.firmware != nil || assets.fpga != nil || assets.scripts != nil else {
            throw BundleError.nothingWanted(place: path.name)
        }
        return assets
    }

    private func firmware(_ bundle: ReleaseBundle, _ trust: TrustInputs) throws -> MonocleAssets.Firmware? {
        guard let bytes = try bundle.firmware(), let listed = bundle.manifest.firmware else {
            notice("the bundle holds no firmware; the unit's is left alone")
            return nil
        }
        let package = try DFUPackage(bytes: bytes)
        let firmware = try MonocleAssets.Firmware(package: package, version: nil, trusting: trust.packageKeys())
        guard firmware.version == listed.version else {
            throw BundleError.manifestInvalid(reason: "it says firmware \(listed.version), the package says \(firmware.version)")
        }
        return firmware
    }

    private func fpga(_ bundle: ReleaseBundle) throws -> MonocleAssets.Bitstream? {
        guard let bytes = try bundle.fpga(), let listed = bundle.manifest.fpga else {
            notice("the bundle holds no FPGA image; the unit's is left alone")
            return nil
        }
        guard FirmwareVersion(listed.version) != nil else {
            throw BundleError.manifestInvalid(reason: "the FPGA image's version is not of the form vYY.DDD.HHMM")
        }
        let image = try FPGAImage(bytes, isChecked: !inputs.allowsAnyFPGAImage)
        return MonocleAssets.Bitstream(image: image, version: listed.version)
    }

    private func scripts(_ bundle: ReleaseBundle) throws -> ScriptSet {
        let scripts = try bundle.scripts()
        scripts.warnings.forEach(notice)
        return scripts
    }
}
