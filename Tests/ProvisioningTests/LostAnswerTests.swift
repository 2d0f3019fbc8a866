import Bluetooth
import MonocleFamily
import Provisioning
import REPL
import ScriptBundle
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

/// One lost notification costs seconds, and never a verdict.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct LostAnswerTests {
    private static let anywhere = TestRange.isFull ? Array(1...120) : Array(stride(from: 1, through: 120, by: 7))
    /// Says that it lives.
    private static let sign = """
        import bluetooth,time
        while not bluetooth.connected(): time.sleep_ms(10)
        bluetooth.send(b'rdy:')

        """
    private static let announcing = "\(sign)while True: time.sleep(1)\n"

    /// A look at a unit that is current, from its sighting to its program's sign.
    private func run(on bench: Bench, losing notification: Int?) async throws -> (report: UnitReport, time: Duration, log: [String]) {
        var bench = bench
        if let notification { bench.faults.lostNotifications = [notification] }
        let assets = try Bench.assets()
        let journal = Journal()
        return try await bench.play { central, monocle in
            let start = central.clock.now
            let report = try await ProvisioningJob(
                family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions()
            )
                .run { journal.add($0) }
            return (report, start.duration(to: central.clock.now), journal.text)
        }
    }

    /// A write that is lost may be the one that starts the program: it is not taken for a program that keeps silent.
    @Test func aLostWriteIsNoVerdict() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try ScriptSet(files: [.init(name: "main.py", bytes: Array(Self.announcing.utf8))])
        let assets = AssetSet(scripts)
        _ = try await bench.flash(assets)
        var recoveries = 0
        for packet in TestRange.isFull ? Array(1...60) : Array(10...32) {
            var bench = bench
            bench.faults.lostPackets = [packet]
            let report = try await bench.verify(assets)
            #expect(report.passed && report.program?.sign == .announced, "\(packet): \(report)")
            recoveries += report.recoveries.count
        }
        #expect(recoveries > 0)
    }

    /// A wrong bit in a question or in its answer says nothing of what a unit holds; of an answer, the unit is asked again at once.
    @Test(arguments: [false, true]) func aDamagedWordIsNoVerdict(inAnAnswer isAnswer: Bool) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        #expect(try await bench.flash(assets).passed)
        let identity = try await bench.verify(assets).identity
        for place in isAnswer && !TestRange.isFull ? Array(1...40) : Self.anywhere {
            var bench = bench
            if isAnswer { bench.faults.damagedNotifications = [place] } else { bench.faults.damagedPackets = [place] }
            bench.faults.seed = UInt64(place)
            let report = try await bench.verify(assets)
            #expect(report.passed && report.identity.versions == identity.versions, "\(place): \(report)")
            #expect(!isAnswer || report.recoveries.isEmpty, "\(place): \(report.recoveries)")
        }
    }

    /// Nor do several.
    @Test func damagedWordsAreNoVerdict() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        #expect(try await bench.flash(assets).passed)
        for seed in TestRange.seeds(90, quick: [1, 18, 20, 30, 50, 77]) {
            var bench = bench
            (bench.faults.corruption, bench.faults.seed) = (0.03, seed)
            let report = try await bench.verify(assets)
            #expect(report.findings.values.allSatisfy(\.matches) && report.error?.code != "PRV-0044", "\(seed): \(report)")
        }
    }

    /// Nor does it make a unit's charge too low, or its firmware newer.
    @Test func aDamagedAnswerRefusesNoUnit() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        var options = JobOptions()
        options.dryRun = true
        func found(_ report: UnitReport) -> [String?]? { report.plan?.components.map(\.from) }
        let usual = found(try await bench.flash(assets, options: options))
        for place in 1...20 {
            for seed in UInt64(1)...2 {
                var bench = bench
                (bench.faults.damagedNotifications, bench.faults.seed) = ([place], seed)
                let report = try await bench.flash(assets, options: options)
                #expect(report.error == nil && found(report) == usual, "\(place), \(seed): \(report)")
            }
        }
    }

    /// Nor does its bootloader refuse firmware by one.
    @Test func aDamagedAnswerIsNoRefusal() async throws {
        let assets = AssetSet(try Bench.firmware(size: 5000))
        var recoveries = 0
        for place in 1...18 {
            for seed in TestRange.seeds(8, quick: [1, 3]) {
                var bench = Bench()
                defer { bench.remove() }
                (bench.faults.damagedNotifications, bench.faults.seed) = ([place], seed)
                let report = try await bench.flash(assets)
                #expect(report.passed, "\(place), \(seed): \(report)")
                recoveries += report.recoveries.count
            }
        }
        #expect(recoveries > 0)
    }

    /// Whatever is lost of what a dead program says, its unit never passes.
    @Test(arguments: ["import nosuchmodule", "print('done')", "\(sign)time.sleep(1)\nraise ValueError", "\(sign)time.sleep(1)"])
    func aDeadProgramIsNeverProved(program: String) async throws {
        let bench = Bench()
        defer { bench.remove() }
        let scripts = try ScriptSet(files: [.init(name: "main.py", bytes: Array(program.utf8))])
        let assets = AssetSet(scripts)
        _ = try await bench.flash(assets)
        for notification in TestRange.isFull ? Array(1...60) : Array(14...40) {
            var bench = bench
            bench.faults.lostNotifications = [notification]
            let report = try await bench.verify(assets)
            #expect(["PRV-0040", "PRV-0041"].contains(report.error?.code), "\(notification): \(report)")
        }
    }

    /// A wrong bit in the key that starts the program leaves a character in the prompt's line, begins a paste, or does nothing.
    @Test(arguments: 0..<8) func aDamagedKeyStartsTheProgramAllTheSame(bit: Int) async throws {
        try await startWithDamagedKey(bit: bit)
    }

    /// The link is silent where the prompt is looked for, too.
    @Test func aPauseHidesNoPrompt() async throws {
        for event in TestRange.of(Array(1...40), quick: Array(10...30)) {
            try await startWithDamagedKey(bit: 1, silentEvent: event, within: .seconds(5))
        }
    }

    private func startWithDamagedKey(bit: Int, silentEvent: Int = 0, within: Duration = .seconds(1)) async throws {
        var bench = Bench()
        defer { bench.remove() }
        bench.faults.silentEvents = [silentEvent]
        let hasDamaged = Mutex(false)
        try await bench.play { central, unit in
            let connection = try await central.connect(to: unit.address, deadline: central.clock.deadline(in: .seconds(20)))
            let damaging = ListeningConnection(connection: connection, wire: Wire()) { packet in
                guard packet.suffix(2) == [2, 4] else { return [packet] }
                return hasDamaged.withLock { hasDamaged in
                    defer { hasDamaged = true }
                    return [packet.dropLast() + [hasDamaged ? 4 : 4 ^ (1 << bit)]]
                }
            }
            let repl = try await PythonREPL.attach(to: damaging, clock: central.clock, within: .seconds(30))
            #expect(try await repl.start(within: within), "silent from event \(silentEvent) on")
            await repl.close()
            await connection.disconnect()
        }
        #expect(hasDamaged.withLock { $0 })
    }

    @Test func oneLostAnswerAnywhereIsAskedForAgain() async throws {
        let bench = try await DriftTests.provisioned()
        defer { bench.remove() }
        let usual = try await run(on: bench, losing: nil)
        #expect(usual.report.recoveries.isEmpty)
        for notification in Self.anywhere {
            let (report, time, log) = try await run(on: bench, losing: notification)
            #expect(report.passed, "\(notification): \(String(describing: report.error)) \(log)")
            #expect(report.recoveries.count <= 1, "\(notification): \(log)")
            #expect(report.recoveries.allSatisfy { $0.remedy == .interrupt }, "\(notification): \(log)")
            #expect(time < usual.time + .seconds(13), "\(notification): \(time) \(log)")
        }
    }
}
