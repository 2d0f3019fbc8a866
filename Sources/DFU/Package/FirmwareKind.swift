/// What an image is, as the keys of a package's manifest name it.
public enum FirmwareKind: String, Sendable, Hashable, CaseIterable {
    // In the order of an update: what an application runs on goes first.
    case softDeviceAndBootloader = "softdevice_bootloader"
    case softDevice = "softdevice"
    case bootloader, application
    case externalApplication = "external_application"

    /// In a manifest, the usual one first: nrfutil calls an external application `application`, and only the init packet tells the two
    /// apart.
    var manifestKeys: [FirmwareKind] { self == .externalApplication ? [.application, .externalApplication] : [self] }
}
