/// A file or folder as the command line names it, and where that is.
struct NamedPath: Sendable, Hashable {
    /// As it was given: for messages and reports.
    let name: String
    /// Absolute: for the file system.
    let location: String

    /// - Parameter folder: the absolute path of the folder that a relative name starts from.
    init(_ name: String, in folder: String) {
        self.name = name
        location = name.hasPrefix("/") ? name : "\(folder)/\(name)"
    }
}
