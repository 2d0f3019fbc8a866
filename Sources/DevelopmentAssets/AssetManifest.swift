import Foundation

/// A `manifest.json` to which an entry is added; what others wrote into it stays.
struct AssetManifest {
    enum Failure: Error, CustomStringConvertible {
        case notAManifest(String)

        var description: String {
            switch self { case .notAManifest(let path): "\(path) is no manifest" }
        }
    }

    private let file: URL

    init(folder: URL) { file = folder.appendingPathComponent("manifest.json") }

    /// Puts `entry` in the place of the one with the same version and hardware, else behind the last one.
    func put(_ entry: [String: Any]) throws {
        var document = try read()
        guard var entries = document["entries"] as? [[String: Any]] else { throw Failure.notAManifest(file.path) }
        let position = entries.firstIndex { other in
            ["version", "hardware"].allSatisfy { other[$0] as? String == entry[$0] as? String }
        }
        if let position { entries[position] = entry } else { entries.append(entry) }
        document["entries"] = entries
        var text = try JSONSerialization.data(
            withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        text.append(UInt8(ascii: "\n"))
        if let present = try? Data(contentsOf: file), present == text { return }
        try text.write(to: file, options: .atomic)
    }

    private func read() throws -> [String: Any] {
        guard FileManager.default.fileExists(atPath: file.path) else { return ["entries": [[String: Any]]()] }
        guard let document = try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any] else {
            throw Failure.notAManifest(file.path)
        }
        return document
    }
}
