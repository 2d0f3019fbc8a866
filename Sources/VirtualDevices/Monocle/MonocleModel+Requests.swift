import Bluetooth

/// The numbers of `Port/unit.h`.
private enum Request: UInt8 {
    case hello = 1, device, erase, program, read, fpgaRead, fpgaWrite, fpgaRun, reset, touch, record, microphone, capture, camera
    case led, draw, power
}

/// The same file's kinds of reset.
private enum ResetKind: UInt8 { case software, bootloader, safeMode, crashed }

/// How long the hardware takes (monocle-drivers.c: SPI at 4 MHz; typical erase and program times of serial NOR flash).
private enum HardwareTime {
    static let eraseSector = Duration.milliseconds(45)
    /// A page of at most 256 bytes: its transfer and its programming.
    static func program(_ count: Int) -> Duration { .microseconds(700 + count * 2) }
    static func transfer(_ count: Int) -> Duration { .microseconds(20 + count * 2) }
    static let stopFPGA = Duration.milliseconds(235)
    static let startFPGA = Duration.milliseconds(210)
    static let wakeCamera = Duration.milliseconds(100)
    static let request = Duration.microseconds(30)
}

extension MonocleLoop {
    mutating func perform(_ operation: UInt8, _ number: UInt16, _ payload: [UInt8]) throws {
        let first = payload.first ?? 0
        let word = payload.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
        switch Request(rawValue: operation) {
        case .hello:
            respond(number, [isSafeMode ? 0 : 1])
            isSafeMode = false
        case .device: respond(number, hardware.describe(first, address: address, cause: resetCause))
        case .erase:
            let start = flashIsFree(after: .zero)
            try hardware.flash.erase(sector: Int(first))
            flashBusyUntil = now + start + HardwareTime.eraseSector
            respond(number, after: start + HardwareTime.request)
        case .program:
            let start = flashIsFree(after: HardwareTime.program(payload.count - 4))
            try hardware.flash.program(Array(payload.dropFirst(4)), at: word)
            respond(number, after: start)
        case .read:
            let length = payload.count == 6 ? Int(payload[4]) | Int(payload[5]) << 8 : 0
            respond(number, hardware.flash.read(word, length), after: flashIsFree(after: HardwareTime.transfer(length)))
        case .reset: reset(ResetKind(rawValue: first) ?? .software)
        case .led: respond(number)
        default: performOnFPGA(operation, number, payload, word)
        }
    }

    private mutating func performOnFPGA(_ operation: UInt8, _ number: UInt16, _ payload: [UInt8], _ word: Int) {
        let first = payload.first ?? 0
        switch Request(rawValue: operation) {
        case .fpgaRead:
            let count = Int(payload.dropFirst(2).first ?? 0)
            respond(number, hardware.readFPGA(word & 0xFFFF, count, using: &generator), after: HardwareTime.transfer(count + 2))
        case .fpgaWrite:
            hardware.writeFPGA(word & 0xFFFF, Array(payload.dropFirst(2)))
            respond(number, after: HardwareTime.transfer(payload.count))
        case .fpgaRun:
            let wasRunning = hardware.isFPGARunning
            if first < 2, wasRunning != (first == 1) {
                hardware.runFPGA(first == 1, fpgaVersions: configuration.fpgaVersions)
                respond(number, after: first == 1 ? HardwareTime.startFPGA : HardwareTime.stopFPGA)
            } else {
                respond(number, [wasRunning ? 1 : 0])
            }
        case .touch: respond(number, [touched.reduce(0) { $0 | $1.bit }])
        case .record where payload.count == 7:
            let rate = Int(payload[5]) | Int(payload[6]) << 8
            hardware.record(milliseconds: word, bytesPerSample: payload[4] == 16 ? 2 : 1, rate: rate, now: now)
            respond(number)
        case .microphone: respond(number, hardware.readRecording(samples: Int(first), now: now))
        case .capture:
            hardware.capture()
            respond(number, after: HardwareTime.wakeCamera)
        case .camera: respond(number, hardware.readPicture(Int(first)))
        case .draw:
            hardware.drawShape(payload)
            respond(number)
        case .power:
            respond(number)
            preventsSleep = first == 1
            if first == 2 { sleep() }
        default: respond(number)
        }
    }

    private mutating func respond(_ number: UInt16, _ payload: [UInt8] = [], after delay: Duration = HardwareTime.request) {
        after(delay, .answer(number: number, status: 0, payload))
    }

    /// From now to the end of work on the flash that takes `duration`: an erase under way comes first.
    private func flashIsFree(after duration: Duration) -> Duration { max(.zero, flashBusyUntil - now) + duration }

    private mutating func reset(_ kind: ResetKind) {
        isSafeMode = kind == .safeMode
        resetCause = kind == .crashed ? .crashed : .software
        reset(intoBootloader: kind == .bootloader)
    }
}
