extension UnitPlatform {
    /// Without a bootloader the application starts as soon.
    private static let startTime = Duration.milliseconds(150)
    /// How long a cut of the power lasts.
    private static let powerCut = Duration.seconds(2)

    mutating func powerOn() {
        switch mode {
        case .off, .asleep:
            resetCause = .powerOn
            scheduleBoot()
        case .booting, .application, .bootloader: return
        }
    }

    /// Loses power: whatever was in RAM is gone, and so is the link, without a word.
    mutating func losePower() {
        stop(.powerLoss)
        wantsBootloader = false
    }

    /// Loses power for two seconds.
    mutating func cutPower() {
        losePower()
        after(Self.powerCut, .powerOn)
    }

    /// In the middle of what the unit is doing.
    mutating func cutPower(after delay: Duration) { after(delay, .powerCut(number: stopCount)) }

    /// A reset without disconnecting: the host notices after the supervision timeout.
    /// - Parameter cause: `nil` leaves the last one, as a bootloader does.
    package mutating func reset(_ cause: ResetCause?, intoBootloader: Bool = false) {
        stop(.reset)
        if let cause { resetCause = cause }
        wantsBootloader = intoBootloader
        scheduleBoot()
    }

    /// Radio off without disconnecting, chip off in the middle of anything, until ``wake()``.
    mutating func sleep() {
        stop(.sleep)
        mode = .asleep
    }

    /// Wakes a unit that sleeps, which is a start from nothing.
    mutating func wake() {
        if mode == .asleep { after(.zero, .powerOn) }
    }

    private mutating func scheduleBoot() {
        mode = .booting
        after(design.bootloader?.startTime ?? Self.startTime, .boot(number: stopCount))
    }

    private mutating func stop(_ cause: StopCause) {
        mode = .off
        stopCount += 1
        stopCause = cause
        exchangedPayload = 0
        bootloader = nil
        peripheral = nil
        dropLink()
        publish()
    }
}
