import FoundationEssentials

/// `manifest.json` of a package.
struct Manifest: Codable {
    static let name = "manifest.json"
    /// In bytes; a real one has a few hundred.
    static let sizeLimit = 64 * 1024

    struct Files: Codable {
        var image: String
        var initPacket: String
        /// For phone apps, which cut a SoftDevice with a bootloader by these numbers.
        var sizes: Sizes?

        enum CodingKeys: String, CodingKey { case image = "bin_file", initPacket = "dat_file", sizes = "info_read_only_metadata" }
    }

    /// In bytes.
    struct Sizes: Codable, Hashable {
        var bootloader: UInt32?
        var softDevice: UInt32?

        init(_ command: InitCommand) { (bootloader, softDevice) = (command.bootloaderSize, command.softDeviceSize) }

        enum CodingKeys: String, CodingKey { case bootloader = "bl_size", softDevice = "sd_size" }
    }

    private enum Root: CodingKey { case manifest }

    var files: [FirmwareKind: Files] = [:]

    init() {}

    init(parsing bytes: [UInt8]) throws {
        guard let manifest = try? JSONDecoder().decode(Manifest.self, from: Data(bytes)) else {
            throw DFUError.package(.manifestInvalid(reason: "it is no JSON of the expected form"))
        }
        guard !manifest.files.isEmpty else { throw DFUError.package(.manifestInvalid(reason: "it names no image")) }
        self = manifest
    }

    init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: Root.self).nestedContainer(keyedBy: FirmwareKind.self, forKey: .manifest)
        for kind in parts.allKeys { files[kind] = try parts.decodeIfPresent(Files.self, forKey: kind) }
    }

    func encode(to encoder: any Encoder) throws {
        var root = encoder.container(keyedBy: Root.self)
        var parts = root.nestedContainer(keyedBy: FirmwareKind.self, forKey: .manifest)
        for (kind, entry) in files { try parts.encode(entry, forKey: kind) }
    }

    func serialized() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let text = try? encoder.encode(self) else {
            throw DFUError.package(.archiveNotWritten(reason: "the manifest cannot be serialized"))
        }
        return Array(text)
    }
}

extension FirmwareKind: CodingKey {}
