/// A name in a Frame's file system: parts of any bytes but `/` and 0.
struct FramePath: Hashable {
    private(set) var parts: [[UInt8]]

    static let root = FramePath(parts: [])
    /// In bytes.
    private static let largestPart = 255

    private init(parts: [[UInt8]]) { self.parts = parts }

    /// `nil` for a part that is too long. The root is its own parent (LittleFS).
    init?(_ name: [UInt8]) {
        parts = []
        for part in name.split(separator: UInt8(ascii: "/")) where part != [UInt8(ascii: ".")] {
            if part == [UInt8(ascii: "."), UInt8(ascii: ".")] {
                _ = parts.popLast()
            } else {
                guard part.count <= Self.largestPart else { return nil }
                parts.append(Array(part))
            }
        }
    }

    var isRoot: Bool { parts.isEmpty }
    var parent: FramePath { FramePath(parts: parts.dropLast()) }

    func appending(_ part: [UInt8]) -> FramePath { FramePath(parts: parts + [part]) }

    /// Whether `other` lies below.
    func contains(_ other: FramePath) -> Bool { other.parts.count > parts.count && other.parts.starts(with: parts) }

    /// Where it is once `old` is called `new`; `nil` where it stays.
    func moved(from old: FramePath, to new: FramePath) -> FramePath? {
        self == old || old.contains(self) ? FramePath(parts: new.parts + parts.dropFirst(old.parts.count)) : nil
    }
}
