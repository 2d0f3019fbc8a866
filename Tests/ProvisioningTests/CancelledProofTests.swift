import Bluetooth
import FPGA
import MonocleFamily
import REPL
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import Provisioning

/// Ctrl-C leaves a whole unit with its program running, at whatever moment it comes.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct CancelledProofTests {
    /// Tells the app that it lives, five times a second.
    private static let program = """
        import bluetooth,time
        while True:
            if bluetooth.connected():
                try:
                    bluetooth.send(b'beat')
                except OSError:
                    pass
            time.sleep_ms(200)
        """
    private static let moments =
        TestRange.isFull ? Array(stride(from: 0, through: 9000, by: 100)) : Array(stride(from: 0, through: 9000, by: 700))

    private static func assets(fpga version: String? = nil) throws -> AssetSet {
        AssetSet(
            try version.map { BitstreamAsset(image: try FPGAImage(Bench.bitstream(), isChecked: false), version: $0) },
            try ScriptSet(files: [.init(name: "main.py", bytes: Array(program.utf8))]))
    }

    /// Runs the job and cancels it so long after the event.
    /// - Returns: whether the event came.
    private static func cancel(
        _ job: ProvisioningJob, _ moment: Int = 0, on clock: SessionClock, after isDue: @escaping @Sendable (RunEvent.Content) -> Bool
    ) async -> Bool {
        await withThrowingTaskGroup(of: Bool.self) { group in
            let due = Inbox<Void>()
            group.addTask {
                _ = try await job.run { if isDue($0.content) { due.deliver(()) } }
                return false
            }
            group.addTask {
                _ = try await due.next(before: clock.deadline(in: .seconds(600)), on: clock)
                try await clock.sleep(until: clock.deadline(in: .milliseconds(moment)))
                return true
            }
            let first = try? await group.nextResult()?.get()
            group.cancelAll()
            while await group.nextResult() != nil {}
            return first == true
        }
    }

    private static func expectProgram(
        of monocle: VirtualUnit, over central: VirtualCentral, runs: Bool = true, _ note: String
    ) async throws {
        let clock = central.clock
        let radio = try UnitLocator(central: central, family: .monocle, address: monocle.address)
        #expect(try await radio.find([.application]) != nil)
        let connection = try await radio.connect(.application)
        let messages = try await connection.subscribe(to: AppService.transmit, deadline: clock.deadline(in: .seconds(5)))
        let beat = try await messages.next(before: clock.deadline(in: .seconds(6)), on: clock)
        #expect(beat == (runs ? Array("beat".utf8) : nil), "\(note)")
        await connection.disconnect()
    }

    @Test func theProgramRunsAfterwards() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Self.assets()
        _ = try await bench.flash(assets)
        for moment in Self.moments {
            try await bench.play { central, monocle in
                let job = try bench.job(assets, for: monocle, over: central)
                _ = await Self.cancel(job, moment, on: central.clock) { if case .stage(.proof) = $0 { true } else { false } }
                try await Self.expectProgram(of: monocle, over: central, "cancelled \(moment) ms into the proof")
            }
        }
    }

    @Test func theProgramRunsAfterAnInterview() async throws {
        let bench = Bench()
        defer { bench.remove() }
        _ = try await bench.flash(try Self.assets())
        try await bench.play { central, monocle in
            let answer = try await IdentifyJob(family: .monocle, central: central, address: monocle.address).run { _ in }
            #expect(answer.mode == .application)
            try await Self.expectProgram(of: monocle, over: central, "only asked")
        }
    }

    /// An answer is lost, also the second time, and Ctrl-C comes while the run brings the unit back to its prompt.
    @Test func theProgramRunsAfterARemedyThatWasCancelled() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Self.assets()
        _ = try await bench.flash(assets)
        var remedies = 0
        for notification in stride(from: 4, through: 34, by: 2) {
            for moment in [0, 100] {
                var bench = bench
                bench.faults.lostNotifications = [notification, notification + 3]
                let faulty = bench
                remedies += try await bench.play { central, monocle in
                    let job = try faulty.job(assets, for: monocle, over: central)
                    let isCancelled = await Self.cancel(job, moment, on: central.clock) { if case .recovery = $0 { true } else { false } }
                    try await Self.expectProgram(of: monocle, over: central, "cancelled \(moment) ms after the loss of \(notification)")
                    return isCancelled ? 1 : 0
                }
            }
        }
        #expect(remedies > 3)
    }

    /// Each remedy, by an error that calls for it, with Ctrl-C at any moment from its start.
    @Test(arguments: [
        (Remedy.interrupt, REPLError.garbage("test")), (.reconnect, REPLError.timedOut("test")), (.safeMode, REPLError.noPrompt),
        (.softReset, REPLError.lua(LuaException("not enough memory".utf8))),
    ], TestRange.of(Array(stride(from: 0, through: 6000, by: 200)), quick: [0, 300, 600, 1000, 1500, 2500, 4000]))
    func theProgramRunsWhateverRemedyIsCancelled(remedy: (kind: Remedy, error: REPLError), moment: Int) async throws {
        let bench = Bench()
        defer { bench.remove() }
        _ = try await bench.flash(try Self.assets())
        try await bench.play { central, monocle in
            let clock = central.clock
            let lease = UnitLease(try UnitLocator(central: central, family: .monocle, address: monocle.address))
            _ = try await lease.identity()
            let due = Inbox<Remedy>()
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let failures = remedy.kind == .reconnect ? 2 : 1
                    var count = 0
                    _ = try await lease.attempt(RetryPolicy(mayRestartUnit: true), recovering: { kind, _ in due.deliver(kind) }) {
                        count += 1
                        // An interrupt comes before a new link.
                        if count <= failures { throw remedy.error }
                        _ = try await lease.identity()
                        try await clock.sleep(until: clock.deadline(in: .seconds(60)))
                    }
                }
                var kind = try? await due.next(before: clock.deadline(in: .seconds(60)), on: clock)
                while let used = kind, used != remedy.kind {
                    kind = try? await due.next(before: clock.deadline(in: .seconds(60)), on: clock)
                }
                #expect(kind == remedy.kind)
                try? await clock.sleep(until: clock.deadline(in: .milliseconds(moment)))
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            try await Self.expectProgram(of: monocle, over: central, "\(remedy.kind) cancelled after \(moment) ms")
        }
    }

    /// It would run on half an FPGA: the next run starts it.
    @Test func theProgramDoesNotRunOnAnFPGAHalfWritten() async throws {
        let bench = Bench()
        defer { bench.remove() }
        _ = try await bench.flash(try Self.assets())
        let assets = try Self.assets(fpga: Bench.fpgaVersion)
        try await bench.play { central, monocle in
            let job = try bench.job(assets, for: monocle, over: central)
            #expect(await Self.cancel(job, 500, on: central.clock) { if case .stage(.fpga) = $0 { true } else { false } })
            try await Self.expectProgram(of: monocle, over: central, runs: false, "half an FPGA")
            #expect(try await job.run { _ in }.passed)
            try await Self.expectProgram(of: monocle, over: central, "after the next run")
        }
    }

    /// The FPGA is whole again as soon as it says its version, or its built-in one after an image was taken out.
    @Test(arguments: [true, false]) func theProgramRunsAfterAnFPGAUpdate(isRight: Bool) async throws {
        let bench = Bench()
        defer { bench.remove() }
        _ = try await bench.flash(try Self.assets())
        var options = JobOptions()
        options.components = [.fpga]
        let (assets, limits) = (try Self.assets(fpga: isRight ? Bench.fpgaVersion : "v26.366.2359"), options)
        try await bench.play { central, monocle in
            let job = try bench.job(assets, limits, for: monocle, over: central)
            if isRight {
                #expect(
                    await Self.cancel(job, on: central.clock) { if case .step(let step) = $0 { step.action == .updated } else { false } })
            } else {
                #expect(try await job.run { _ in }.error?.code == "PRV-0010")
            }
            try await Self.expectProgram(
                of: monocle, over: central, isRight ? "cancelled after the update" : "after the image was taken out")
        }
    }
}
