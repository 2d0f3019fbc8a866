/// What a virtual Monocle leaves the virtual factory with: images of the project's own, of realistic size.
enum FactoryImages {
    static let firmwareVersion = "v23.100.0927"
    static let fpgaVersion = "v23.094.1109"
    /// The image inside the FPGA itself, which runs when the flash holds no committed one.
    static let builtInFPGAVersion = "v22.351.1434"

    /// An application image of 200,004 bytes with its version as plain text.
    static func application() -> [UInt8] {
        ApplicationImage.make(version: firmwareVersion, count: 200_004, seed: 0x4D_4F_4E)
    }

    /// A flash content of 444,430 bytes, half of it zeros.
    static func fpga() -> [UInt8] {
        var image = [UInt8](repeating: 0, count: FPGAFlash.markerAddress)
        let noise = ApplicationImage.noise(count: image.count / 2, seed: 0x46_50_47)
        for block in stride(from: 0, to: noise.count - 512, by: 512) {
            image.replaceSubrange(block * 2..<block * 2 + 512, with: noise[block..<block + 512])
        }
        return image
    }
}
