import REPL

/// The scripts of one unit, in the order in which they are hashed and installed, and their version.
public struct ScriptSet: Sendable, Hashable {
    public struct File: Sendable, Hashable {
        public let name: String
        public let bytes: [UInt8]

        public init(name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }
    }

    public static let maximumFileCount = 64
    public static let maximumFileByteCount = 1024 * 1024
    static let mainName = "main.py"

    /// Unchanged, `main.py` last.
    public let files: [File]
    /// `SHA256 digest: ` and 64 hexadecimal digits, as the phone app computes it.
    public let version: String

    /// - Throws: ``ScriptError`` for unsafe names, a missing `main.py`, too many or too long files.
    public init(files: [File], place: String = "the script set") throws {
        guard files.count <= Self.maximumFileCount else { throw ScriptError.tooManyFiles(files.count) }
        var names: Set<String> = []
        for file in files {
            guard Self.isSafe(file.name) else { throw ScriptError.nameUnsafe(file.name) }
            guard names.insert(file.name).inserted else { throw ScriptError.duplicateName(file.name) }
            guard file.bytes.count <= Self.maximumFileByteCount else {
                throw ScriptError.fileTooLong(file.name, byteCount: file.bytes.count)
            }
        }
        guard names.contains(Self.mainName) else { throw ScriptError.mainMissing(place: place) }
        let ordered = files.sorted { Self.rank($0.name) < Self.rank($1.name) }
        self.files = ordered
        version = Self.version(of: ordered)
    }

    /// What lands on the unit: the same bytes, with the version's line in front of `main.py`.
    public var installed: [File] {
        files.map { file in
            guard file.name == Self.mainName else { return file }
            return File(name: file.name, bytes: Array("ARGPT_VERSION=\"\(version)\"\n".utf8) + file.bytes)
        }
    }

    /// What an operator should know; empty for a usual set.
    public var warnings: [String] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return files.filter { $0.bytes.starts(with: mark) }.map {
            "\($0.name) begins with a byte order mark, which MicroPython takes for a part of the first word"
        }
    }

    /// The phone app's order (noa-for-ios, `Controller.swift`); other files come before `main.py`, by name.
    private static func rank(_ name: String) -> (Int, String) {
        let order = ["states.py", "graphics.py", "audio.py", "photo.py"]
        if name == mainName { return (order.count + 1, name) }
        return (order.firstIndex(of: name) ?? order.count, name)
    }

    /// Names and contents one after the other, each 0x0A as the two characters `\n`, hashed. The app hashes UTF-8 text; here it is
    /// the bytes as they are, so any content has a version, and text has the app's.
    private static func version(of files: [File]) -> String {
        var hashed: [UInt8] = []
        for file in files {
            hashed += file.name.utf8
            for byte in file.bytes {
                if byte == 0x0A { hashed += Array(#"\n"#.utf8) } else { hashed.append(byte) }
            }
        }
        return "SHA256 digest: " + HexText.encode(SHA256.of(hashed))
    }

    /// Paths on the unit are limited to 64 bytes (monocle-micropython, `mpconfigport.h`), less the suffix of an upload.
    static func isSafe(_ name: String) -> Bool {
        let stem = name.utf8.dropLast(3)
        return name.hasSuffix(".py") && !stem.isEmpty && name.utf8.count <= 56 && stem.first != UInt8(ascii: ".")
            && stem.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
                default: false
                }
            }
    }
}
