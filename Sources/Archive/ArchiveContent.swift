import Glibc

/// The bytes of an archive: in memory, or in a file that is read where they are needed.
public struct ArchiveContent: Sendable {
    private enum Place: Sendable {
        case memory([UInt8])
        case file(OpenFile)
    }

    private let place: Place
    public let byteCount: Int

    public init(_ bytes: [UInt8]) {
        place = .memory(bytes)
        byteCount = bytes.count
    }

    /// - Parameters:
    ///   - descriptor: of a regular file; closed with the last copy of this value.
    ///   - byteCount: of the file, which should not change from now on: what reads it has to hold it against digests.
    public init(descriptor: Int32, byteCount: Int) {
        place = .file(OpenFile(descriptor))
        self.byteCount = byteCount
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

    private final class OpenFile: Sendable {
        private let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }
        deinit { close(descriptor) }

        func read(_ range: Range<Int>) -> ArraySlice<UInt8>? {
            let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
                while count < range.count {
                    let got = pread(descriptor, buffer.baseAddress.map { $0 + count }, range.count - count, off_t(range.lowerBound + count))
                    if got < 0, errno == EINTR { continue }
                    guard got > 0 else { return }
                    count += got
                }
            }
            return bytes.count == range.count ? bytes[...] : nil
        }
    }
}
