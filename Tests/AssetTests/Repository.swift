import Foundation

/// The committed assets.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let scripts = root.appendingPathComponent("Scripts/monocle", isDirectory: true)
    static let scriptNames = ["states.py", "graphics.py", "audio.py", "photo.py", "main.py"]

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: root.appendingPathComponent(path)))
    }

    /// All files of the three folders by their paths below the root, hidden ones excepted.
    static func assets(under root: URL) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        for folder in ["Firmware", "FPGA", "Scripts/monocle", "Scripts/frame"] {
            let place = root.appendingPathComponent(folder).path
            for name in try FileManager.default.contentsOfDirectory(atPath: place) where !name.hasPrefix(".") {
                found["\(folder)/\(name)"] = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(place)/\(name)")))
            }
        }
        return found
    }

    /// Runs `body` with a copy of the committed assets.
    static func withCopy<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let copy = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-assets-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: copy) }
        for (path, bytes) in try assets(under: root) {
            let file = copy.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(bytes).write(to: file)
        }
        return try body(copy)
    }
}
