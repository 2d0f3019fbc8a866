import Bluetooth

/// Gets the unit's program to run over a fresh link.
///
/// The first call of a session verifies and starts; later ones come only when the unit did not announce itself by itself.
/// `willStart` is to be called once, just before the start: what the unit's program sent until then is thrown away.
public typealias ProgramStarter = @Sendable (
    any Connection, _ isReconnection: Bool, _ willStart: () -> Void
) async throws -> StartedProgram

public struct StartedProgram: Sendable {
    public var status: UnitStatus
    /// What the program has printed already; the rest comes as ``AppRelay/console``.
    public var printed: [UInt8]

    public init(status: UnitStatus, printed: [UInt8] = []) { (self.status, self.printed) = (status, printed) }
}

/// What is known of a unit when its program runs.
public struct UnitStatus: Sendable, Hashable {
    public var batteryPercent: Int?
    /// Firmware version, untrusted text.
    public var firmware: String?
    /// The scripts' version string, untrusted text.
    public var scripts: String?

    public init(batteryPercent: Int? = nil, firmware: String? = nil, scripts: String? = nil) {
        self.batteryPercent = batteryPercent
        self.firmware = firmware
        self.scripts = scripts
    }
}
