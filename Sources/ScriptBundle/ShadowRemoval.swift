/// How a person takes away files and folders that hide a script or a module.
public enum ShadowRemoval {
    /// Names that are told.
    private static let limit = 8

    /// A line of Python. `uos` is the firmware's own module, whatever file is called after it.
    /// - Parameter names: as the unit lists them, a folder's ends in `/`; of more than eight the first.
    public static func code(for names: [String]) -> String {
        let removals = names.prefix(limit).map { name in
            guard name.hasSuffix("/") else { return "uos.remove(\(literal(name)))" }
            let folder = literal(String(name.dropLast()))
            return "[uos.remove(\(literal(name))+f) for f in uos.listdir(\(folder))]; uos.rmdir(\(folder))"
        }
        return (["import uos"] + removals).joined(separator: "; ")
    }

    /// A unit may call its files as it likes, and the line is pasted at its prompt.
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
