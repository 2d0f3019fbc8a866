/// What a Frame's firmware can and how it behaves, by the version that stands in its image.
public struct FrameFirmware: Sendable, Hashable {
    /// As the unit says it: `vYY.DDD.HHMM`.
    public let version: String

    public init(version: String) { self.version = version }

    public static let v24_149 = FrameFirmware(version: "v24.149.1416")
    public static let v24_248 = FrameFirmware(version: "v24.248.0928")
    public static let v25_080 = FrameFirmware(version: "v25.080.0838")
    /// Those whose released package is known.
    public static let all = [v24_149, v24_248, v25_080]

    /// The tags of brilliantlabsAR/frame-codebase; what each has is told by ``FrameFeature``.
    static let played = [
        "v24.149.1416", "v24.155.0847", "v24.179.0818", "v24.198.1118", "v24.200.1206", "v24.220.1445", "v24.227.1307", "v24.241.0836",
        "v24.248.0928", "v24.255.0646", "v24.267.0914", "v24.276.1359", "v24.282.1117", "v24.310.0800", "v25.008.1013", "v25.031.0924",
        "v25.080.0838", "v25.278.1113",
    ].map(FrameFirmware.init)

    /// A tag's, or a later one than the last tag's, which is none of the vendor's: a stand-in for tests, or a build of one's own. What
    /// another one has nobody can read.
    var isPlayed: Bool { Self.played.contains(self) || (version.hasPrefix("v") && version > Self.played.last?.version ?? version) }

    /// - Parameter path: of the unit's folder.
    /// - Throws: ``UnitFolderError/firmwareNotPlayed(version:played:path:)``.
    package func requirePlayed(in path: String) throws(UnitFolderError) {
        if !isPlayed { throw .firmwareNotPlayed(version: version, played: Self.played.map(\.version), path: path) }
    }

    /// Year and day sort as text.
    func has(_ feature: FrameFeature) -> Bool { version >= feature.since }

    /// The bits of `Port/unit.h`.
    var features: Int { FrameFeature.allCases.reduce(0) { $0 | (has($1) ? 1 << $1.rawValue : 0) } }

    /// Bytes. Tags before v24.241 answer 256, here not more than any other (bluetooth.h).
    var largestMTU: Int { has(.pairedScreen) && !has(.imageReady) ? 185 : FrameModel.largestMTU }

    /// Seven digits of a commit, which need not be that of the tag.
    var gitTag: String {
        switch version {
        case Self.v24_248.version: "a97dfb1"
        case Self.v25_080.version: "29604c5"
        default: "0000000"
        }
    }

    /// Bytes of the released application; where it is not known, those of v25.080.
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

/// What came with one of the tags: every difference between two of them that a program or a host can see. The order is that of the
/// bits in `Port/unit.h`.
///
/// Read at each tag in `source/application`: what each file of `lua_libraries` sets and asks, and luaport.c, bluetooth.c, main.c.
enum FrameFeature: Int, CaseIterable {
    case microphoneStart, imageReady, asleepAtStart, hardwareVersion, compression, powerSave, showsPairing, captureSettings, readRaw
    case namedColors, numberedName, watchdog, pairedScreen, exposureSpeed, analogGainFromOne

    /// The tag that has it first.
    private static let tags: [FrameFeature: String] = [
        // microphone.c: `start` in place of `record`, 8 and 16 kHz alone, a ring that runs on, samples with their low byte first.
        .microphoneStart: "v24.155",
        // camera.c: `capture` reads `quality_factor` of a table, and fails without one.
        .captureSettings: "v24.179",
        // camera.c: `read_raw`.
        .readRaw: "v24.198",
        // display.c: colours by name in place of 1 to 16, and of 4, 3 and 3 bits; `text` takes `color` and `spacing`.
        .namedColors: "v24.200",
        // bluetooth.c: `Frame XX` in place of `Frame`; luaport.c: its screen; lua_libraries/bluetooth.c: the address in upper case.
        .numberedName: "v24.220",
        // watchdog.c.
        .watchdog: "v24.227",
        // luaport.c: another screen for a unit that was bonded when it booted; bluetooth.h: an MTU of 185 until the next tag.
        .pairedScreen: "v24.241",
        // camera.c: `image_ready`; bluetooth.h: an MTU of 247.
        .imageReady: "v24.248",
        // camera.c: `exposure` from 0 to 1, `exposure_speed` in place of `shutter_kp` and `gain_kp`, `get_register`; file.c: `write`
        // takes bytes of 0.
        .exposureSpeed: "v24.255",
        // luaport.c: each start of Lua calls `stay_awake(false)`.
        .asleepAtStart: "v24.267",
        // camera.c, display.c: `power_save`, `write_register` and `read_register` in place of `sleep`, `wake`, `set_register` and
        // `get_register`; camera.c: white balance by `auto`; system.c: `fpga_read` and `fpga_write` in place of the table `fpga`.
        .powerSave: "v24.276",
        // camera.c: `analog_gain_limit` of 1, no more of 0.
        .analogGainFromOne: "v24.310",
        // version.c, led.c; camera.c: `resolution`, `pan` and `quality` in place of `quality_factor`; luaport.c: files are formatted at
        // each start of Lua without a bond, no more only by the cradle's button.
        .hardwareVersion: "v25.008",
        // compression.c; camera.c: `set_gain` from 1, no more from 0.
        .compression: "v25.031",
        // bluetooth.c, system.c: it says on its display when it is paired and when it goes to its bootloader; camera.c:
        // `rgb_gain_limit`.
        .showsPairing: "v25.080",
    ]

    var since: String { Self.tags[self] ?? "never" }
}
