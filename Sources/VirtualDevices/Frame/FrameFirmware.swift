/// What a Frame's firmware can and how it behaves, by the version that stands in its image.
///
/// The versions at which each thing came are those of the vendor's tags.
public struct FrameFirmware: Sendable, Hashable {
    /// As the unit says it: `vYY.DDD.HHMM`.
    public let version: String

    public init(version: String) { self.version = version }

    public static let v24_149 = FrameFirmware(version: "v24.149.1416")
    public static let v24_248 = FrameFirmware(version: "v24.248.0928")
    public static let v25_080 = FrameFirmware(version: "v25.080.0838")
    /// Those that a unit can leave the virtual factory with.
    public static let all = [v24_149, v24_248, v25_080]

    /// Year and day sort as text.
    private func isSince(_ day: String) -> Bool { version >= day }

    /// `Frame XX` in place of plain `Frame`.
    var hasNumberedName: Bool { isSince("v24.220") }
    /// `microphone.start` in place of `record`.
    var hasMicrophoneStart: Bool { isSince("v24.155") }
    var hasImageReady: Bool { isSince("v24.248") }
    /// `frame.stay_awake`, called by the chunk that runs main.lua at each start of Lua.
    var hasStayAwake: Bool { isSince("v24.267") }
    /// `HARDWARE_VERSION`, `led`, and the names in a capture's settings.
    var hasHardwareVersion: Bool { isSince("v25.008") }
    var hasCompression: Bool { isSince("v25.031") }
    /// `power_save` of camera and display in place of the camera's `sleep` and `wake`.
    var hasPowerSave: Bool { isSince("v24.276") }
    /// It says on its display when it is paired and when it goes to its bootloader.
    var showsPairing: Bool { isSince("v25.080") }

    /// Seven digits of a commit, which need not be that of the tag.
    var gitTag: String {
        switch version {
        case Self.v24_248.version: "a97dfb1"
        case Self.v25_080.version: "29604c5"
        default: "0000000"
        }
    }

    /// Bytes of the released application.
    private var imageSize: Int {
        switch version {
        case Self.v24_149.version: 750_704
        case Self.v24_248.version: 549_672
        default: 556_880
        }
    }

    /// An image of the released one's size with the version as plain text.
    func image() -> [UInt8] { ApplicationImage.make(version: version, count: imageSize, seed: 0x46_52_4D) }
}
