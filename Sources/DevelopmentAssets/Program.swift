import Foundation

/// `DevelopmentAssets [--small] FOLDER` makes the images that the folder's manifests describe; a slow bench flashes `--small` ones in
/// seconds. Manifests, scripts, the signing key and a package's signature are input: running it twice changes nothing.
@main
enum Program {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let isSmall = arguments.first == "--small"
        if isSmall { arguments.removeFirst() }
        guard arguments.count == 1, let root = arguments.first, !root.hasPrefix("-") else {
            complain("usage: DevelopmentAssets [--small] FOLDER")
            exit(64)
        }
        do {
            try AssetGenerator(root: URL(fileURLWithPath: root, isDirectory: true), isSmall: isSmall).run()
        } catch {
            complain("cannot write the development assets: \(error)")
            exit(74)
        }
    }

    private static func complain(_ message: String) { FileHandle.standardError.write(Data((message + "\n").utf8)) }
}
