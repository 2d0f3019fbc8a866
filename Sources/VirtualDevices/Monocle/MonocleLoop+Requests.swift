import Bluetooth

/// The numbers of the requests in `Python/modules/_hw.py`.
private enum Request: UInt8 {
    case hello = 1, clock, sleep, device, erase, program, read, fpgaRead, fpgaWrite, fpgaRun, reset, bootloader
    case notifications, send, display, touch, record, microphone, capture, camera, led, nothing
}

/// How long the hardware takes: page erase and program times of serial NOR flash, an 8 MHz bus.
private enum HardwareTime {
    static let eraseFPGAPage = Duration.milliseconds(45)
    static func program(_ count: Int) -> Duration { .microseconds(count * 3) }
    static func read(_ count: Int) -> Duration { .microseconds(100 + count) }
    static let request = Duration.microseconds(30)
}

extension MonocleLoop {
    mutating func perform(_ operation: UInt8, _ number: UInt16, _ payload: [UInt8]) throws {
        let word = payload.prefix(4).enumerated().reduce(0) { $0 | Int($1.element) << ($1.offset * 8) }
        let half = word & 0xFFFF
        switch Request(rawValue: operation) {
        case .hello:
            respond(number, [isSafeMode ? 0 : 1])
            isSafeMode = false
        case .clock:
            let milliseconds = UInt32(truncatingIfNeeded: Int64(now / .milliseconds(1)))
            respond(number, (0..<4).map { UInt8(truncatingIfNeeded: milliseconds >> ($0 * 8)) })
        case .sleep: after(.milliseconds(word), .answer(number: number, status: 0, []))
        case .device: respond(number, hardware.describe(String(decoding: payload, as: UTF8.self), address: address))
        case .erase: after(HardwareTime.eraseFPGAPage, .erase(page: 0, number: number))
        case .program: try program(number, payload)
        case .read:
            let length = min(512, payload.count == 6 ? Int(payload[4]) | Int(payload[5]) << 8 : 0)
            respond(number, hardware.flash.read(word, length), after: HardwareTime.read(length))
        case .fpgaRead: respond(number, hardware.readFPGA(half, min(254, word >> 16)))
        case .touch: respond(number, HandEvent.Pad.allCases.filter(touched.contains).flatMap { Array($0.rawValue.utf8) })
        case .fpgaWrite, .led: respond(number)
        case .fpgaRun: respond(number, [hardware.runFPGA(payload.first) ? 1 : 0])
        case .reset: after(.zero, .reset(intoBootloader: false))
        case .bootloader: after(.zero, .reset(intoBootloader: true))
        case .notifications: respond(number, describeLink(payload.first))
        case .send: send(number, payload)
        case .display:
            hardware.draw(payload)
            respond(number)
        case .record:
            guard payload.count == 7 else { return respond(number) }
            let rate = Int(payload[5]) | Int(payload[6]) << 8
            hardware.record(milliseconds: word, bytesPerSample: payload[4] == 16 ? 2 : 1, rate: rate, now: now)
            respond(number)
        case .microphone: respond(number, hardware.readRecording(samples: Int(payload.first ?? 0), now: now))
        case .capture:
            hardware.capture()
            respond(number, after: .milliseconds(200))
        case .camera: respond(number, hardware.readPicture(Int(payload.first ?? 0)))
        case .nothing, nil: terminal.interpreter?.reply(to: 0)
        }
    }

    private mutating func respond(_ number: UInt16, _ payload: [UInt8] = [], after delay: Duration = HardwareTime.request) {
        after(delay, .answer(number: number, status: 0, payload))
    }

    mutating func eraseStep(_ page: Int, _ number: UInt16) throws {
        try hardware.flash.erase(page: page)
        if page + 1 < FPGAFlash.pageCount {
            after(HardwareTime.eraseFPGAPage, .erase(page: page + 1, number: number))
        } else {
            respond(number)
        }
    }

    private mutating func program(_ number: UInt16, _ data: [UInt8]) throws {
        if try hardware.flash.program(data) {
            respond(number, after: HardwareTime.program(data.count))
        } else {
            after(HardwareTime.request, .answer(number: number, status: 1, Array("fpga flash is full".utf8)))
        }
    }

    private func describeLink(_ what: UInt8?) -> [UInt8] {
        switch what {
        case UInt8(ascii: "r"): [isSubscribed(MonocleAttributes.replTransmit) ? 1 : 0]
        case UInt8(ascii: "d"): [isSubscribed(MonocleAttributes.dataTransmit) ? 1 : 0]
        default: [UInt8(truncatingIfNeeded: link?.link.payloadSize ?? 20), 0]
        }
    }

    private mutating func send(_ number: UInt16, _ data: [UInt8]) {
        var failure: String?
        if !isSubscribed(MonocleAttributes.dataTransmit) {
            failure = "notifications are not enabled on the data service"
        } else if let link, link.queuedNotifications >= ActiveLink.notificationQueue {
            failure = "raw data service is busy"
        }
        if let failure {
            after(HardwareTime.request, .answer(number: number, status: 2, Array(failure.utf8)))
            return
        }
        link?.downlink.append(.notification(MonocleAttributes.dataTransmit, data))
        scheduleConnectionEvent()
        respond(number)
    }
}
