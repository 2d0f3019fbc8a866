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

    /// The folders with a manifest: a family's own may be missing, the others may not.
    private func folders(of families: FamilyList) throws(CatalogueError) -> [(Component, String)] {
        var folders: [(Component, String)] = []
        for component in families.components {
            guard let slot = component.slot else { continue }
            let takers = families.all.filter { $0.components.contains(component) }
            for family in slot.isByFamily ? takers : Array(takers.prefix(1)) {
                let folder = "\(root)/\(slot.folder(for: family.id.rawValue))"
                if !slot.isByFamily || CatalogueFiles.exists("\(folder)/manifest.json") { folders.append((component, folder)) }
            }
        }
        return folders
    }
}
