/// The behaviour of a Frame's firmware, by the version in its image.
public struct FrameFirmware: Sendable, Hashable {
    /// As the unit reports it: `vYY.DDD.HHMM`.
    public let version: String

    public init(version: String) { self.version = version }

    public static let v24_149 = FrameFirmware(version: "v24.149.1416")
    public static let v24_248 = FrameFirmware(version: "v24.248.0928")
    public static let v25_080 = FrameFirmware(version: "v25.080.0838")
    /// The tags of brilliantlabsAR/frame-codebase; ``FrameFeature`` lists what each has.
    static let played = [
        "v24.149.1416", "v24.155.0847", "v24.179.0818", "v24.198.1118", "v24.200.1206", "v24.220.1445", "v24.227.1307", "v24.241.0836",
        "v24.248.0928", "v24.255.0646", "v24.267.0914", "v24.276.1359", "v24.282.1117", "v24.310.0800", "v25.008.1013", "v25.031.0924",
        "v25.080.0838", "v25.278.1113",
    ].map(FrameFirmware.init)

    /// A version after the last tag is a stand-in for tests, or a private build.
    /// - Parameter path: the unit's folder.
    /// - Throws: ``UnitFolderError/firmwareNotPlayed(version:played:path:)``.
    package func requirePlayed(in path: String) throws(UnitFolderError) {
        guard !Self.played.contains(self), !version.hasPrefix("v") || version <= Self.played.last?.version ?? version else { return }
        throw .firmwareNotPlayed(version: version, played: Self.played.map(\.version), path: path)
    }

    /// Year and day sort as text.
    func has(_ feature: FrameFeature) -> Bool { version >= feature.since }

    /// The bits of `Port/unit.h`.
    var features: Int { FrameFeature.allCases.reduce(0) { $0 | (has($1) ? 1 << $1.rawValue : 0) } }

    /// Bytes. Tags before v24.241 answer 256; here they have the same limit as the others (bluetooth.h).
    var largestMTU: Int { has(.pairedScreen) && !has(.imageReady) ? 185 : FrameModel.largestMTU }

    /// Seven digits of a commit, not always the tag's.
    var gitTag: String {
        switch version {
        case Self.v24_248.version: "a97dfb1"
        case Self.v25_080.version: "29604c5"
        default: "0000000"
        }
    }

    /// Bytes of the released application if known.
    private var imageSize: Int {
        switch version {
        case Self.v24_149.version: 750_704
        case Self.v24_248.version: 549_672
        default: 556_880
        }
    }

    /// An image as large as the released one, with the version as plain text.
    func image() -> [UInt8] { ApplicationImage.make(version: version, count: imageSize, seed: 0x46_52_4D) }
}

/// What each tag introduced: every difference that a program or a host can see, in the order of the bits in `Port/unit.h`.
/// docs/virtual-frame.md describes each with its source.
enum FrameFeature: Int, CaseIterable {
    case microphoneStart, imageReady, asleepAtStart, hardwareVersion, compression, powerSave, showsPairing, captureSettings, readRaw
    case namedColors, numberedName, watchdog, pairedScreen, exposureSpeed, analogGainFromOne

    /// The first tag that has it.
    var since: String {
        switch self {
        case .microphoneStart: "v24.155"
        case .captureSettings: "v24.179"
        case .readRaw: "v24.198"
        case .namedColors: "v24.200"
        case .numberedName: "v24.220"
        case .watchdog: "v24.227"
        case .pairedScreen: "v24.241"
        case .imageReady: "v24.248"
        case .exposureSpeed: "v24.255"
        case .asleepAtStart: "v24.267"
        case .powerSave: "v24.276"
        case .analogGainFromOne: "v24.310"
        case .hardwareVersion: "v25.008"
        case .compression: "v25.031"
        case .showsPairing: "v25.080"
        }
    }
}
