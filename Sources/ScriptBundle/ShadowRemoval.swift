/// How a person removes files and folders that hide a script or a module.
public enum ShadowRemoval {
    /// A line of Python. `uos` is always the firmware's own module, whatever files are called.
    /// - Parameter names: as the unit lists them, a folder's ends in `/`; only the first eight are used.
    public static func code(for names: [String]) -> String {
        let told = names.prefix(8)
        let removals = told.map { $0.hasSuffix("/") ? "rm(\(literal(String($0.dropLast()))))" : "uos.remove(\(literal($0)))" }
        let tree = told.contains { $0.hasSuffix("/") } ? [removesTree] : []
        return (["import uos"] + tree + removals).joined(separator: "; ")
    }

    private static let removesTree = "rm=lambda p:([rm(p+'/'+f)for f in uos.listdir(p)],uos.rmdir(p))"
        + "if uos.stat(p)[0]&0x4000 else uos.remove(p)"

    /// A unit's file names are untrusted, and the line is pasted at its prompt.
    private static func literal(_ name: String) -> String {
        let escaped = name.unicodeScalars.map { scalar in
            switch scalar {
            case "'", "\\": "\\\(scalar)"
            case " "..."~": String(scalar)
            default: "\\U" + String(repeating: "0", count: 8 - String(scalar.value, radix: 16).count) + String(scalar.value, radix: 16)
            }
        }
        return "'\(escaped.joined())'"
    }
}
