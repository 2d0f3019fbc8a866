import Cryptography
import Cryptography
import VirtualDevices

/// Plays one trace to the virtual bootloader and compares what it does, in order and without times.
struct TraceReplay {
    private enum Observation: Equatable, CustomStringConvertible {
        case notify(String)
        case attributeError(UInt8)
        case mtu(Int)
        case disconnected
        case reset
        case started(String)

        var description: String {
            switch self {
            case .notify(let hex): hex
            case .attributeError(let code): "ATT error \(Hex.encode([code]))"
            case .mtu(let mtu): "MTU \(mtu)"
            case .disconnected: "disconnected"
            case .reset: "reset"
            case .started(let program): "started \(program)"
            }
        }
    }

    private let file: TraceFile
    private let trace: Trace
    private let configuration: BootloaderConfiguration
    private var bootloader: SecureBootloader
    private var now = Duration.zero
    private var payloadSize = 0
    private var seen: [Observation] = []

    init(_ trace: Trace, in file: TraceFile) throws {
        guard let base = file.header.bases[trace.setup.flash] else { throw TraceFault("no base \(trace.setup.flash)") }
        let key = try Hex.decode(file.header.testKey.publicXHex) + Hex.decode(file.header.testKey.publicYHex)
        var configuration = BootloaderConfiguration(trustedKeys: [key], applicationCapacity: trace.setup.capacity)
        configuration.hardwareVersion = trace.setup.hwVersion
        configuration.softDeviceID = trace.setup.sdReq.first ?? 0
        configuration.pageEraseTime = try Self.milliseconds(file.header.flash.eraseMs)
        configuration.wordWriteTime = try Self.milliseconds(file.header.flash.wordUs / 1000)
        configuration.flashQueueDepth = file.header.flash.queueEntries
        configuration.packetBuffers = file.header.flash.packetBuffers
        configuration.signatureCheckTime = .zero
        configuration.imageCheckTime = .zero
        let storage = BootloaderStorage(
            application: try base.application?.content() ?? [], applicationVersion: base.version ?? 0)
        self.file = file
        self.trace = trace
        self.configuration = configuration
        bootloader = SecureBootloader(configuration: configuration, nonvolatile: storage, now: .zero)
        _ = bootloader.takeEffects()
    }

    /// - Returns: `nil` when all is as recorded, else the first difference.
    mutating func difference() throws -> String? {
        var expected: [Observation] = []
        for (index, step) in trace.steps.enumerated() {
            try perform(step)
            expected += try Self.observations(step)
            let common = min(expected.count, seen.count)
            if seen[..<common] != expected[..<common] {
                let place = (0..<common).first { seen[$0] != expected[$0] } ?? 0
                return "step \(index): \(seen[place]) instead of \(expected[place])"
            }
        }
        if seen.count != expected.count {
            return
                "\(seen.count) events instead of \(expected.count): "
                    + "\((seen.count > expected.count ? seen : expected).last.map(String.init(describing:)) ?? "")"
        }
        let final = outcome
        return final == trace.final ? nil : "left \(final) instead of \(trace.final)"
    }

    private static func milliseconds(_ number: Double) throws -> Duration {
        guard (0...3_600_000).contains(number) else { throw TraceFault("a time of \(number) ms") }
        return .microseconds(Int64((number * 1000).rounded()))
    }

    private static func observations(_ step: Trace.Step) throws -> [Observation] {
        try (step.expect ?? []).compactMap { expectation in
            if let hex = expectation.notify { return .notify(hex) }
            if let att = expectation.att { return .attributeError(try Hex.decode(att).first ?? 0) }
            if let mtu = expectation.mtu { return .mtu(mtu) }
            if expectation.disconnected == true { return .disconnected }
            if expectation.reset == true { return .reset }
            return expectation.started.map(Observation.started)
        }
    }

    private mutating func perform(_ step: Trace.Step) throws {
        switch step.write {
        case .connect: connect(step.mtu ?? 23)
        case .subscribe: bootloader.setControlPointNotifications(step.on ?? true)
        case .cp:
            if let error = bootloader.writeControlPoint(try file.bytes(of: step), now: now) { seen.append(.attributeError(error)) }
            collect()
        case .pkt: try sendPackets(step)
        case .wait: pass(try Self.milliseconds(step.ms ?? 0))
        case .disconnect:
            bootloader.disconnected(now: now)
            collect()
        case .powerCycle: restart(staysInBootloader: step.bootloader ?? false)
        }
    }

    private mutating func connect(_ mtu: Int) {
        guard !bootloader.hasLeft, !bootloader.isConnected else { return }
        bootloader.connected(now: now)
        // 0: the client does not ask.
        let agreed = mtu == 0 ? 0 : SecureBootloader.negotiatedMTU(requested: mtu)
        payloadSize = max(agreed, 23) - 3
        seen.append(.mtu(agreed))
        collect()
    }

    private mutating func sendPackets(_ step: Trace.Step) throws {
        let bytes = try file.bytes(of: step)
        let size = step.size ?? max(1, bytes.count)
        guard size > 0 else { throw TraceFault("packets of \(size) bytes") }
        for start in stride(from: 0, to: max(1, bytes.count), by: size) {
            let packet = Array(bytes[start..<min(start + size, bytes.count)])
            // The link layer carries nothing longer.
            if packet.count <= payloadSize { bootloader.writePacket(packet, now: now) }
            collect()
            if let gap = step.gap { pass(try Self.milliseconds(gap)) }
        }
    }

    private mutating func restart(staysInBootloader: Bool) {
        if bootloader.storage.hasPendingUpdate { seen.append(.reset) }
        bootloader = SecureBootloader(
            configuration: configuration, nonvolatile: bootloader.storage, now: now, staysInBootloader: staysInBootloader)
        _ = bootloader.takeEffects()
        seen.append(.started(bootloader.hasLeft ? "application" : "bootloader"))
    }

    private mutating func pass(_ duration: Duration) {
        now += duration
        bootloader.advance(to: now)
        collect()
    }

    private mutating func collect() {
        let effects = bootloader.takeEffects()
        for effect in effects {
            switch effect.event {
            case .notify(let bytes): seen.append(.notify(Hex.encode(bytes)))
            case .storageChanged: break
            case .disconnected:
                seen.append(.disconnected)
                // The bootloader waits for its reset without looking left or right.
                now = max(now, effect.time + configuration.resetDelay)
                bootloader.advance(to: now)
            case .startedApplication: seen += [.reset, .started("application")]
            case .restarted: seen += [.reset, .started("bootloader")]
            }
        }
        if !effects.isEmpty { collect() }
    }

    private var outcome: Trace.Final {
        let storage = bootloader.storage
        guard storage.applicationIsValid else { return Trace.Final(bank0Valid: false, initKept: !storage.initPacket.isEmpty) }
        return Trace.Final(
            bank0Valid: true, applicationSHA256: SHA256.text(of: storage.application), applicationSize: storage.application.count,
            version: storage.applicationVersion, initKept: !storage.initPacket.isEmpty)
    }
}

extension TraceReplay {
    /// Traces that the virtual bootloader departs from on purpose, and why.
    static let departures: [String: String] = [:]

    /// What became of each trace.
    struct Outcome {
        var trace: Trace
        var difference: String?
        var isAccepted: Bool { difference != nil && TraceReplay.departures[trace.id] != nil }
    }

    static func replay(_ file: TraceFile) throws -> [Outcome] {
        try file.traces.map { trace in
            var replay = try TraceReplay(trace, in: file)
            return Outcome(trace: trace, difference: try replay.difference())
        }
    }
}
