import DFU
import FPGA
import Provisioning
import ScriptBundle

/// Opens a bundle for a run: what it holds, and nothing else.
struct BundleLoader {
    let family: Family
    let path: NamedPath
    let inputs: AssetInputs
    let notice: (String) -> Void

    func load(_ parts: Set<Component>) throws -> AssetSet {
        let bundle = try BundleFile.open(path, limits: .unit)
        let trust = TrustInputs(given: inputs.trust.map(inputs.path), search: inputs.search)
        let keys = try trust.bundleKeys(note: notice)
        notice("bundle \(path.name): \(try BundleTrust(bundle, keys: keys).text(bundle))")
        guard bundle.family.name == family.id.rawValue else {
            throw BundleError.wrongFamily(place: path.name, bundle: bundle.family.name, wanted: family.id.rawValue)
        }
        let assets = AssetSet(
            parts.contains(.firmware) ? try firmware(bundle, trust) : nil, parts.contains(.fpga) ? try fpga(bundle) : nil,
            parts.contains(.scripts) ? try scripts(bundle) : nil,
            bundle: BundleIdentity(digest: bundle.sha256, signer: bundle.signature?.signer.fingerprint))
        guard !assets.isEmpty else {
            throw BundleError.nothingWanted(place: path.name)
        }
        return assets
    }

    private func firmware(_ bundle: ReleaseBundle, _ trust: TrustInputs) throws -> FirmwareAsset? {
        guard let bytes = try bundle.firmware(), let listed = bundle.manifest.firmware else {
            notice("the bundle holds no firmware; the unit's is left alone")
            return nil
        }
        guard let target = family.bootloader?.target else { return nil }
        let package = try DFUPackage(bytes: bytes)
        let firmware = try FirmwareAsset(package: package, version: nil, target: target, trusting: trust.packageKeys())
        guard firmware.version == listed.version else {
            throw BundleError.manifestInvalid(reason: "it says firmware \(listed.version), the package says \(firmware.version)")
        }
        return firmware
    }

    private func fpga(_ bundle: ReleaseBundle) throws -> BitstreamAsset? {
        guard let bytes = try bundle.fpga(), let listed = bundle.manifest.fpga else {
            notice("the bundle holds no FPGA image; the unit's is left alone")
            return nil
        }
        guard FirmwareVersion(listed.version) != nil else {
            throw BundleError.manifestInvalid(reason: "the FPGA image's version is not of the form vYY.DDD.HHMM")
        }
        let image = try FPGAImage(bytes, isChecked: !inputs.allowsAnyFPGAImage)
        return BitstreamAsset(image: image, version: listed.version)
    }

    private func scripts(_ bundle: ReleaseBundle) throws -> ScriptSet {
        let scripts = try bundle.scripts()
        scripts.warnings.forEach(notice)
        return scripts
    }
}
