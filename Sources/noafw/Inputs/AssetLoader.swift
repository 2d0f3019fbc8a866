import Bluetooth
import DFU
import FPGA
import Foundation
import Provisioning
import ScriptBundle

/// Opens and checks everything a run needs before a unit is touched: given files, else the catalogue's.
struct AssetLoader {
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
        let parts = wanted ?? Set(family.components)
        guard parts.isSubset(of: family.components) else {
            throw CommandError.noSuchPart(parts.subtracting(family.components), family: family.id, has: family.components)
        }
        if let open = family.provisioning?.bareFirmware { return AssetSet(try bareFirmware(open)) }
        if let path = inputs.bundle {
            let assets = try BundleLoader(family: family, path: inputs.path(path), inputs: inputs, notice: notice).load(parts)
            _ = try assets.firmware.map { try marked($0) }
            _ = try assets.fpga.map { try marked($0) }
            return assets
        }
        return AssetSet(
            parts.contains(.firmware) ? try firmware() : nil, parts.contains(.fpga) ? try fpga() : nil,
            parts.contains(.scripts) ? try scripts() : nil)
    }

    /// - Throws: ``BareFirmwareError``: no catalogue has such firmware.
    private func bareFirmware(_ open: ([UInt8], String?) throws -> any ComponentAsset) throws -> any ComponentAsset {
        guard let path = inputs.firmware else { throw BareFirmwareError.noFile(family.id) }
        return try BareFirmware(path: inputs.path(path), inputs: inputs, isHarmless: allowsDevelopment, notice: notice).load(open)
    }

    private func marked(_ firmware: FirmwareAsset, listed: Bool = false) throws -> FirmwareAsset {
        try mark("firmware \(firmware.version)", isDevelopment: listed || DevelopmentMark.isIn(firmware.image.bytes))
        return firmware
    }

    private func marked(_ bitstream: BitstreamAsset, listed: Bool = false) throws -> BitstreamAsset {
        try mark("FPGA \(bitstream.version)", isDevelopment: listed || DevelopmentMark.isIn(bitstream.image.bytes))
        return bitstream
    }

    /// - Throws: ``CommandError/developmentImage(_:)``: nothing on real glasses would refuse an FPGA image.
    private func mark(_ image: String, isDevelopment: Bool) throws {
        guard isDevelopment else { return }
        guard allowsDevelopment else { throw CommandError.developmentImage(image) }
        notice("\(image) is a development image, not for hardware")
    }

    /// The keys that a firmware package may be signed with: the vendor's, the given ones, the catalogue's.
    private func trustedKeys(of bootloader: BootloaderRules, adding file: AssetCatalogue.File?) throws -> [TrustedKey] {
        let given = try inputs.trust.map { try PackageKeyFile.published(inputs.path($0)) }
        let catalogued = try file.map { [try TrustedKey(name: $0.name, pem: $0.bytes)] } ?? []
        return [bootloader.vendorKey] + given + catalogued
    }

    private func firmware() throws -> FirmwareAsset? {
        guard let bootloader = family.bootloader else { return nil }
        if let path = inputs.firmware {
            let key = try? catalogue().firmware(for: family.id.rawValue).key
            return try marked(
                FirmwareAsset(
                    package: try DFUPackage(path: inputs.path(path).location), version: nil, target: bootloader.target,
                    trusting: try trustedKeys(of: bootloader, adding: key)))
        }
        let entry = try catalogue().firmware(for: family.id.rawValue)
        return try marked(
            FirmwareAsset(
                package: try DFUPackage(bytes: entry.file.bytes), version: entry.version, target: bootloader.target,
                trusting: try trustedKeys(of: bootloader, adding: entry.key)),
            listed: entry.isDevelopment)
    }

    private func fpga() throws -> BitstreamAsset {
        guard let path = inputs.fpga else {
            let entry = try catalogue().fpga(for: family.id.rawValue)
            let image = try bitstream(entry.file.bytes)
            return try marked(.init(image: image, version: inputs.fpgaVersion ?? entry.version), listed: entry.isDevelopment)
        }
        let image = try bitstream(try InputFile.read(inputs.path(path), limit: 1024 * 1024))
        guard let version = inputs.fpgaVersion ?? knownVersion(of: image) else {
            throw ProvisioningError.bitstreamVersionUnknown(path)
        }
        return try marked(.init(image: image, version: version))
    }

    private func bitstream(_ bytes: [UInt8]) throws -> FPGAImage {
        try FPGAImage(bytes, isChecked: !inputs.allowsAnyFPGAImage)
    }

    /// The catalogue's version of a file with the same digest; an image may be shorter than the flash that it fills.
    private func knownVersion(of image: FPGAImage) -> String? {
        (try? catalogue().fpgaVersions(for: family.id.rawValue))?[image.contentSHA256Text]
    }

    private func scripts() throws -> ScriptSet? {
        guard let language = family.provisioning?.scripts else { return nil }
        let scripts = try scripts(in: language)
        scripts.warnings.forEach(notice)
        return scripts
    }

    private func scripts(in language: ScriptFamily) throws -> ScriptSet {
        if let folder = inputs.scripts { return try ScriptSet.load(folder: inputs.path(folder).location, family: language) }
        let entry = try catalogue().scripts(for: family.id.rawValue)
        return try ScriptSet(
            files: entry.files.map { ScriptSet.File(name: $0.name, bytes: $0.bytes) }, family: language, order: .declared,
            place: entry.folder)
    }
}
