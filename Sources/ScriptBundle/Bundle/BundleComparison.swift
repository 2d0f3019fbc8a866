/// A difference between a folder and the bundle made from it.
public enum BundleDifference: Sendable, Hashable, CustomStringConvertible {
    case onlyInBundle(String)
    case onlyInFolder(String)
    /// Lengths in bytes.
    case differs(String, bundle: Int, folder: Int)
    case order
    /// A firmware package or FPGA image given for comparison.
    case image(String)

    public var description: String {
        switch self {
        case .onlyInBundle(let name): "\(name) is in the bundle only"
        case .onlyInFolder(let name): "\(name) is in the folder only"
        case .differs(let name, let bundle, let folder) where bundle == folder: "\(name) differs in content"
        case .differs(let name, let bundle, let folder):
            "\(name) has \(folder) bytes in the folder, \(bundle) in the bundle"
        case .order: "the scripts are in a different order"
        case .image(let part): "the \(part) differs"
        }
    }
}

extension ScriptSet {
    /// Differences in `folder`; empty if it would make the same bundle.
    public func differences(in folder: ScriptSet) -> [BundleDifference] {
        let bundled = Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0.bytes) })
        let present = Set(folder.files.map(\.name))
        var found = files.filter { !present.contains($0.name) }.map { BundleDifference.onlyInBundle($0.name) }
        for file in folder.files where bundled[file.name] != file.bytes {
            let bytes = bundled[file.name]
            found.append(bytes.map { .differs(file.name, bundle: $0.count, folder: file.bytes.count) } ?? .onlyInFolder(file.name))
        }
        if found.isEmpty, files.map(\.name) != folder.files.map(\.name) { found.append(.order) }
        return found
    }
}
