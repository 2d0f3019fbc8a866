/// Which serial number belongs to which unit: they belong together while the newest run of each names the other.
public struct SerialBinding: Sendable, Hashable {
    public enum Key: Sendable, Hashable { case serial(String), unit(String) }

    public var serial: String
    public var unitAddress: String
    /// The run that named both.
    public var run: String

    public init(serial: String, unitAddress: String, run: String) { (self.serial, self.unitAddress, self.run) = (serial, unitAddress, run) }

    /// - Parameter newest: the newest run of a serial number, or the newest of a unit that names any.
    /// - Returns: why the number is not the unit's; `nil` where it may be.
    public static func conflict(_ serial: String, at unitAddress: String, newest: (Key) throws -> SerialBinding?) rethrows -> LedgerError? {
        if let known = try newest(.serial(serial)), known.unitAddress != unitAddress, try newest(.unit(known.unitAddress))?.serial == serial {
            return .serialBound(serial: serial, address: unitAddress, bound: known.unitAddress, run: known.run)
        }
        guard let own = try newest(.unit(unitAddress)), own.serial != serial, try newest(.serial(own.serial))?.unitAddress == unitAddress else { return nil }
        return .unitBound(serial: serial, address: unitAddress, bound: own.serial, run: own.run)
    }
}
