import ArgumentParser
import Provisioning
import Support

/// `noafw assets refresh`
struct AssetsRefreshCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "refresh",
        abstract: "Write the SHA-256 of edited scripts into their manifests.",
        discussion: """
            Changes the entries that a run would use, and nothing else in a manifest. Firmware and FPGA images are left alone: their \
            digests vouch for the maker's bytes. See noafw assets check for what differs.

            Examples:
              noafw assets refresh
              noafw assets refresh --family frame
              noafw assets refresh --assets my-assets --quiet

            Exit codes: 0 every digest is right, 65 a bad manifest, 66 missing input, 74 I/O.
            """)

    @Option(help: "Only the scripts for these glasses.")
    var family: FamilyName?

    @OptionGroup var voice: QuietOption
    @OptionGroup var options: CatalogueOptions

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: options.json, isQuiet: voice.quiet)
        return await verb.run(failure: { RefreshDocument(error: $0) }, interrupted: { .complete }) { _ in
            let catalogue = try options.catalogue(context)
            var files: [AssetCatalogue.Refreshed] = []
            for known in FamilyList.supported.all where family == nil || family?.id == known.id {
                files += try await catalogue.refreshScripts(of: known, clock: context.clock)
            }
            guard !files.isEmpty else { throw CommandError.noEntries(root: catalogue.root) }
            let changed = files.filter(\.isChanged)
            let lines = changed.map { "\(UntrustedText.escape($0.path)): its SHA-256 is new" }
            return OfflineCommand.Result(
                lines: lines + ["\(changed.count) of \(files.count) digests were changed"],
                document: RefreshDocument(root: catalogue.root, files: files))
        }
    }
}

/// The document `noafw.assets.refresh/1`.
struct RefreshDocument: Encodable, Sendable {
    struct File: Encodable, Sendable { var path: String, changed: Bool }

    let schema = "noafw.assets.refresh/1"
    var root: String?
    var files: [File] = []
    var error: Diagnosis?

    init(root: String? = nil, files: [AssetCatalogue.Refreshed] = [], error: Diagnosis? = nil) {
        (self.root, self.error) = (root, error)
        self.files = files.map { File(path: $0.path, changed: $0.isChanged) }
    }
}
