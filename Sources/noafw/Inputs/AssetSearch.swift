import Provisioning

/// Where the catalogue may be. It is looked for only when a part has no file of its own.
struct AssetSearch: Sendable, Hashable {
    var given: String?
    var environment: [String: String]
    var currentDirectory: String
    var executable: String?

    func path(_ name: String) -> NamedPath { NamedPath(name, in: currentDirectory) }

    func locate() throws(CatalogueError) -> AssetCatalogue {
        try AssetCatalogue.locate(
            given: given, environment: environment, currentDirectory: currentDirectory, executable: executable)
    }
}
