/// What an image is, as the keys of a package's manifest name it.
public enum FirmwareKind: String, Sendable, Hashable, CaseIterable {
    // In the order of an update: what an application runs on goes first.
    /// Nordic's radio stack and the bootloader in one image.
    case softDeviceAndBootloader = "softdevice_bootloader"
    /// Nordic's radio stack.
    case softDevice = "softdevice"
    /// A part that runs by itself.
    case bootloader, application
    /// For another chip behind the unit.
    case externalApplication = "external_application"

    /// In a manifest, the usual one first: nrfutil calls an external application `application`, and only the init packet tells the two
    /// apart.
    var manifestKeys: [FirmwareKind] { self == .externalApplication ? [.application, .externalApplication] : [self] }
}
