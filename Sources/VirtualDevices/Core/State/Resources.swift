import Bluetooth
import Foundation

/// Locates the files that the virtual units run, next to the binary or under its prefix. SwiftPM's own accessor ends the
/// process when the binary was moved without them.
struct Resources: Sendable {
    static let folder = "noafw_VirtualDevices.resources"

    let searched: [String]

    /// - Parameter executable: the running program's path, with links resolved.
    init(executable: String) {
        let place = URL(fileURLWithPath: executable).deletingLastPathComponent()
        let prefix = place.deletingLastPathComponent()
        searched = [place, prefix.appendingPathComponent("share/noafw")].map { $0.appendingPathComponent(Self.folder).path }
    }

    static let own = Resources(executable: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/")

    /// - Throws: ``UnitFolderError/resourceMissing(name:searched:)``.
    func locate(_ name: String) throws(UnitFolderError) -> URL {
        for folder in searched {
            let place = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(name, isDirectory: true)
            if FileManager.default.fileExists(atPath: place.path) { return place }
        }
        throw .resourceMissing(name: name, searched: searched)
    }
}
