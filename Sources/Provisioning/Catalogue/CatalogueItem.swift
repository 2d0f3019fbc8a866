import ScriptBundle

extension Component {
    /// Of the asset root, for a family's images.
    func folder(for hardware: String) -> String {
        switch self {
        case .firmware: "Firmware"
        case .fpga: "FPGA"
        case .scripts: "Scripts/\(hardware)"
        }
    }
}

/// One entry of a manifest.
public struct CatalogueItem: Sendable, Hashable {
    public var component: Component
    public var version: String
    public var hardware: String
    public var folder: String
    /// In the manifest's order.
    public var files: [String]
    /// Lower-case hexadecimal, one for each file.
    public var digests: [String]
    public var isDevelopment: Bool
    /// Whether a run without further options uses it.
    public var isChosen: Bool
    var key: String?
}

extension AssetCatalogue {
    /// Every entry of every manifest, in their order; the files themselves are not read.
    /// - Throws: ``CatalogueError``.
    public func items(of families: FamilyList) throws(CatalogueError) -> [CatalogueItem] {
        var items: [CatalogueItem] = []
        for (component, folder) in try folders(of: families) {
            let manifest = try CatalogueManifest(path: "\(folder)/manifest.json")
            var chosen: [String: String] = [:]
            for entry in manifest.entries {
                if chosen[entry.hardware] == nil { chosen[entry.hardware] = try manifest.choose(for: entry.hardware).version }
                items.append(CatalogueItem(
                    component: component, version: entry.version, hardware: entry.hardware, folder: folder,
                    files: entry.listed.map(\.file), digests: entry.listed.map { $0.sha256.lowercased() },
                    isDevelopment: entry.isDevelopment, isChosen: chosen[entry.hardware] == entry.version, key: entry.key))
            }
        }
        return items
    }

    /// The folders with a manifest: a family's scripts may be missing, the rest may not.
    private func folders(of families: FamilyList) throws(CatalogueError) -> [(Component, String)] {
        let scripts = families.scripts.map { (Component.scripts, "\(root)/\(Component.scripts.folder(for: $0.name))") }
        return [(.firmware, "\(root)/Firmware"), (.fpga, "\(root)/FPGA")]
            + scripts.filter { CatalogueFiles.exists("\($0.1)/manifest.json") }
    }
}
