import Bluetooth
import Foundation

extension MonocleLoop {
    mutating func powerOn() {
        guard case .off = mode else { return }
        mode = .booting
        after(.milliseconds(300), .bootDone)
    }

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
        after(.milliseconds(300), .bootDone)
    }

    private mutating func stopProcessor() {
        mode = .off
        generation += 1
        terminal.stop()
        bootloader = nil
        dropLink()
        air.publish(nil, from: events)
    }

    /// Runs the bootloader's decision: it stays when asked to, or when there is no valid application.
    mutating func boot() throws {
        let storage = try folder.loadBootloader()
        hardware = try MonocleHardware(folder: folder, fpgaVersions: configuration.fpgaVersions)
        if wantsBootloader || !storage.applicationIsValid {
            let settings = BootloaderConfiguration(trustedKeys: configuration.trustedKeys)
            bootloader = SecureBootloader(configuration: settings, nonvolatile: storage, now: now)
            mode = .bootloader
        } else {
            mode = .application
            hardware.firmwareVersion = Self.versionText(in: storage.application)
            try startInterpreter()
        }
        wantsBootloader = false
        air.publish(advertisement, from: events)
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

    mutating func startInterpreter() throws {
        let scripts = Bundle.module.resourceURL?.appendingPathComponent("Python") ?? folder.root
        let generation = generation
        let events = events
        terminal.start(
            try Interpreter(
                .init(python: configuration.python, scripts: scripts, files: folder.files), time: air.time,
                deliver: { events.deliver(.interpreter($0, generation: generation)) }))
    }
}
