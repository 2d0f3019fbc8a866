import ArgumentParser
import DFU
import REPL
import Support

/// A public key in words for people, tools and compilers.
enum PackageKeyText {
    enum Form: String, ExpressibleByArgument, Sendable, CaseIterable { case pem, hex, code }

    static func lines(_ key: TrustedKey, _ format: Form) throws -> [String] {
        switch format {
        case .pem: try key.pem().split(separator: "\n").map(String.init)
        case .hex: [HexText.encode(key.coordinates)]
        case .code: code(key.coordinates)
        }
    }

    /// The symbol and the alignment are what the nRF5 SDK's `nrf_dfu_validation.c` links against.
    private static func code(_ coordinates: [UInt8]) -> [String] {
        let rows = [coordinates.prefix(32), coordinates.suffix(32)].map { half in
            "    " + half.map { "0x" + HexText.encode([$0]) }.joined(separator: ", ")
        }
        return [
            "#include <stdint.h>", "#include \"compiler_abstraction.h\"", "",
            "/* The public key that DFU packages are verified with: x and y, least significant byte first. */",
            "__ALIGN(4) const uint8_t pk[64] =", "{", rows[0] + ",", rows[1], "};",
        ]
    }
}
