import Foundation

extension UnitFolder {
    /// Opens a Frame's folder, or makes one without scripts.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that is not made yet.
    static func frame(root: URL, name: String) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: "frame") { _ in }
    }
}
