import Bluetooth
import DFU
import FPGA
import REPL
import ReferenceClients
import ScriptBundle
import Support
import VirtualDevices

/// What one client needed for one job on one link.
struct Measurement: Codable, Sendable {
    /// Virtual; `nil` where the client gave up, or left something else on the unit.
    var seconds: Double?
    var packets = 0
    var bytes = 0
    /// Why there are no seconds, or what a reference was lent.
    var remark: String?
    /// Of this process, which also plays the unit.
    var hostSeconds = 0.0
    var hostProcessorSeconds = 0.0
}

/// The three jobs, by noafw and by the clients that it is compared with.
struct Clients: Sendable {
    /// Lent to the phone app, which waits for an answer for ever.
    private static let lentPatience = Duration.seconds(2)
    /// The phones' libraries make one for bootloaders that lose packets behind CREATE.
    private static let pause = Duration.milliseconds(400)
    /// From the end of a transfer's link until the unit has stored the image.
    private static let activation = Duration.seconds(2)
    private static let attempts = 10

    let image: FPGAImage
    let firmware: FirmwareImage
    let file: [UInt8]
    let keys: [[UInt8]]

    // MARK: - FPGA image, from the erased flash to the last byte

    func writeFPGA(_ link: LinkSetting) async -> Measurement {
        await measure(link) { stage in
            let connected = try await stage.play { central, address in
                try await run(central, address) { connection in
                    let updater = try await prepared(connection, central.clock)
                    connection.count.reset()
                    var notices: [String] = []
                    var measured = try await timed(central) {
                        try await updater.write(from: 0) { if case .notice(let text) = $0 { notices.append(text) } }
                    }
                    measured.remark = notices.isEmpty ? nil : notices.joined(separator: "; ")
                    return measured
                }
            }
            return stage.content("fpga-flash.bin").starts(with: image.bytes) ? connected : connected.wrong
        }
    }

    /// A run would take a new link for what fails here.
    private func prepared(_ connection: CountedConnection, _ clock: SessionClock) async throws -> FPGAUpdater {
        let repl = try await PythonREPL.attach(to: connection, clock: clock, within: .seconds(60))
        let updater = FPGAUpdater(repl: repl, image: image)
        for attempt in 1...Self.attempts {
            do {
                try await updater.stopFPGA { _ in }
                try await updater.erase { _ in }
                break
            } catch is REPLError where attempt < Self.attempts {
                try await repl.recover(within: .seconds(20))
            }
        }
        return updater
    }

    func writeFPGALikeTheApp(_ link: LinkSetting) async -> Measurement {
        await measure(link) { stage in
            let measured = try await stage.play { central, address in
                try await run(central, address) { connection in
                    let app = PhoneApp(prompt: try await TextPrompt(connection, clock: central.clock))
                    try await app.enterRawREPL()
                    _ = try await app.eraseFPGA()
                    connection.count.reset()
                    return try await timed(central) { _ = try await app.writeFPGA(image.bytes, patience: Self.lentPatience) }
                }
            }
            return stage.content("fpga-flash.bin").starts(with: image.bytes) ? measured : measured.wrong
        }
    }

    // MARK: - Firmware, in the bootloader, to the end of its link

    func sendFirmware(_ link: LinkSetting) async -> Measurement {
        await transfer(link) { connection, clock in
            _ = try await DFUSession(connection: connection, clock: clock).transfer(firmware)
        }
    }

    /// - Parameter receiptInterval: 0 for none.
    func sendFirmwarePlainly(_ link: LinkSetting, receiptInterval: Int) async -> Measurement {
        func attempt(_ pause: Duration) async -> Measurement {
            await transfer(link) { connection, clock in
                let client = PlainDFU(connection: connection, clock: clock, receiptInterval: receiptInterval, pause: pause)
                _ = try await client.send(initPacket: firmware.initPacket.bytes, image: firmware.bytes)
            }
        }
        let first = await attempt(.zero)
        guard first.seconds == nil else { return first }
        var second = await attempt(Self.pause)
        second.remark = "without a pause of 0.4 s after CREATE: \(first.remark ?? "")" + (second.remark.map { "; with it: \($0)" } ?? "")
        return second
    }

    private func transfer(
        _ link: LinkSetting, _ body: @escaping @Sendable (CountedConnection, SessionClock) async throws -> Void
    ) async -> Measurement {
        await measure(link) { stage in
            let measured = try await stage.play(isInBootloader: true, trusting: keys) { central, address in
                let measured = try await run(central, address) { connection in
                    try await timed(central) { try await body(connection, central.clock) }
                }
                try await central.clock.sleep(until: central.clock.deadline(in: Self.activation))
                return measured
            }
            return stage.application == firmware.bytes ? measured : measured.wrong
        }
    }

    // MARK: - One file

    func putFile(_ link: LinkSetting) async -> Measurement {
        await measure(link) { stage in
            let measured = try await stage.play { central, address in
                try await run(central, address) { connection in
                    let repl = try await PythonREPL.attach(to: connection, clock: central.clock, within: .seconds(60))
                    connection.count.reset()
                    return try await timed(central) {
                        try await PythonFiles(repl: repl).write(file, to: UnitPath("bench.py")) { _ in }
                    }
                }
            }
            return stage.content("files/bench.py") == file ? measured : measured.wrong
        }
    }

    func putFileLikeMpremote(_ link: LinkSetting) async -> Measurement {
        await measure(link) { stage in
            let measured = try await stage.play { central, address in
                try await run(central, address) { connection in
                    let client = Mpremote(prompt: try await TextPrompt(connection, clock: central.clock))
                    try await client.enterRawREPL()
                    connection.count.reset()
                    return try await timed(central) { try await client.put(file, as: "bench.py") }
                }
            }
            return stage.content("files/bench.py") == file ? measured : measured.wrong
        }
    }

    // MARK: -

    private func run(
        _ central: VirtualCentral, _ address: DeviceAddress, _ body: (CountedConnection) async throws -> Measurement
    ) async throws -> Measurement {
        let base = try await central.connect(to: address, deadline: central.clock.deadline(in: .seconds(30)))
        let connection = CountedConnection(base: base)
        do {
            var measured = try await body(connection)
            (measured.packets, measured.bytes) = (connection.count.packets, connection.count.bytes)
            await base.disconnect()
            return measured
        } catch {
            await base.disconnect()
            throw error
        }
    }

    private func timed(_ central: VirtualCentral, _ body: () async throws -> Void) async throws -> Measurement {
        let start = central.clock.now
        try await body()
        return Measurement(seconds: start.duration(to: central.clock.now) / .seconds(1))
    }

    private func measure(_ link: LinkSetting, _ body: (Stage) async throws -> Measurement) async -> Measurement {
        let stage = Stage(link: link)
        defer { stage.remove() }
        let (start, processor) = (ContinuousClock.now, ProcessorTime.ofThisProcess)
        var measured: Measurement
        do { measured = try await body(stage) } catch {
            measured = Measurement(seconds: nil, remark: Self.words(error))
        }
        measured.hostSeconds = (ContinuousClock.now - start) / .seconds(1)
        measured.hostProcessorSeconds = ProcessorTime.ofThisProcess - processor
        return measured
    }

    private static func words(_ error: any Error) -> String {
        switch error {
        case PhoneApp.Refusal.payloadTooSmall: "the app refuses this payload"
        case PhoneApp.Refusal.stuck: "a chunk that was written twice leaves no room for the last ones, which the app sends for ever"
        case PlainDFU.Failure.objectLost(let offset): "the object at \(offset) never arrives whole"
        case PlainDFU.Failure.silent(let operation): "operation \(operation) is never answered"
        default: PrintableText.of(Array("\(error)".prefix(200).utf8))
        }
    }
}

extension Measurement {
    /// The client took it for done.
    fileprivate var wrong: Measurement {
        var other = self
        other.remark = "done after \((seconds ?? 0).rounded()) s, but the unit holds something else"
        other.seconds = nil
        return other
    }
}
