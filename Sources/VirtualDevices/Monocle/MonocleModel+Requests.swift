/// The numbers of `Port/unit.h`.
private enum Request: UInt8 {
    case hello = 1, device, erase, program, read, fpgaRead, fpgaWrite, fpgaRun, reset, touch, record, microphone, wake, doze
    case led, draw, power
}

private enum ResetKind: UInt8 { case software, bootloader, safeMode, crashed }

/// Hardware times (monocle-drivers.c: SPI at 4 MHz; typical erase and program times of serial NOR flash).
private enum HardwareTime {
    static let eraseSector = Duration.milliseconds(45)
    /// At most 255 bytes: the transfer, and the programming as the firmware waits for it, rounded up to a tick of 1/1024 s. A page takes
    /// two, 2.44 ms in all.
    static func program(_ count: Int) -> Duration { .microseconds(950 + count * 2) }
    static func transfer(_ count: Int) -> Duration { .microseconds(20 + count * 2) }
    static let stopFPGA = Duration.milliseconds(235)
    static let startFPGA = Duration.milliseconds(210)
    static let wakeCamera = Duration.milliseconds(100)
    static let request = Duration.microseconds(30)
}

private struct Answer {
    var payload: [UInt8] = []
    var delay = HardwareTime.request
}

extension MonocleModel {
    /// A reset has no answer.
    mutating func perform(_ operation: UInt8, _ number: UInt16, _ payload: [UInt8], on unit: inout UnitPlatform) throws {
        guard let answer = try answer(to: operation, payload, on: &unit) else { return }
        timers.add(.answer(number: number, answer.payload), at: unit.now + answer.delay)
    }

    private mutating func answer(to operation: UInt8, _ payload: [UInt8], on unit: inout UnitPlatform) throws -> Answer? {
        let first = payload.first ?? 0
        switch Request(rawValue: operation) {
        case .hello:
            defer { isSafeMode = false }
            return Answer(payload: [isSafeMode ? 0 : 1])
        case .device: return Answer(payload: hardware.describe(first, address: unit.address, cause: unit.resetCause))
        case .erase, .program, .read: return try answerFromFlash(operation, payload, now: unit.now)
        case .fpgaRead, .fpgaWrite, .fpgaRun: return answerFromFPGA(operation, payload, on: &unit)
        case .record, .microphone, .wake, .doze: return answerFromSensors(operation, payload, now: unit.now)
        case .touch: return Answer(payload: [touchedBits])
        case .draw:
            hardware.screen.drawShape(String(decoding: payload, as: UTF8.self))
            return Answer()
        case .power:
            preventsSleep = first == 1
            if first == 2 { unit.sleep() }
            return Answer()
        case .reset:
            reset(ResetKind(rawValue: first) ?? .software, on: &unit)
            return nil
        case .led, nil: return Answer()
        }
    }

    private mutating func answerFromFlash(_ operation: UInt8, _ payload: [UInt8], now: Duration) throws -> Answer {
        let address = Int(UInt32(littleEndian: payload))
        switch Request(rawValue: operation) {
        case .erase:
            let start = flashIsFree(now, after: .zero)
            try hardware.flash.erase(sector: Int(payload.first ?? 0))
            flashBusyUntil = now + start + HardwareTime.eraseSector
            return Answer(delay: start + HardwareTime.request)
        case .program:
            let end = flashIsFree(now, after: HardwareTime.program(payload.count - 4))
            try hardware.flash.program(Array(payload.dropFirst(4)), at: address)
            return Answer(delay: end)
        default:
            let length = payload.count == 6 ? Int(UInt16(littleEndian: payload[4...])) : 0
            return Answer(
                payload: hardware.flash.read(address, length), delay: flashIsFree(now, after: HardwareTime.transfer(length)))
        }
    }

    private mutating func answerFromFPGA(_ operation: UInt8, _ payload: [UInt8], on unit: inout UnitPlatform) -> Answer {
        let register = Int(UInt16(littleEndian: payload))
        switch Request(rawValue: operation) {
        case .fpgaRead:
            let count = Int(payload.dropFirst(2).first ?? 0)
            return Answer(
                payload: hardware.readFPGA(register, count, now: unit.now, using: &unit.generator), delay: HardwareTime.transfer(count + 2))
        case .fpgaWrite:
            guard hardware.isFPGARunning else { return Answer(delay: HardwareTime.transfer(payload.count)) }
            if register == MonocleCamera.capture {
                let scene = folder.scene
                hardware.camera.capture(scene, now: unit.now)
            }
            hardware.screen.write(register, Array(payload.dropFirst(2)), to: folder.display)
            return Answer(delay: HardwareTime.transfer(payload.count))
        default:
            let (wasRunning, asked) = (hardware.isFPGARunning, payload.first ?? 0)
            guard asked < 2, wasRunning != (asked == 1) else { return Answer(payload: [wasRunning ? 1 : 0]) }
            hardware.runFPGA(asked == 1)
            return Answer(delay: asked == 1 ? HardwareTime.startFPGA : HardwareTime.stopFPGA)
        }
    }

    private mutating func answerFromSensors(_ operation: UInt8, _ payload: [UInt8], now: Duration) -> Answer {
        let count = Int(payload.first ?? 0)
        switch Request(rawValue: operation) {
        case .record:
            guard payload.count == 7 else { return Answer() }
            let rate = Int(UInt16(littleEndian: payload[5...]))
            hardware.recording = VirtualRecording(
                of: folder.sound, milliseconds: Int(UInt32(littleEndian: payload)), bytesPerSample: payload[4] == 16 ? 2 : 1, rate: rate,
                start: now)
            return Answer()
        case .microphone: return Answer(payload: hardware.recording?.read(samples: count, now: now) ?? [])
        case .wake:
            hardware.camera.wake()
            return Answer(delay: HardwareTime.wakeCamera)
        default:
            hardware.camera.sleep()
            return Answer()
        }
    }

    /// From now to the end of flash work that takes `duration`, after an erase in progress.
    private func flashIsFree(_ now: Duration, after duration: Duration) -> Duration { max(.zero, flashBusyUntil - now) + duration }

    private mutating func reset(_ kind: ResetKind, on unit: inout UnitPlatform) {
        isSafeMode = kind == .safeMode
        unit.reset(kind == .crashed ? .crash : .software, intoBootloader: kind == .bootloader)
    }
}
