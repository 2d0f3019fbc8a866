import Support

/// What can go wrong between this machine and a peripheral.
public enum LinkError: Error, Hashable, Sendable {
    /// The link is gone; the text says what is known of the reason.
    case disconnected(String)
    /// No link came about within the deadline.
    case connectFailed(DeviceAddress, reason: String)
    /// The argument names what was awaited.
    case timedOut(String)
    /// The peripheral's attribute table lacks it.
    case characteristicMissing(AttributeID)
    /// With an ATT error, such as 0xFD: notifications are off.
    case refused(AttributeID, attributeError: UInt8, of: Operation = .write)
    /// The unit's attribute table forbids it.
    case notAllowed(AttributeID, Operation)
    /// A ``WriteChannel`` or another program holds the characteristic.
    case acquired(AttributeID, Operation)
    /// More bytes than one packet takes.
    case valueTooLong(count: Int, limit: Int)
    /// Notifications arrived faster than they were read.
    case overrun
    /// Another process holds the unit.
    case busy(String)
    /// This machine cannot do it now, for the reason given.
    case unavailable(String)
    /// The unit is bonded to another host.
    case pairingRefused(DeviceAddress, reason: String)
    /// One side has lost its bond key.
    case bondLost(DeviceAddress, reason: String)
    /// The adapter has its maximum number of links; the unit waits for one to end.
    case adapterFull(String)

    /// What a characteristic was asked for.
    public enum Operation: String, Hashable, Sendable {
        /// A write that the unit acknowledges.
        case write
        /// A write that nobody acknowledges.
        case writeWithoutResponse = "write without response"
        /// Notifications.
        case subscription
    }

    /// How to make a unit forget its bond.
    package static let pairingReset =
        "reset the unit's pairing (with a cradle: press the cradle's button while the unit charges), which erases its scripts, too"

    /// Insufficient authentication, authorization, key size or encryption (Core 5.4, Vol 3, Part F, 3.4.1.1): a retry does not help.
    public var demandsPairing: Bool {
        if case .refused(_, let error, _) = self { [0x05, 0x08, 0x0C, 0x0F].contains(error) } else { false }
    }
}

extension LinkError: DiagnosableError {
    public var obstacle: Obstacle? {
        switch self {
        case .pairingRefused, .bondLost: nil
        case .timedOut: .silence
        case .refused: demandsPairing ? nil : .link
        case .disconnected, .connectFailed, .characteristicMissing, .notAllowed, .acquired, .valueTooLong, .overrun, .busy, .unavailable,
            .adapterFull:
            .link
        }
    }

    /// What happened, the likely cause and the next action, with a stable code.
    public var diagnosis: Diagnosis {
        switch self {
        case .disconnected(let reason):
            Diagnosis("BLE-0001", .tryAgain, .radio, "the link was lost (\(reason))",
                cause: "the unit moved out of range, lost power or reset",
                remedy: "bring the unit closer and run the same command again; it continues where it stopped")
        case .connectFailed(let address, let reason):
            Diagnosis("BLE-0002", .tryAgain, .radio, "cannot connect to \(address): \(reason)",
                cause: "the unit is off, out of range, or connected to another host",
                remedy: "wake the unit, close the phone app, and run the same command again")
        case .timedOut(let what):
            Diagnosis("BLE-0003", .tryAgain, .radio, "timed out waiting for \(what)",
                cause: "the unit is busy or the air is crowded", remedy: "run the same command again; it continues where it stopped")
        case .characteristicMissing(let id):
            Diagnosis("BLE-0004", .unitFailed, .unit, "the unit has no characteristic \(id)",
                cause: "it is not the device that its name says, or a stale attribute cache answered",
                remedy: "unless it is paired with this machine, run: bluetoothctl remove ADDRESS; then the same command again")
        case .refused(let id, let attributeError, let operation):
            Diagnosis("BLE-0005", .unitFailed, .unit,
                "the unit refused a \(operation.rawValue) \(operation == .subscription ? "of" : "to") \(id) "
                    + "with ATT error 0x\(String(attributeError, radix: 16))",
                cause: demandsPairing
                    ? "it requires pairing, which noafw does not expect"
                    : "notifications are off, or the unit is in another mode",
                remedy: demandsPairing
                    ? "check that it is your unit, with its vendor's firmware and bootloader"
                    : "run the same command again; if it fails again, power-cycle the unit")
        case .notAllowed(let id, let operation):
            Diagnosis("BLE-0010", .unitFailed, .unit, "the unit's characteristic \(id) does not allow a \(operation.rawValue)",
                cause: "the firmware is not the expected one, or a stale attribute cache answered",
                remedy: "check that it is your unit; "
                    + "unless it is paired with this machine, run: bluetoothctl remove ADDRESS; then the same command again")
        case .acquired(let id, let operation):
            Diagnosis("BLE-0014", .tryAgain, .station,
                "a \(operation.rawValue) was refused: another program holds the unit's characteristic \(id)",
                cause: "a second noafw or another Bluetooth program works on this unit",
                remedy: "end it, or run: bluetoothctl disconnect; then the same command again")
        case .valueTooLong(let count, let limit):
            Diagnosis("BLE-0006", .unitFailed, .station, "a value of \(count) bytes does not fit a payload of \(limit)",
                cause: "the negotiated MTU is smaller than expected", remedy: "report this with the output of -v")
        case .overrun:
            Diagnosis("BLE-0007", .unitFailed, .unit, "the unit sends more notifications than noafw can process",
                cause: "a program on the unit sends without end", remedy: "power-cycle the unit and run the same command again")
        case .busy(let holder):
            Diagnosis("BLE-0008", .tryAgain, .station, "the unit is in use: \(holder)",
                cause: "another noafw process works on this unit", remedy: "wait for it to finish, or end it")
        case .pairingRefused(let address, let reason):
            Diagnosis("BLE-0011", .unitFailed, .unit, "\(address) refuses to be paired (\(reason))",
                cause: "the unit is bonded to another host, or this host has lost its key of the bond",
                remedy: "\(Self.pairingReset); then run the same command again")
        case .bondLost(let address, let reason):
            Diagnosis("BLE-0012", .unitFailed, .unit, "the link to \(address) could not be encrypted (\(reason))",
                cause: "the unit or this host has lost the key of their bond",
                remedy: "run: noafw unpair --device \(address); then the same command again; if that fails, reset the unit's pairing")
        case .adapterFull(let reason):
            Diagnosis("BLE-0013", .tryAgain, .radio, "the adapter accepts no further link (\(reason))",
                cause: "it holds as many links as its firmware allows, those of other programs included",
                remedy: "end other links of this adapter, work on fewer units at once (--jobs), or add an adapter; "
                    + "then run the same command again")
        case .unavailable(let reason):
            Diagnosis("BLE-0009", .unavailable, .station, reason,
                cause: "no adapter or no such unit is in reach", remedy: "check the adapter and the unit's power")
        }
    }
}
