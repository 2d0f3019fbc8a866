import Foundation

/// `manifest.json` of a package: which entry is the image and which the init packet of each kind of firmware.
struct Manifest: Codable {
    static let name = "manifest.json"
    /// In bytes; a real one has a few hundred.
    static let sizeLimit = 64 * 1024

    struct Files: Codable {
        var image: String
        var initPacket: String
        /// For phone apps, which cut a SoftDevice with a bootloader by these numbers.
        var sizes: Sizes?

        enum CodingKeys: String, CodingKey {
            case image = "bin_file"
            case initPacket = "dat_file"
            case sizes = "info_read_only_metadata"
        }
    }

    /// In bytes.
    struct Sizes: Codable, Hashable {
        var bootloader: UInt32?
        var softDevice: UInt32?

        enum CodingKeys: String, CodingKey {
            case bootloader = "bl_size"
            case softDevice = "sd_size"
        }
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    var files: [FirmwareKind: Files]

    init(files: [FirmwareKind: Files]) { self.files = files }

    init(parsing bytes: [UInt8]) throws {
        do {
            self = try JSONDecoder().decode(Manifest.self, from: Data(bytes))
        } catch {
            throw DFUError.package(.manifestInvalid(reason: "it is no JSON of the expected form"))
        }
        guard !files.isEmpty else {
            throw DFUError.package(.manifestInvalid(reason: "it names no image"))
        }
    }

    init(from decoder: any Decoder) throws {
        let parts = try decoder.container(keyedBy: Key.self)
            .nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "manifest"))
        files = [:]
        for kind in FirmwareKind.allCases {
            files[kind] = try parts.decodeIfPresent(Files.self, forKey: Key(stringValue: kind.rawValue))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var outer = encoder.container(keyedBy: Key.self)
        var parts = outer.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "manifest"))
        for (kind, entry) in files { try parts.encode(entry, forKey: Key(stringValue: kind.rawValue)) }
    }

    func serialized() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            return try Array(encoder.encode(self))
        } catch {
            throw DFUError.package(.archiveNotWritten(reason: "the manifest cannot be serialized"))
        }
    }
}
