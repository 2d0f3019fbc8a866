/// Where sessions take chance from: nonces, seeds of digests, confirmations.
public enum SessionRandom {
    /// Optimised code crashes with a task local whose value is a function itself.
    package struct Source: Sendable {
        fileprivate let bits: @Sendable () -> UInt64

        package init(_ bits: @escaping @Sendable () -> UInt64) { self.bits = bits }
    }

    /// A simulation gives its own: a unit's time depends on the bytes that it hashes.
    @TaskLocal package static var source = Source { .random(in: .min ... .max) }

    package static func bits() -> UInt64 { source.bits() }

    /// 64 bits in 16 hexadecimal digits: a fixed length, so that timing does not vary.
    public static func hexadecimal() -> String {
        let digits = String(bits(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
