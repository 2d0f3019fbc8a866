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

    private init(name: String, location: String) { (self.name, self.location) = (name, location) }

    /// In a folder of this path.
    func appending(_ part: String) -> NamedPath { NamedPath(name: "\(name)/\(part)", location: "\(location)/\(part)") }
}
