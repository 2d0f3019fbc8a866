/// The names an entry may have: printable ASCII without `\` and `:`, 128 bytes at most, no `.` and `..`, not absolute.
enum EntryName {
    static let longest = 128

    static func isSafe(_ name: [UInt8], allowsFolders: Bool) -> Bool {
        guard !name.isEmpty, name.count <= longest,
            name.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\\") && $0 != UInt8(ascii: ":") })
        else { return false }
        let parts = name.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return (allowsFolders || parts.count == 1) && parts.allSatisfy(isSafePart)
    }

    /// A name such as `a..b` is harmless, but nothing that makes archives needs it.
    private static func isSafePart(_ part: ArraySlice<UInt8>) -> Bool {
        let dot = UInt8(ascii: ".")
        return !part.isEmpty && !part.elementsEqual([dot]) && !zip(part, part.dropFirst()).contains { $0 == dot && $1 == dot }
    }

    /// A name for a message: at most 60 characters, with everything but printable ASCII escaped.
    static func printable(_ name: [UInt8]) -> String {
        name.prefix(60).map { byte -> String in
            guard (0x20...0x7E).contains(byte), byte != UInt8(ascii: "\\") else {
                return "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
            return String(UnicodeScalar(byte))
        }.joined()
    }
}
