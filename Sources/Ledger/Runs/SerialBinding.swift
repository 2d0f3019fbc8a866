/// A serial number and a unit belong together while the newest run of each names the other.
public struct SerialBinding: Sendable, Hashable {
    public enum Key: Sendable, Hashable { case serial(String), unit(String) }

    public var serial: String
    public var unitAddress: String
    /// The run that named both.
    public var run: String

    public init(serial: String, unitAddress: String, run: String) { (self.serial, self.unitAddress, self.run) = (serial, unitAddress, run) }

    /// - Parameter newest: finds the newest run of a serial number, or of a unit with one.
    /// - Returns: why the number is not the unit's; `nil` if it may be.
    public static func conflict(_ serial: String, at unitAddress: String, newest: (Key) throws -> SerialBinding?) rethrows -> LedgerError? {
        if let known = try newest(.serial(serial)), known.unitAddress != unitAddress, try newest(.unit(known.unitAddress))?.serial == serial
        {
            return .serialBound(serial: serial, address: unitAddress, known: known)
        }
        guard let own = try newest(.unit(unitAddress)), own.serial != serial, try newest(.serial(own.serial))?.unitAddress == unitAddress
        else { return nil }
        return .serialBound(serial: serial, address: unitAddress, known: own)
    }

    func refusal(of serial: String, at unitAddress: String) -> String {
        self.serial == serial
            ? "serial number \(serial) belongs to \(self.unitAddress), and this unit is \(unitAddress)"
            : "\(unitAddress) has the serial number \(self.serial), and \(serial) was given"
    }

    func cause(of serial: String, source: String) -> String {
        "another unit's label was read, \(self.serial == serial ? "two labels are the same" : "this unit got a new label"), or "
            + "\(source) bound them by mistake"
    }
}
