import Bluetooth
import Foundation
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

/// Each question is asked once between two restarts of the unit: a command is a round trip, and costs two connection intervals.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct RoundTripTests {
    private struct Counts: Equatable {
        /// Commands but for those that carry the bytes of images and scripts.
        var commands = 0
        var firmwareVersions = 0
        var fpgaVersions = 0
        /// Readings of the whole FPGA flash.
        var flashReadings = 0
        /// Digests of scripts.
        var scriptDigests = 0
        var tenths = 0

        init(_ wire: Wire, over duration: Duration) {
            for command in wire.commands where !command.contains("_nf.w(") && !command.contains("_ns.a(") {
                commands += 1
                if command.contains("device.VERSION") { firmwareVersions += 1 }
                if command.contains("fpga.read(2,12)") { fpgaVersions += 1 }
                if command.contains("_nf.pages(0,") || command.contains("_nf.sha(0,") { flashReadings += 1 }
                if command.contains("_ns.sha(") { scriptDigests += 1 }
            }
            tenths = Int(duration / .milliseconds(100))
        }
    }

    private func count(
        _ bench: Bench, _ body: @escaping @Sendable (any Central, VirtualUnit) async throws -> Bool
    ) async throws -> Counts {
        let wire = Wire()
        let duration = try await bench.play { central, unit in
            let start = central.clock.now
            let passed = try await body(ListeningCentral(central: central, wire: wire), unit)
            #expect(passed)
            return start.duration(to: central.clock.now)
        }
        return Counts(wire, over: duration)
    }

    @Test func questionsAreFew() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        func flash() async throws -> Counts {
            try await count(bench) { central, unit in
                try await ProvisioningJob(
                    family: .monocle, central: central, address: unit.address, assets: assets, options: JobOptions()
                ).run { _ in }.passed
            }
        }
        let full = try await flash()
        print("full flash:", full)
        let current = try await flash()
        print("current flash:", current)
        let deep = try await count(bench) { central, unit in
            try await VerifyJob(family: .monocle, central: central, address: unit.address, assets: assets, isDeep: true).run { _ in }.passed
        }
        print("deep verification:", deep)
        // At first, after the firmware's restart and after the FPGA's.
        #expect(full.firmwareVersions == 3 && full.fpgaVersions == 3 && full.flashReadings == 1)
        #expect(current.firmwareVersions == 1 && current.fpgaVersions == 1 && current.flashReadings == 1)
        #expect(deep.firmwareVersions == 1 && deep.fpgaVersions == 1 && deep.flashReadings == 1)
    }
}
