import Bluetooth

extension VendorKeys {
    /// The public half of the key of the released packages (frame-codebase, `bootloader/dfu_public_key.c`, there with both halves
    /// reversed).
    public static let frame: [UInt8] = [
        0x21, 0x57, 0xf9, 0xd9, 0xf4, 0x31, 0x0c, 0x23, 0xff, 0xa8, 0xf6, 0x43, 0x37, 0x61, 0x51, 0xab,
        0x3e, 0xfd, 0xf1, 0x06, 0x53, 0xa3, 0x2a, 0xfb, 0x22, 0x73, 0x87, 0x3a, 0x6d, 0xdb, 0x1a, 0x0a,
        0xa6, 0x9c, 0x95, 0x30, 0xfd, 0x75, 0x1c, 0x4a, 0xec, 0x2c, 0xe9, 0xdc, 0xfc, 0x0d, 0x0f, 0xf5,
        0x21, 0xc4, 0x2c, 0xae, 0x16, 0xb9, 0x6d, 0xd7, 0x87, 0x78, 0xb9, 0x17, 0xa3, 0xed, 0xaa, 0x43,
    ]
}

extension BootloaderProfile {
    /// nRF52840 with S140 7.3.0 (frame-codebase, `bootloader/sdk_config.h`): from the SoftDevice's end to the bootloader everything is
    /// room for an image, file system and bond included.
    static func frame(trusting keys: [[UInt8]]) -> BootloaderProfile {
        var configuration = BootloaderConfiguration(
            trustedKeys: keys, applicationCapacity: FrameMemory.bootloaderStart - FrameMemory.applicationStart)
        configuration.softDeviceID = 0x0123
        configuration.applicationStart = UInt32(FrameMemory.applicationStart)
        configuration.bootloaderCapacity = 36 << 10
        return BootloaderProfile(configuration: configuration, name: "Frame Update")
    }
}
