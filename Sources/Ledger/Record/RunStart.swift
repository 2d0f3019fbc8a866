/// What is known of a run before its unit is touched.
public struct RunStart: Sendable, Hashable {
    public var station: String
    public var fixture: String?
    /// The adapter's address, which stays when `hciN` changes.
    public var adapter: String?
    public var operatorName: String?
    public var workOrder: String?
    public var part: String?
    public var batch: String?
    public var unitAddress: String
    public var serial: String?
    /// The serial number may leave the unit that it belongs to, and the unit its number.
    public var rebindsSerial = false
    /// The family's name.
    public var family: String
    public var verb: String
    public var bundleDigest: String?
    /// The fingerprint of the key that signed the bundle.
    public var bundleSigner: String?
    /// With its build.
    public var toolVersion: String
    public var host: String
    /// JSON.
    public var plan: String?
    /// In dBm.
    public var rssi: Int?

    public init(station: String, unitAddress: String, family: String, verb: String, toolVersion: String, host: String) {
        (self.station, self.unitAddress, self.family) = (station, unitAddress, family)
        (self.verb, self.toolVersion, self.host) = (verb, toolVersion, host)
    }
}
