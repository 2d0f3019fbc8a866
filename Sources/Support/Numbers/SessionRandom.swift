/// Where sessions take chance from: nonces, seeds of digests, confirmations.
public enum SessionRandom {
    /// A simulation gives its own: a unit's time depends on the bytes that it hashes.
    @TaskLocal package static var bits: @Sendable () -> UInt64 = { .random(in: .min ... .max) }

    /// 64 bits in 16 hexadecimal digits: a fixed length, so that timing does not vary.
    public static func hexadecimal() -> String {
        let digits = String(bits(), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
