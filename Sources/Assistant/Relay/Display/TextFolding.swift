/// What became of a text's characters on the way to a display that cannot show them all. Characters are counted as a reader
/// sees them.
public struct TextFolding: Sendable, Hashable {
    /// Shown by similar ones: "é" as "e", "щ" as "shch".
    public var similar: Int
    /// Shown as a question mark.
    public var unknown: Int
    /// Left out: the unit's program cannot hold so much text.
    public var omitted: Int

    public init(similar: Int = 0, unknown: Int = 0, omitted: Int = 0) {
        self.similar = similar
        self.unknown = unknown
        self.omitted = omitted
    }

    /// Whether the display shows what was written.
    public var isExact: Bool { similar == 0 && unknown == 0 && omitted == 0 }
}
