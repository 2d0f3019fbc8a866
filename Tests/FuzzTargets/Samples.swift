import Archive
import DFU

/// Small good inputs, the same in every run but for signatures.
enum Samples {
    static let image = (0..<600).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private static var recipe: PackageRecipe {
        var recipe = PackageRecipe(hardwareVersion: 52, softDevices: [0x0124])
        recipe.application = .init(image: image, version: 7)
        return recipe
    }

    private static var combined: PackageRecipe {
        var recipe = recipe
        recipe.softDevice = .init(image: image, bootValidation: .ecdsaP256)
        recipe.bootloader = .init(image: image.reversed(), version: 2)
        recipe.newSoftDevices = [0x0123]
        return recipe
    }

    static func package() throws -> [UInt8] { try recipe.archive(signedBy: .generate()) }
    static func combinedPackage() throws -> [UInt8] { try combined.archive(signedBy: .generate()) }

    static func archive() throws -> [UInt8] {
        try ArchiveWriter.archive(["scripts/main.py": Array("print(1)\n".utf8), "empty": [], "a b.txt": image])
    }

    static func initPackets() throws -> [[UInt8]] {
        let unsigned = try DFUPackage(bytes: recipe.archive(signedBy: nil))
        let signed = try DFUPackage(bytes: combinedPackage())
        return (unsigned.images + signed.images).map(\.initPacket.bytes)
    }

    static func packageContent() throws -> [UInt8] {
        let manifest = Array(#"{"manifest":{"application":{"bin_file":"a.bin","dat_file":"a.dat"}}}"#.utf8)
        let package = try DFUPackage(bytes: package())
        let packet = package.images[0].initPacket.bytes
        let lengths = [manifest.count, packet.count].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        return lengths + manifest + packet + image
    }

    static func record(address: UInt16, type: UInt8, _ data: [UInt8]) -> [UInt8] {
        let bytes = [UInt8(data.count), UInt8(address >> 8), UInt8(address & 0xFF), type] + data
        let digits = Array("0123456789ABCDEF".utf8)
        let sum = 0 &- bytes.reduce(0, &+)
        return [0x3A] + (bytes + [sum]).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] } + [0x0A]
    }

    static var intelHex: [UInt8] {
        record(address: 0, type: 4, [0x00, 0x02]) + record(address: 0x6000, type: 0, Array(image.prefix(16)))
            + record(address: 0x6010, type: 0, Array(image.prefix(9))) + record(address: 0, type: 2, [0x10, 0x00])
            + record(address: 0, type: 5, [0, 2, 0x60, 1]) + record(address: 0x1014, type: 0, [1, 2, 3, 4])
            + record(address: 0, type: 1, [])
    }

    static let recordContents: [UInt8] = [2, 0, 0, 4, 0, 2, 8, 0x60, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 2, 0, 0, 2, 0x10, 0, 1, 0x10, 0x14, 0, 9]
}
