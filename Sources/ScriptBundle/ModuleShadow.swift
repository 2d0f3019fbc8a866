/// Files and folders that Python on a Monocle loads instead of a script or a firmware module. It searches the file system
/// before its frozen modules and most built-in ones, and folders before files (micropython, `py/builtinimport.c`).
struct ModuleShadow {
    /// Modules that the firmware v23.248.0754 can import (monocle-micropython, `modules`; micropython, core features).
    static let firmwareModules: Set<String> = [
        "array", "asyncio", "binascii", "builtins", "collections", "errno", "gc", "hashlib", "io", "json", "math", "micropython", "os",
        "random", "re", "select", "struct", "sys", "time", "vgr2d", "_camera", "_display", "_update", "bluetooth", "camera", "device",
        "display", "fpga", "led", "microphone", "touch", "update",
    ]

    private static let suffixes = [".py", ".mpy"]

    private let modules: Set<String>

    /// Neither the scripts nor their imports may be hidden.
    init(for scripts: ScriptSet) {
        let names = scripts.files.compactMap { Self.stem(of: $0.name) }
        modules = Self.firmwareModules.union(names).union(scripts.files.flatMap { Self.imports(in: $0.bytes) })
    }

    func hides(_ name: String) -> Bool { Self.stem(of: name).map(modules.contains) ?? false }

    /// The module name under which a file or folder is found; `nil` if it cannot be imported.
    private static func stem(of name: String) -> String? {
        let isFolder = name.hasSuffix("/")
        let base = isFolder ? String(name.dropLast()) : name
        if let suffix = suffixes.first(where: base.hasSuffix) { return String(base.dropLast(suffix.count)) }
        return isFolder ? base : nil
    }

    /// All words in lines that import something; may include too many.
    private static func imports(in script: [UInt8]) -> [String] {
        script.split(separator: 0x0A).flatMap { line -> [String] in
            let words = line.split { !$0.isWordByte }.map { String(decoding: $0, as: UTF8.self) }
            return words.contains("import") ? words : []
        }
    }
}
