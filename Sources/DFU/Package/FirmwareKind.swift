/// What an image is, as the keys of a package's manifest name it.
public enum FirmwareKind: String, Sendable, Hashable, CaseIterable {
    case application
    case softDevice = "softdevice"
    case bootloader
    case softDeviceAndBootloader = "softdevice_bootloader"
    case externalApplication = "external_application"

    /// The order of an update: what an application runs on goes first.
    static let updateOrder: [FirmwareKind] = [
        .softDeviceAndBootloader, .softDevice, .bootloader, .application, .externalApplication,
    ]

    /// The keys under which a manifest may name it, the usual one first: nrfutil calls an external application
    /// `application`, and only the init packet tells the two apart.
    var manifestKeys: [FirmwareKind] { self == .externalApplication ? [.application, .externalApplication] : [self] }
}
