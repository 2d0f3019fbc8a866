import Support

/// Scripts that a compiler reads as one text. It accepts the text only if it would accept each of them.
struct ScriptGroup {
    private static let byteLimit = 256 * 1024
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
    /// Two comments between statements. Within a text that a script left open, the first or the second ends it, and two numbers follow;
    /// within a bracket it is the zeros that nothing separates from what stands before.
    private static let boundary = Array("\n0 #''' 1 1\n0 #\"\"\" 1 1\n".utf8)

    var files: [ScriptSet.File]

    var text: [UInt8] { Array(files.map(\.bytes).joined(separator: Self.boundary)) }

    var halves: [ScriptGroup] {
        let middle = files.count / 2
        return [ScriptGroup(files: Array(files[..<middle])), ScriptGroup(files: Array(files[middle...]))]
    }

    static func groups(of files: [ScriptSet.File], for tool: SyntaxTool) -> [ScriptGroup] {
        var (groups, byteCount, mayGrow): ([ScriptGroup], Int, Bool) = ([], 0, false)
        for file in files {
            let isJoinable = tool == .mpyCross && isJoinable(file.bytes)
            if mayGrow, isJoinable, byteCount + file.bytes.count <= byteLimit {
                groups[groups.count - 1].files.append(file)
                byteCount += file.bytes.count
            } else {
                groups.append(ScriptGroup(files: [file]))
                byteCount = file.bytes.count
            }
            mayGrow = isJoinable
        }
        return groups
    }

    /// A backslash at the end would take the boundary for its own line; a constant would hold for the scripts after it.
    private static func isJoinable(_ bytes: [UInt8]) -> Bool {
        let last = bytes.last { $0 != 0x0A && $0 != 0x0D }
        return last != UInt8(ascii: "\\") && !bytes.starts(with: byteOrderMark) && !bytes.contains(bytes: "const".utf8)
    }
}
