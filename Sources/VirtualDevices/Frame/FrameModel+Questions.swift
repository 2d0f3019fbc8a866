import Bluetooth

/// The numbers of `Port/unit.h`.
private enum Question: UInt8 {
    case hello = 1, notify, mount, unmount, open, read, write, close, remove, rename, makeFolder, list, load, hang, show, record, stop,
        sound
    case capture, ready, picture, battery, sleep, stayAwake, update, crash, draw
}

extension FrameModel {
    /// Performs the processor's request to the hardware; the answer arrives later. A reset has no answer.
    mutating func perform(_ operation: UInt8, _ bytes: [UInt8], on unit: inout UnitPlatform) throws {
        guard let answer = try answer(to: Question(rawValue: operation), bytes, on: &unit) else { return }
        // The SoftDevice is busy with the bond, and the firmware treats that as a fault.
        if answer.change != nil, unit.now < flashBusyUntil { return unit.reset(.crash) }
        if let written = unit.countFlashWords(answer.words) {
            // Incomplete writes do not exist: the last word decides.
            return unit.cutPower(after: answer.delay * Double(written) / Double(answer.words))
        }
        timers.add(.answer(answer), at: unit.now + answer.delay)
    }

    mutating func deliver(_ answer: FrameAnswer, on unit: inout UnitPlatform) throws {
        if let change = answer.change { try files.apply(change) }
        processor.add(.answer(status: answer.status, answer.bytes))
        try runProcessor(on: &unit)
    }

    private mutating func answer(to question: Question?, _ bytes: [UInt8], on unit: inout UnitPlatform) throws -> FrameAnswer? {
        switch question {
        case .hello: return FrameAnswer(bytes: Array(introduction(of: unit).utf8))
        case .notify: return FrameAnswer(status: notify(bytes, on: &unit) ? 0 : 1)
        case .mount, .unmount, .open, .read, .write, .close, .remove, .rename, .makeFolder, .list, .load:
            return try answerFromFiles(question, bytes)
        case .show, .draw, .battery: return try answerFromBoard(question, bytes)
        case .record, .stop, .sound, .capture, .ready, .picture: return answerFromSensors(question, bytes, on: &unit)
        case .stayAwake:
            if let wanted = bytes.first, wanted < 2 { staysAwake = wanted == 1 }
            return FrameAnswer(bytes: [staysAwake ? 1 : 0])
        case .sleep: unit.sleep()
        case .update: unit.reset(.software, intoBootloader: true)
        case .crash: unit.reset(.crash)
        case .hang: processor.hang()
        case nil: return FrameAnswer()
        }
        return nil
    }

    private func introduction(of unit: UnitPlatform) -> String {
        let address = unit.address.description.split(separator: ":").reversed().joined(separator: ":")
        let shown = firmware.has(.numberedName) ? address : address.lowercased()
        return "\(firmware.features)\n\(firmware.version)\n\(firmware.gitTag)\nFrame\n\(shown)"
    }

    /// - Returns: whether the radio accepted it, cut to the payload.
    private func notify(_ value: [UInt8], on unit: inout UnitPlatform) -> Bool {
        guard let link = unit.link, unit.isSubscribed(FrameAttributes.transmit), unit.freeNotificationPlaces > 0 else { return false }
        unit.notify(FrameAttributes.transmit, Array(value.prefix(link.link.payloadSize)), isData: value.first == 0x01)
        return true
    }

    private mutating func answerFromFiles(_ question: Question?, _ bytes: [UInt8]) throws -> FrameAnswer {
        let handle = UInt32(littleEndian: bytes), content = Array(bytes.dropFirst(4))
        switch question {
        case .mount:
            staysAwake = staysAwake && !firmware.has(.asleepAtStart)
            defer { formatsAtStart = false }
            let isNew = firmware.has(.hardwareVersion)
            return try files.mount(formatting: isNew ? !bond.exists : formatsAtStart, isPaired: isNew ? bond.exists : wasBondedAtStart)
        case .unmount:
            files.unmount()
            return FrameAnswer()
        case .open: return files.open(Array(bytes.dropFirst()), mode: bytes.first ?? 0)
        case .read: return files.read(handle)
        case .write: return files.write(content, to: handle)
        case .close: return files.close(handle)
        case .remove: return files.remove(bytes)
        case .rename:
            let names = bytes.split(separator: 0, omittingEmptySubsequences: false)
            return names.count == 2 ? files.rename(Array(names[0]), to: Array(names[1])) : .refusal
        case .makeFolder: return files.makeFolder(bytes)
        case .list: return files.list(bytes)
        default: return files.load(bytes)
        }
    }

    private mutating func answerFromBoard(_ question: Question?, _ bytes: [UInt8]) throws -> FrameAnswer {
        if question == .battery { return FrameAnswer(bytes: [UInt8(clamping: try folder.identity().batteryPercent)]) }
        if question == .show { hardware.show(bytes) } else { hardware.draw(bytes) }
        return FrameAnswer(delay: .milliseconds(1))
    }

    private mutating func answerFromSensors(_ question: Question?, _ bytes: [UInt8], on unit: inout UnitPlatform) -> FrameAnswer? {
        let first = Int(UInt32(littleEndian: bytes)), second = Int(UInt32(littleEndian: bytes.dropFirst(4)))
        switch question {
        case .record:
            if hardware.microphone.isRunning { return .refusal }
            guard first > 0 else { return FrameAnswer() }
            guard !hardware.microphone.isBusy(at: unit.now) else { break }
            let milliseconds = UInt32(littleEndian: bytes.dropFirst(8))
            hardware.microphone.start(
                folder.sound, rate: first, depth: second, limit: milliseconds == .max ? nil : .milliseconds(Int64(milliseconds)),
                now: unit.now)
            return FrameAnswer()
        case .stop:
            guard !hardware.microphone.isBusy(at: unit.now) else { break }
            hardware.microphone.stop(now: unit.now)
            return FrameAnswer()
        case .sound:
            guard let sound = hardware.microphone.read(first, now: unit.now, isEndless: firmware.has(.microphoneStart)) else {
                return .refusal
            }
            return FrameAnswer(bytes: sound, delay: .microseconds(20 + sound.count))
        case .capture:
            hardware.camera.capture(folder.scene, now: unit.now)
            return FrameAnswer(delay: .milliseconds(1))
        case .ready: return FrameAnswer(bytes: [hardware.camera.isReady(now: unit.now) ? 1 : 0])
        default:
            if !firmware.has(.imageReady) { _ = hardware.camera.isReady(now: unit.now) }
            let piece = hardware.camera.read(first, isRaw: second == 1)
            return FrameAnswer(bytes: piece, delay: .microseconds(20 + piece.count))
        }
        // The driver reports busy, and the firmware treats that as a fault.
        unit.reset(.crash)
        return nil
    }
}
