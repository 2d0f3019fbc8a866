import ArgumentParser
import DFU

/// A number of an init packet: decimal, or hexadecimal after `0x`; 0 to 4294967295.
struct WireNumber: ExpressibleByArgument, Sendable, Hashable {
    var value: UInt32

    init?(argument: String) {
        guard let value = Self.parse(argument) else { return nil }
        self.value = value
    }

    static func parse(_ text: some StringProtocol) -> UInt32? {
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        let digits = isHexadecimal ? text.dropFirst(2) : text[...]
        guard let first = digits.first, first != "+", first != "-" else { return nil }
        return UInt32(digits, radix: isHexadecimal ? 16 : 10)
    }
}

/// `x.y.z`, which becomes x·10000 + y·100 + z as in nrfutil.
struct DottedVersion: ExpressibleByArgument, Sendable, Hashable {
    var value: UInt32

    /// - Returns: `nil` also where nrfutil would let 1.100.0 become the same number as 2.0.0.
    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { $0.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt32($0) : nil }
        guard numbers.count == 3, parts.count == 3, numbers[0] <= 429_496, numbers[1] < 100, numbers[2] < 100 else {
            return nil
        }
        value = numbers[0] * 10_000 + numbers[1] * 100 + numbers[2]
    }
}

/// A comma-separated list of SoftDevice firmware ids, each of 16 bits.
struct SoftDeviceList: ExpressibleByArgument, Sendable, Hashable {
    var ids: [UInt32]

    init?(argument: String) {
        let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
        let ids = parts.compactMap { WireNumber.parse($0) }.filter { $0 <= 0xFFFF }
        guard ids.count == parts.count else { return nil }
        self.ids = ids
    }
}

/// A method of boot validation, by nrfutil's name or by a short one.
extension BootValidation.Method: ExpressibleByArgument {
    private static let names = [
        "NO_VALIDATION": none, "VALIDATE_GENERATED_CRC": crc, "VALIDATE_GENERATED_SHA256": sha256, "VALIDATE_ECDSA_P256_SHA256": ecdsaP256,
    ]

    public init?(argument: String) {
        guard let method = Self.names[argument] ?? Self(rawValue: argument), method != .unknown else { return nil }
        self = method
    }

    public static var allValueStrings: [String] { [none, crc, sha256, ecdsaP256].map(\.rawValue) }
    public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
    public var defaultValueDescription: String { rawValue }
}
