import Foundation

/// Waits for descriptors with a microsecond limit (`ppoll` is not in Swift's view of glibc).
enum PollSet {
    /// - Parameters:
    ///   - descriptors: below 1024; −1 is passed over.
    ///   - microseconds: at most so long; `nil` for ever.
    /// - Returns: which of them can be read, in their order.
    static func wait(for descriptors: [Int32], microseconds: Int?) -> [Bool] {
        var set = fd_set()
        for descriptor in descriptors where (0..<1024).contains(descriptor) { mark(descriptor, in: &set) }
        let highest = (descriptors.max() ?? -1) + 1
        var count: Int32
        if let microseconds {
            var limit = timeval(tv_sec: 0, tv_usec: microseconds)
            count = select(highest, &set, nil, nil, &limit)
        } else {
            count = select(highest, &set, nil, nil, nil)
        }
        return descriptors.map { count > 0 && (0..<1024).contains($0) && isMarked($0, in: &set) }
    }

    private static func mark(_ descriptor: Int32, in set: inout fd_set) {
        withUnsafeMutableBytes(of: &set) { $0[Int(descriptor) / 8] |= 1 << UInt8(descriptor % 8) }
    }

    private static func isMarked(_ descriptor: Int32, in set: inout fd_set) -> Bool {
        withUnsafeBytes(of: &set) { $0[Int(descriptor) / 8] & 1 << UInt8(descriptor % 8) != 0 }
    }
}
