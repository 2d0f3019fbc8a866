import Foundation

/// `DevelopmentAssets [--small] OUTPUT_FOLDER` writes the development images and the manifests of all three asset
/// folders, with `--small` images that a slow bench flashes in seconds.
///
/// What the folder already holds is input: the signing key, the package's signature, the scripts, and the entries that
/// somebody added to a manifest. Running it twice changes nothing.
@main
enum Program {
    static func main() {
        var arguments = CommandLine.arguments.dropFirst()
        let isSmall = arguments.first == "--small"
        if isSmall { arguments.removeFirst() }
        guard arguments.count == 1, let root = arguments.first, !root.hasPrefix("-") else {
            complain("usage: DevelopmentAssets [--small] OUTPUT_FOLDER")
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
