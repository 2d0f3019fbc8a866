import Bluetooth
import MonocleFamily
import REPL
import ScriptBundle
import Support
import TestSupport
import Testing
import VirtualDevices

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
    private static let moments = TestRange.isFull ? Array(stride(from: 0, through: 9000, by: 100)) : Array(stride(from: 0, through: 9000, by: 700))

    @Test func theProgramRunsAfterwards() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = AssetSet(
            firmware: nil, fpga: nil, scripts: try ScriptSet(files: [.init(name: "main.py", bytes: Array(Self.program.utf8))]))
        _ = try await bench.flash(assets)
        for moment in Self.moments {
            try await bench.play { central, monocle in
                let clock = central.clock
                await withThrowingTaskGroup(of: Void.self) { group in
                    let proving = Inbox<Void>()
                    group.addTask {
                        _ = try await ProvisioningJob(family: .monocle, central: central, address: monocle.address, assets: assets, options: JobOptions())
                            .run { if case .stage(.proof) = $0.content { proving.deliver(()) } }
                    }
                    group.addTask {
                        _ = try await proving.next(before: clock.deadline(in: .seconds(60)), on: clock)
                        try await clock.sleep(until: clock.deadline(in: .milliseconds(moment)))
                        throw CancellationError()
                    }
                    _ = await group.nextResult()
                    group.cancelAll()
                    while await group.nextResult() != nil {}
                }
                let radio = UnitLocator(central: central, family: .monocle, address: monocle.address)
                #expect(try await radio.find([.application]) != nil)
                let connection = try await radio.connect(.application)
                let messages = try await connection.subscribe(to: AppService.transmit, deadline: clock.deadline(in: .seconds(5)))
                let beat = try await messages.next(before: clock.deadline(in: .seconds(6)), on: clock)
                #expect(beat == Array("beat".utf8), "cancelled \(moment) ms into the proof")
                await connection.disconnect()
            }
        }
    }
}
