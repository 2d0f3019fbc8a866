import Foundation

/// What a virtual Monocle leaves the virtual factory with: images of the project's own, of realistic size.
enum FactoryImages {
    static let firmwareVersion = "v23.100.0927"
    static let fpgaVersion = "v23.094.1109"
    /// The image inside the FPGA itself, which runs when the flash holds no committed one.
    static let builtInFPGAVersion = "v22.351.1434"

    /// An application image of 200,004 bytes with its version as plain text.
    static func application() -> [UInt8] {
        var image = noise(count: 200_004, seed: 0x4D_4F_4E)
        image.replaceSubrange(4096..<4096 + 13, with: Array(firmwareVersion.utf8) + [0])
        return image
    }

    /// A flash content of 444,430 bytes, half of it zeros.
    static func fpga() -> [UInt8] {
        var image = [UInt8](repeating: 0, count: FPGAFlash.markerAddress)
        let noise = noise(count: image.count / 2, seed: 0x46_50_47)
        for block in stride(from: 0, to: noise.count - 512, by: 512) {
            image.replaceSubrange(block * 2..<block * 2 + 512, with: noise[block..<block + 512])
        }
        return image
    }

    /// The `vYY.DDD.HHMM` that stands in an application image as plain text.
    static func versionText(in image: [UInt8]) -> String {
        let pattern = Array("v00.000.0000".utf8)
        for start in image.indices.dropLast(pattern.count) where image[start] == pattern[0] {
            let candidate = image[start..<start + pattern.count]
            let fits = zip(candidate, pattern).allSatisfy { byte, model in
                model == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == model
            }
            if fits { return String(decoding: candidate, as: UTF8.self) }
        }
        return "unknown"
    }

    private static func noise(count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
    }
}
