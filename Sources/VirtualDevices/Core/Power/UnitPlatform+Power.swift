import Bluetooth

extension MonocleLoop {
    mutating func powerOn() {
        guard case .off = mode else { return }
        mode = .booting
        resetCause = .powerOn
        after(Self.bootloaderDelay, .bootDone)
    }

    /// Until the bootloader has looked at what it holds.
    private static let bootloaderDelay = Duration.milliseconds(150)
    /// Rails 0.2 s, touch 1 s, FPGA 0.2 s, camera and display settings (main.c): then the radio shows the unit, and Python starts.
    private static let applicationDelay = Duration.milliseconds(1600)
    /// How often the firmware asks whether the unit charges (monocle-critical.c).
    private static let chargingPoll = Duration.milliseconds(500)

    /// Loses power: whatever was in RAM is gone, and so is the link, without a word.
    mutating func powerDown() {
        stopProcessor()
        wantsBootloader = false
        isSafeMode = false
    }

    mutating func perform(_ cut: FaultPlan.Cut) {
        switch cut {
        case .link:
            dropLink()
        case .power:
            powerDown()
            after(.seconds(2), .powerOn)
        }
    }

    /// A reset without disconnecting, as the firmware does it: the host notices after the supervision timeout.
    mutating func reset(intoBootloader: Bool) {
        stopProcessor()
        wantsBootloader = intoBootloader
        mode = .booting
        after(Self.bootloaderDelay, .bootDone)
    }

    private mutating func stopProcessor() {
        mode = .off
        generation += 1
        processor.stop()
        exchangedPayload = 0
        preventsSleep = false
        flashBusyUntil = .zero
        bootloader = nil
        dropLink()
        air.publish(nil, from: events)
    }

    /// Runs the bootloader's decision: it stays when asked to, or when there is no valid application.
    mutating func boot() throws {
        let storage = try folder.loadBootloader()
        hardware = try MonocleHardware(folder: folder, fpgaVersions: configuration.fpgaVersions)
        let booted = SecureBootloader(
            configuration: BootloaderConfiguration(trustedKeys: configuration.trustedKeys), nonvolatile: storage, now: now,
            staysInBootloader: wantsBootloader)
        if booted.storage != storage { try folder.save(booted.storage) }
        if !booted.hasLeft {
            bootloader = booted
            mode = .bootloader
        } else {
            hardware.firmwareVersion = Self.versionText(in: booted.storage.application)
            after(Self.applicationDelay, .applicationReady)
            // Asked before anything else, and again every half second.
            sleepIfCharging()
        }
        wantsBootloader = false
        if isAdvertising { air.publish(advertisement, from: events) }
    }

    /// The radio is up, Python begins: a host may be linked before the file system is mounted.
    mutating func startApplication() throws {
        mode = .application
        resetAt = now
        air.publish(advertisement, from: events)
        try startInterpreter()
    }

    mutating func sleepIfCharging() {
        guard hardware.identity.isCharging, !preventsSleep else {
            after(Self.chargingPoll, .sleepsIfCharging)
            return
        }
        sleep()
    }

    /// Radio off without disconnecting, rails off, chip off in the middle of anything; a touch wakes it as a reset.
    mutating func sleep() {
        stopProcessor()
        isAsleep = true
    }

    var isAdvertising: Bool {
        switch mode {
        case .application, .bootloader: link == nil
        case .off, .booting: false
        }
    }

    var advertisement: Advertisement {
        if case .bootloader = mode {
            return Advertisement(
                address: address.bootloader, name: "DfuTarg", services: [MonocleAttributes.dfuService], rssi: -48)
        }
        return Advertisement(
            address: address, name: "monocle", services: [MonocleAttributes.replService], rssi: -48)
    }

    /// The `vYY.DDD.HHMM` that stands in an application image as plain text.
    static func versionText(in image: [UInt8]) -> String {
        let pattern = Array("v00.000.0000".utf8)
        for start in image.indices.dropLast(pattern.count) where image[start] == pattern[0] {
            let candidate = image[start..<start + pattern.count]
            let fits = zip(candidate, pattern).allSatisfy { byte, model in
                model == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == model
            }
            if fits { return String(decoding: candidate, as: UTF8.self) }
        }
        return "unknown"
    }
}
