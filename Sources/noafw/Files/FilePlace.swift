import FoundationEssentials
import Glibc

/// The real location of a path, behind links, even if it does not exist yet.
struct FilePlace {
    /// What exists: the file, or the folder that would hold it, and all folders above.
    private let chain: [FileIdentity]
    /// The names below that do not exist yet.
    private let rest: [String]

    private init(chain: [FileIdentity], rest: [String]) { (self.chain, self.rest) = (chain, rest) }

    init(_ path: String) {
        var (path, rest) = (Self.behindLinks(path), [String]())
        while path != "/", FileIdentity(path) == nil {
            let name = String(path.split(separator: "/").last ?? "/")
            if name != "." { rest.insert(name, at: 0) }
            path = Self.behindLinks(Self.folder(of: path))
        }
        // A folder that is created on the way, and left again.
        if let back = rest.firstIndex(of: "..") {
            rest.removeSubrange(max(0, back - 1)...back)
            self = FilePlace(([path] + rest).joined(separator: "/"))
            return
        }
        var chain: [FileIdentity] = []
        // Asks the kernel, because `..` behind a link is not the folder that the path names.
        while let here = FileIdentity(path), here != chain.last {
            chain.append(here)
            path = here.isFolder ? path + "/.." : Self.folder(of: path)
        }
        self = FilePlace(chain: chain, rest: rest)
    }

    func isSame(as other: FilePlace) -> Bool { !chain.isEmpty && chain.first == other.chain.first && rest == other.rest }

    /// Whether it is that file, or in that folder, under this or another of its names.
    func isWithin(_ path: String) -> Bool {
        let folder = FilePlace(path)
        guard let place = folder.chain.first else { return false }
        if folder.rest.isEmpty ? chain.contains(place) : chain.first == place && rest.starts(with: folder.rest) { return true }
        guard rest.isEmpty, let own = chain.first, !own.isFolder, own.names > 1,
            let names = try? FileManager.default.subpathsOfDirectory(atPath: path)
        else { return false }
        return names.contains { FileIdentity("\(path)/\($0)") == own }
    }

    /// Empty for a name alone.
    private static func folder(of path: String) -> String {
        let names = path.split(separator: "/").dropLast()
        return (path.hasPrefix("/") ? "/" : "") + names.joined(separator: "/")
    }

    private static func behindLinks(_ path: String) -> String {
        var path = path
        // The kernel's limit.
        for _ in 0..<40 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { break }
            path = NamedPath(target, in: folder(of: path)).location
        }
        return path
    }
}

/// Equal for two paths to the same file.
private struct FileIdentity: Equatable {
    private let device: dev_t
    private let inode: ino_t
    let isFolder: Bool
    let names: nlink_t

    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, inode, names) = (status.st_dev, status.st_ino, status.st_nlink)
        isFolder = status.st_mode & S_IFMT == S_IFDIR
    }

    static func == (one: Self, other: Self) -> Bool { one.device == other.device && one.inode == other.inode }
}
