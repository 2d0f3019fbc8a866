import DFU
import Foundation
import Provisioning
import ScriptBundle

/// Opens and checks everything a run needs before a unit is touched: given files, else the catalogue's.
struct AssetLoader {
    /// What files are opened as.
    private static let kinds: [any ComponentAsset.Type] = [FirmwareAsset.self, BitstreamAsset.self, ScriptSet.self]

    let family: Family
    let inputs: AssetInputs
    /// Whether the unit is a virtual one or only looked at, or the operator insists.
    let allowsDevelopment: Bool
    /// Told about everything that an operator should know of the files.
    let notice: (String) -> Void

    private let found: Lazy

    init(family: Family, inputs: AssetInputs, allowsDevelopment: Bool, notice: @escaping (String) -> Void) {
        (self.family, self.inputs, self.allowsDevelopment, self.notice) = (family, inputs, allowsDevelopment, notice)
        found = Lazy(inputs.search)
    }

    /// Looked for once, and only when a file is not given.
    private final class Lazy {
        private let search: AssetSearch
        private var catalogue: AssetCatalogue?

        init(_ search: AssetSearch) { self.search = search }

        func get() throws(CatalogueError) -> AssetCatalogue {
            if let catalogue { return catalogue }
            let located = try search.locate()
            catalogue = located
            return located
        }
    }

    private func catalogue() throws(CatalogueError) -> AssetCatalogue { try found.get() }

    /// - Parameter wanted: `nil` for all that the family has.
    /// - Throws: ``CommandError/noSuchPart(_:family:has:)``, and what is wrong with the files.
    func load(_ wanted: Set<Component>?) throws -> AssetSet {
        let parts = wanted ?? Set(family.components.filter { $0 != ScriptSet.component || !inputs.leavesScripts })
        guard parts.isSubset(of: family.components) else {
            throw CommandError.noSuchPart(parts.subtracting(family.components), family: family.id, has: family.components)
        }
        if let open = SupportedFamily[family.id]?.bareFirmware { return AssetSet([try bareFirmware(parts, open)]) }
        if let path = inputs.bundle { return try bundled(wanted, in: inputs.path(path)) }
        return AssetSet(try parts.sorted().map(asset))
    }

    /// - Throws: ``BareFirmwareError``: no catalogue has such firmware.
    private func bareFirmware(
        _ parts: Set<Component>, _ open: ([UInt8], String?) throws -> any ComponentAsset
    ) throws -> any ComponentAsset {
        guard let path = parts.first.flatMap({ inputs.files[$0] }) else { throw BareFirmwareError.noFile(family.id) }
        return try BareFirmware(path: inputs.path(path), inputs: inputs, isHarmless: allowsDevelopment, notice: notice).load(open)
    }

    private func asset(of component: Component) throws -> any ComponentAsset {
        if let path = inputs.files[component] { return try given(component, inputs.path(path)) }
        let held = try catalogue().content(of: component, for: family.id.rawValue)
        let files = held.files.map { ScriptSet.File(name: $0.name, bytes: $0.bytes) }
        let content = content(files, name: held.folder) { try trustedKeys(adding: held.key) }
        var checked = try component.check(content)
        checked.isDevelopment = checked.isDevelopment || held.isDevelopment && component.slot?.isImage == true
        return try open(component, content, checked, version: inputs.versions[component] ?? held.version)
    }

    /// A file, or a folder of scripts.
    private func given(_ component: Component, _ path: NamedPath) throws -> any ComponentAsset {
        let files = if let slot = component.slot, slot.isImage {
            [ScriptSet.File(name: path.name, bytes: try BundleFile.notOne(InputFile.read(path, limit: slot.limitBytes), path))]
        } else {
            try family.provisioning?.scripts.map { try ScriptSet.load(folder: path.location, family: $0).files } ?? []
        }
        if component.slot?.isImage != true { tellFolders(in: path) }
        let content = content(files, name: path.name) {
            try trustedKeys(adding: (try? catalogue().content(of: component, for: family.id.rawValue))?.key)
        }
        let checked = try component.check(content)
        // An image may be shorter than the flash that it fills: the digest is that of its content.
        let known = checked.digest.flatMap { digest in (try? catalogue().versions(of: component, for: family.id.rawValue))?[digest] }
        return try open(component, content, checked, version: inputs.versions[component] ?? known)
    }

    /// A release is flat: a unit's programs import from its root.
    private func tellFolders(in path: NamedPath) {
        let folders = ((try? HostFiles.tree(path)) ?? []).filter { $0.isFolder && $0.parts.count == 1 && !$0.parts[0].hasPrefix(".") }
        guard !folders.isEmpty else { return }
        let names = folders.map { $0.parts[0] + "/" }.joined(separator: ", ")
        notice("folders are no part of a release: \(names) stay behind; noafw fs cp -r puts them on the unit")
    }

    private func content(_ files: [ScriptSet.File], name: String, keys: @escaping () throws -> [TrustedKey]) -> AssetContent {
        AssetContent(files: files, name: name, family: family, isUnchecked: inputs.allowsAnyFPGAImage, keys: keys)
    }

    /// - Throws: ``CommandError/developmentImage(_:)``: nothing on real glasses would refuse an FPGA image.
    private func open(
        _ component: Component, _ content: AssetContent, _ checked: CheckedAsset, version: String?
    ) throws -> any ComponentAsset {
        guard let kind = Self.kinds.first(where: { $0.component == component }) else {
            throw CatalogueError.hardwareUnknown(content.hardware)
        }
        let asset = try kind.open(content, version: version)
        if checked.isDevelopment {
            let image = "\(component.title) \(asset.version)"
            guard allowsDevelopment else { throw CommandError.developmentImage(image) }
            notice("\(image) is a development image, not for hardware")
        }
        asset.warnings.forEach(notice)
        return asset
    }

    /// The keys that a firmware package may be signed with: the vendor's, the given ones, the catalogue's.
    private func trustedKeys(adding file: AssetCatalogue.File?) throws -> [TrustedKey] {
        let given = try inputs.trust.map { try PackageKeyFile.published(inputs.path($0)) }
        let catalogued = try file.map { [try TrustedKey(name: $0.name, pem: $0.bytes)] } ?? []
        return [family.bootloader?.vendorKey].compactMap(\.self) + given + catalogued
    }
}

// MARK: - A bundle

extension AssetLoader {
    /// - Parameter wanted: components of which the bundle has to hold each; `nil` for those that it holds.
    private func bundled(_ wanted: Set<Component>?, in path: NamedPath) throws -> AssetSet {
        let bundle = try BundleFile.open(path, limits: .unit)
        let trust = TrustInputs(given: inputs.trust.map(inputs.path), search: inputs.search)
        let holdsFirmware = bundle.manifest.firmware != nil
        let keys = try trust.bundleKeys(note: holdsFirmware ? { _ in } : notice)
        notice("bundle \(path.name): \(try BundleTrust(bundle, keys: keys).text(bundle))")
        guard bundle.family.name == family.id.rawValue else {
            throw BundleError.wrongFamily(place: path.name, bundle: bundle.family.name, wanted: family.id.rawValue)
        }
        let parts = (wanted ?? Set(family.components)).sorted()
        let assets = try parts.compactMap { try asset(of: $0, in: bundle, trust) }
        let missing = parts.filter { part in !assets.contains { type(of: $0).component == part } }
        guard missing.isEmpty || wanted == nil && !assets.isEmpty else {
            throw BundleError.componentsMissing(missing.map(\.title), place: path.name)
        }
        return AssetSet(assets, bundle: BundleIdentity(digest: bundle.sha256, signer: bundle.signature?.signer.fingerprint))
    }

    private func asset(of component: Component, in bundle: ReleaseBundle, _ trust: TrustInputs) throws -> (any ComponentAsset)? {
        if component == ScriptSet.component {
            let scripts = try bundle.scripts()
            scripts.warnings.forEach(notice)
            return scripts
        }
        guard let image = try bundle.image(of: component.name) else {
            notice("the bundle holds no \(component.title); the unit's is left alone")
            return nil
        }
        guard FirmwareVersion(image.version) != nil else {
            throw BundleError.manifestInvalid(reason: "the version of the \(component.title) is not of the form vYY.DDD.HHMM")
        }
        let files = [ScriptSet.File(name: component.name, bytes: image.bytes)]
        let content = content(files, name: bundle.place, keys: trust.packageKeys)
        let checked = try component.check(content)
        if let own = checked.version, own != image.version {
            throw BundleError.manifestInvalid(reason: "it says \(component.title) \(image.version), the image says \(own)")
        }
        return try open(component, content, checked, version: image.version)
    }
}
