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

        init(_ heard: (wire: Wire, duration: Duration)) {
            for command in heard.wire.commands where !command.contains("_nf.w(") && !command.contains("_ns.a(") {
                commands += 1
                if command.contains("device.VERSION") { firmwareVersions += 1 }
                if command.contains("fpga.read(2,12)") { fpgaVersions += 1 }
                if command.contains("_nf.pages(0,") || command.contains("_nf.sha(0,") { flashReadings += 1 }
                if command.contains("_ns.sha(") { scriptDigests += 1 }
            }
            tenths = Int(heard.duration / .milliseconds(100))
        }
    }

    @Test func questionsAreFew() async throws {
        let bench = Bench()
        defer { bench.remove() }
        let assets = try Bench.assets()
        let full = Counts(try await bench.listenToFlash(assets)), current = Counts(try await bench.listenToFlash(assets))
        let deep = Counts(try await bench.listenToVerification(assets))
        print("full flash:", full, "current flash:", current, "deep verification:", deep, separator: "\n")
        // At first, after the firmware's restart and after the FPGA's; what is not the wanted one twice.
        #expect(full.firmwareVersions == 4 && full.fpgaVersions == 5 && full.flashReadings == 1)
        #expect(current.firmwareVersions == 1 && current.fpgaVersions == 1 && current.flashReadings == 1)
        #expect(deep.firmwareVersions == 1 && deep.fpgaVersions == 1 && deep.flashReadings == 1)
    }
}
