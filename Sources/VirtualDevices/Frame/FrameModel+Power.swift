extension FrameModel {
    /// A tap, or leaving the cradle, wakes a sleeping unit; entering the cradle switches it off.
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {
        switch input {
        case .tap, .press:
            if unit.mode == .asleep { unit.wake() } else { try signal(.tap, on: &unit) }
        case .release, .cut, .surroundings: break
        case .dock:
            try setCharging(true)
            if runs(unit), !staysAwake { unit.sleep() }
        case .undock:
            try setCharging(false)
            unit.wake()
        case .unpair:
            unpairsAtStart = true
            if runs(unit) { unit.reset(.powerOn) } else { unit.wake() }
        }
    }

    private func runs(_ unit: UnitPlatform) -> Bool {
        unit.mode == .booting || unit.mode == .application
    }

    private func setCharging(_ charges: Bool) throws {
        var identity = try folder.identity()
        identity.isCharging = charges
        try folder.save(identity)
    }

    /// A charging unit goes back to sleep before its radio starts, unless the cradle's button is pressed, which erases the bond
    /// (main.c).
    mutating func sleepsInCradle() throws -> Bool {
        guard unpairsAtStart else { return try folder.identity().isCharging }
        unpairsAtStart = false
        formatsAtStart = true
        staysAwake = firmware.has(.asleepAtStart)
        try folder.save(FrameBond())
        return false
    }

    /// Reason for Pairing Failed: Authentication Requirements (Core Specification, Vol 3, Part H, 3.5.5).
    private static let alreadyBonded: UInt8 = 0x03
    /// The controller's error: PIN or Key Missing (Vol 1, Part F, 2.6).
    private static let keyMissing: UInt8 = 0x06
    /// The flash accepts no other write meanwhile.
    private static let bondWriteTime = Duration.seconds(1)

    /// An unknown host is refused and disconnected.
    mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer {
        switch request {
        case .pair:
            guard !bond.exists else { return .refused(reason: Self.alreadyBonded, endsLink: true) }
            bond.key = (0..<FrameBond.keyLength).map { _ in UInt8.random(in: 0...0xFE, using: &unit.generator) }
            try folder.save(bond)
            flashBusyUntil = unit.now + Self.bondWriteTime
            if firmware.has(.showsPairing) { hardware.showPaired(as: unit.address) }
            return .encrypted(key: bond.key)
        case .encrypt(let key):
            guard bond.exists, key == bond.key else { return .refused(reason: Self.keyMissing, endsLink: true) }
            return .encrypted(key: key)
        }
    }
}
