import Bluetooth
import DFU
import Foundation
import MonocleFamily
import Provisioning
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// A virtual unit of one family on a bench of simulated time, before a host that keeps its bonds.
struct Bench: Sendable {
    static let firmwareVersion = "v26.300.1200"
    private static let key = Result { try SigningKey.generate() }

    let kind: BenchFamily
    let root: URL
    let bonds = BondStore()
    var faults = FaultPlan()
    /// Instead of the Python of `.venv`.
    var python: String?

    init(_ kind: BenchFamily = .monocle) {
        self.kind = kind
        root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-bench-\(UUID().uuidString)")
    }

    /// The same unit before another host.
    init(sharing other: Bench) { (kind, root, faults, python) = (other.kind, other.root, other.faults, other.python) }

    func remove() { try? FileManager.default.removeItem(at: root) }

    /// Signed with a key of the test's own.
    /// - Parameter stated: what the package is said to hold; `nil` takes its image's word.
    static func firmware(
        version: String = firmwareVersion, stated: String? = nil, size: Int = 20_000, number: UInt32 = 1, target: DFUTarget = .monocle
    ) throws -> FirmwareAsset {
        var generator = SeededGenerator(seed: 7)
        var image = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        image.replaceSubrange(1000..<1014, with: [0] + Array(version.utf8) + [0])
        let key = try key.get()
        let packet = try InitPacketBuilder(image: image, firmwareVersion: number, target: target).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        return try .init(package: package, version: stated, target: target, trusting: [key.trusted(as: "test")])
    }

    /// Puts the unit on the air in simulated time and runs `body`. What `body` leaves behind is the unit's folder.
    func play<Value: Sendable>(
        _ body: @escaping @Sendable (VirtualCentral, VirtualUnit) async throws -> Value
    ) async throws -> Value {
        let coordinates = try Self.key.get().publicCoordinates
        let settings = BenchFamily.Settings(
            python: try python ?? TestTools.require(TestTools.python, "the Python of .venv"),
            trustedKey: Array(coordinates.prefix(32).reversed()) + Array(coordinates.dropFirst(32).reversed()), faults: faults)
        let air = VirtualAir(time: .simulated())
        let unit = try kind.makeUnit(root, settings, air)
        let bonds = bonds
        let value = try await air.time.run {
            try await withVirtualUnit(unit) { try await body(VirtualCentral(air: air, bonds: bonds), unit) }
        }
        #expect(air.time.strayCount == 0, "a task went on because of another thread")
        return value
    }

    func job(
        _ assets: AssetSet, _ options: JobOptions = JobOptions(), for unit: VirtualUnit, over central: any Central
    ) throws -> ProvisioningJob {
        try ProvisioningJob(family: kind.family, central: central, address: unit.address, assets: assets, options: options)
    }

    func flash(
        _ assets: AssetSet, options: JobOptions = JobOptions(), report: @escaping @Sendable (RunEvent) -> Void = { _ in }
    ) async throws -> UnitReport {
        try await play { central, unit in try await job(assets, options, for: unit, over: central).run(report: report) }
    }

    func verify(_ assets: AssetSet, isDeep: Bool = true) async throws -> VerifyReport {
        try await play { central, unit in
            try await VerifyJob(family: kind.family, central: central, address: unit.address, assets: assets, isDeep: isDeep).run { _ in }
        }
    }
}

// MARK: - Interruptions

extension Bench {
    /// Whatever happens in between, running it again ends in a proved unit. The last run has no faults.
    /// - Returns: whether anything had happened.
    @discardableResult
    func expectRecovery(_ assets: AssetSet, runs: Int) async throws -> Bool {
        let journal = Journal()
        var report = try await flash(assets) { journal.add($0) }
        let wasDisturbed = !report.passed || !report.recoveries.isEmpty
        var calm = self
        for run in 1..<max(2, runs) where !report.passed {
            if run == runs - 1 { calm.faults = FaultPlan() } else { calm.faults.seed += 1 }
            report = try await calm.flash(assets) { journal.add($0) }
        }
        #expect(report.passed, "\(String(describing: report.error)) \(journal.text)")
        calm.faults = FaultPlan()
        let proof = try await calm.verify(assets)
        #expect(proof.passed, "\(proof) \(journal.text)")
        return wasDisturbed
    }

    /// A run that is cancelled at its n-th line, as by Ctrl-C; the unit dies with the process that plays it, as by SIGKILL.
    /// - Parameter event: of those that `counts` says.
    /// - Returns: whether the run was cut short; one with fewer events ends.
    @discardableResult
    func flashCancelled(
        _ assets: AssetSet, options: JobOptions = JobOptions(), atEvent event: Int, counts: @escaping @Sendable (RunEvent) -> Bool
    ) async throws -> Bool {
        let counted = Journal()
        do {
            try await play { central, unit in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    let (stop, clock) = (Inbox<Void>(), central.clock)
                    group.addTask {
                        _ = try await job(assets, options, for: unit, over: central).run {
                            if counts($0), counted.note("") >= event { stop.deliver(()) }
                        }
                        stop.deliver(())
                    }
                    _ = try await stop.next(before: clock.deadline(in: .seconds(600)), on: clock)
                    group.cancelAll()
                    try await group.waitForAll()
                }
            }
            return false
        } catch is CancellationError {
            return true
        }
    }
}

/// How many packets a whole run takes; measured once.
actor PacketCount {
    private let kind: BenchFamily
    private let assets: @Sendable () throws -> AssetSet
    private var count: Int?

    init(_ kind: BenchFamily, _ assets: @escaping @Sendable () throws -> AssetSet) { (self.kind, self.assets) = (kind, assets) }

    func value() async throws -> Int {
        if let count { return count }
        let bench = Bench(kind)
        defer { bench.remove() }
        let assets = try assets()
        let measured = try await bench.play { central, unit in
            let report = try await bench.job(assets, for: unit, over: central).run { _ in }
            #expect(report.passed, "\(String(describing: report.error))")
            return unit.deliveredPackets
        }
        count = measured
        return measured
    }
}

// MARK: - Round trips

extension Bench {
    /// What is written to the unit while `body` runs, and for how long that is.
    func listen(
        _ body: @escaping @Sendable (any Central, VirtualUnit) async throws -> Bool
    ) async throws -> (wire: Wire, duration: Duration) {
        let wire = Wire()
        let duration = try await play { central, unit in
            let start = central.clock.now
            let passed = try await body(ListeningCentral(central: central, wire: wire), unit)
            #expect(passed)
            return start.duration(to: central.clock.now)
        }
        return (wire, duration)
    }

    func listenToFlash(_ assets: AssetSet) async throws -> (wire: Wire, duration: Duration) {
        try await listen { central, unit in try await job(assets, for: unit, over: central).run { _ in }.passed }
    }

    func listenToVerification(_ assets: AssetSet) async throws -> (wire: Wire, duration: Duration) {
        try await listen { central, unit in
            try await VerifyJob(family: kind.family, central: central, address: unit.address, assets: assets, isDeep: true).run { _ in }
                .passed
        }
    }
}

/// Collects events from a run.
final class Journal: Sendable {
    private let lines = Mutex<[String]>([])

    var text: [String] { lines.withLock { $0 } }

    func add(_ event: RunEvent) {
        if let words = event.words { note(words) }
    }

    /// - Returns: how many there are.
    @discardableResult
    func note(_ line: String) -> Int {
        lines.withLock { lines in
            lines.append(line)
            return lines.count
        }
    }
}

extension RunEvent {
    /// `nil` for the progress within a stage.
    var words: String? {
        switch content {
        case .stage(let stage): "stage \(stage.name)"
        case .notice(let text): "notice \(text)"
        case .recovery(let recovery): "notice \(recovery.words)"
        case .step(let step): "step \(step.component.name) \(step.action.rawValue)"
        default: nil
        }
    }
}
