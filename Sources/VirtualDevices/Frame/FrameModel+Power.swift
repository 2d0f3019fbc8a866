extension FrameModel {
    /// A tap wakes a unit that sleeps, and so does taking it out of the cradle; laying it in switches it off in the middle of anything.
    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {
        switch input {
        case .tap, .press:
            if unit.mode == .asleep { unit.wake() } else { try signal(.tap, on: &unit) }
        case .release, .cut: break
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
        switch unit.mode {
        case .booting, .application: true
        case .off, .asleep, .bootloader: false
        }
    }

    private func setCharging(_ charges: Bool) throws {
        var identity = try folder.identity()
        identity.isCharging = charges
        try folder.save(identity)
    }

    /// Asked before the radio starts: a unit that charges goes back to sleep, unless the cradle's button is pressed, which forgets the
    /// bond (main.c).
    mutating func sleepsInCradle() throws -> Bool {
        guard unpairsAtStart else { return try folder.identity().isCharging }
        unpairsAtStart = false
        formatsAtStart = true
        staysAwake = firmware.has(.asleepAtStart)
        try folder.save(FrameBond())
        return false
    }
}
