import ArgumentParser
import Download
import Provisioning
import Support

/// `noafw assets fetch`
struct AssetsFetchCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch the maker's released files for a family, and add them to the catalogue.",
        discussion: """
            The addresses and the SHA-256 of the files are part of noafw (docs/assets.md): a file that is another one is not kept. Shows \
            each address before it asks there. What was fetched before is taken from the cache and needs no network. HTTPS_PROXY, NO_PROXY \
            and SSL_CERT_FILE are respected. Each file is then checked and added as by noafw assets add.

            Examples:
              noafw assets fetch frame
              noafw assets fetch monocle --mirror https://files.example.com/noafw
              noafw assets fetch frame --dry-run

            Exit codes: 0 added or there already, 64 nothing is released for the family, 65 another file came, 69 no network or the server \
            refuses, 74 I/O, 75 the next try may work.
            """)

    @Argument(help: ArgumentHelp("The glasses: \(Self.names).", valueName: "family"), completion: .list(Self.families))
    var family: FamilyName

    @Option(help: ArgumentHelp("Fetch files of the same names from this folder of a server of your own.", valueName: "url"))
    var mirror: String?

    @Flag(help: "Show the addresses and digests. Fetch nothing.")
    var dryRun = false

    @OptionGroup var voice: QuietOption
    @OptionGroup var options: CatalogueOptions

    private static var families: [String] { SupportedFamily.all.filter { !$0.released.isEmpty }.map(\.id.rawValue) }
    private static var names: String { families.joined(separator: " or ") }

    private var files: [VendorFile] { SupportedFamily[family.id]?.released ?? [] }

    func validate() throws {
        if files.isEmpty { throw ValidationError("Nothing that noafw knows is released for the \(family.id): name \(Self.names).") }
        if let mirror, (try? files[0].pinned(mirror: mirror)) == nil {
            throw ValidationError("--mirror is an address such as https://files.example.com/noafw.")
        }
    }

    func run(in context: CommandContext) async -> Int32 {
        let verb = OfflineCommand(context: context, isJSON: options.json, isQuiet: voice.quiet)
        return await verb.run(failure: { FetchDocument(error: $0) }, interrupted: { .complete }) { _ in
            let pinned = try files.map { ($0, try $0.pinned(mirror: mirror)) }
            guard !dryRun else {
                let lines = pinned.flatMap { file, pin in
                    [pin.address, "  \(file.component) \(file.version), \(Format.bytes(file.byteCount)) bytes, SHA-256 \(pin.sha256)"]
                }
                let planned = pinned.map { FetchDocument.File($0.0, $0.1, action: "planned") }
                return OfflineCommand.Result(lines: lines, document: FetchDocument(files: planned))
            }
            let catalogue = try options.catalogue(context)
            let downloader = try context.downloader(note: context.note)
            var document = FetchDocument()
            var lines: [String] = []
            for (file, pin) in pinned {
                let path = try await context.interruptible { try await downloader.fetch(pin) }
                let bytes = try InputFile.read(context.path(path), limit: file.byteCount)
                let addition = try await AssetEntry(bytes: bytes, name: file.name, hardware: family.id.rawValue, stated: file.version)
                    .add(to: catalogue, verb, clock: context.clock)
                lines.append(addition.line)
                document.files.append(.init(file, pin, action: addition.isNew ? "added" : "present", path: addition.path))
            }
            return OfflineCommand.Result(lines: lines, document: document)
        }
    }
}

/// The document `noafw.assets.fetch/1`.
struct FetchDocument: Encodable, Sendable {
    struct File: Encodable, Sendable {
        var part: Component
        var version, url, sha256: String
        var bytes: Int
        var action: String
        var path: String?

        init(_ file: VendorFile, _ pin: PinnedFile, action: String, path: String? = nil) {
            (part, version, url, sha256, bytes) = (file.component, file.version, pin.address, pin.sha256, file.byteCount)
            (self.action, self.path) = (action, path)
        }
    }

    let schema = "noafw.assets.fetch/1"
    var files: [File] = []
    var error: Diagnosis?
}
