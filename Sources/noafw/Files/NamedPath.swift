/// A file or folder as named on the command line, and its location.
struct NamedPath: Sendable, Hashable {
    /// As given: for messages and reports.
    let name: String
    /// Absolute: for the file system.
    let location: String

    /// - Parameter folder: the absolute path that a relative name starts from.
    init(_ name: String, in folder: String) {
        self.name = name
        location = name.hasPrefix("/") ? name : "\(folder)/\(name)"
    }
}
