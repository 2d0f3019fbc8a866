import Support

/// The bytes of an archive: in memory, or in a file that is read where they are needed.
public struct ArchiveContent: Sendable {
    private enum Place: Sendable {
        case memory([UInt8])
        case file(SharedFile)
    }

    private let place: Place
    public let byteCount: Int

    public init(_ bytes: [UInt8]) {
        place = .memory(bytes)
        byteCount = bytes.count
    }

    /// - Parameter file: what reads it has to hold it against digests, as it may change.
    public init(_ file: consuming OpenedFile) {
        byteCount = file.byteCount
        place = .file(SharedFile(file))
    }

    /// Up to `count` bytes from `start` on.
    /// - Returns: fewer than `count` only at the end; `nil` when they cannot be read.
    public func read(from start: Int, count: Int) -> ArraySlice<UInt8>? {
        guard (0...byteCount).contains(start), count >= 0 else { return nil }
        let end = start + min(count, byteCount - start)
        return switch place {
        case .memory(let bytes): bytes[start..<end]
        case .file(let file): file.read(start..<end)
        }
    }

    private final class SharedFile: Sendable {
        private let file: OpenedFile

        init(_ file: consuming OpenedFile) { self.file = file }

        func read(_ range: Range<Int>) -> ArraySlice<UInt8>? {
            guard let bytes = try? file.read(from: range.lowerBound, capacity: range.count), bytes.count == range.count else { return nil }
            return bytes[...]
        }
    }
}
