import Foundation
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import KeyboardFamily

/// The virtual keyboard's HTTP server, as `debug_server.c` has it.
@Suite struct VirtualKeyboardHTTPTests {
    private struct Receipt: Decodable {
        var success: Bool
        var message: String
    }

    private static func post(_ http: UnitHTTP, _ path: String, _ body: String = "") async throws -> Receipt {
        try JSONDecoder().decode(Receipt.self, from: Data(try await http.post(path, json: Array(body.utf8)).body))
    }

    /// Waits until the unit is up.
    private static func up(_ bench: OTABench) async throws -> UnitHTTP {
        try await bench.air.time.clock.sleep(until: bench.air.time.clock.deadline(in: .seconds(5)))
        return try bench.http()
    }

    @Test func itAnswersWhenItIsUpAndNotBefore() async throws {
        let bench = try OTABench()
        try await bench.run {
            await #expect(throws: OTAError.self) { try await bench.status() }
            let http = try await Self.up(bench)
            let status = try await bench.status()
            #expect(status.version == "2.10.0" && status.update == .idle && status.address == "127.0.0.1" && status.uptime == 1)
            #expect(try await http.get("/nothing").status == 404)
            #expect(String(decoding: try await http.get("/logs").body, as: UTF8.self).contains("Debug server started"))
        }
    }

    @Test func itTypesAndSaysSoAfterwards() async throws {
        let bench = try OTABench()
        try await bench.run {
            let http = try await Self.up(bench)
            let before = bench.air.time.clock.now
            #expect(try await Self.post(http, "/type", #"{"text":"Hi"}"#).success)
            #expect(before.duration(to: bench.air.time.clock.now) >= .milliseconds(100))
            let trace = String(decoding: try await http.get("/trace").body, as: UTF8.self)
            #expect(trace.contains("'H' K:0x0B M:0x02") && trace.contains("'i' K:0x0C M:0x00"), "\(trace)")
            #expect(try await Self.post(http, "/type", "{").message == "Invalid JSON")
            bench.units[0].stimulate(.undock)
            #expect(try await !Self.post(http, "/type").success)
        }
    }

    @Test func theLayoutIsSet() async throws {
        let bench = try OTABench()
        try await bench.run {
            let http = try await Self.up(bench)
            #expect(try await Self.post(http, "/keyboard", #"{"layout":"de"}"#).success)
            #expect(String(decoding: try await http.get("/keyboard").body, as: UTF8.self).contains(#""current":"de""#))
            #expect(try await !Self.post(http, "/keyboard", #"{"layout":"xx"}"#).success)
        }
    }

    @Test func itRestarts() async throws {
        let bench = try OTABench()
        try await bench.run {
            let http = try await Self.up(bench)
            #expect(try await Self.post(http, "/reboot").success)
            _ = try await Self.up(bench)
            #expect(try await bench.status().uptime == 0)
            #expect(try await Self.post(http, "/reset-wifi").success)
            _ = try await Self.up(bench)
            await #expect(throws: OTAError.self) { try await bench.status() }
        }
    }

    /// It looks at the chip and the hash, and not at the project.
    @Test(arguments: [
        ("chip", KeyboardStatus.Update.failed), ("hash", .failed), ("size", .failed), ("project", .success), ("none", .success),
    ]) func itTakesWhatESPIDFTakes(change: String, end: KeyboardStatus.Update) async throws {
        var recipe = ESPImageRecipe(version: "3.0.0")
        switch change {
        case "chip": recipe.chip = 5
        case "size": recipe.codeByteCount = 0x18_0000
        case "project": recipe.projectName = "blink"
        default: break
        }
        var bytes = recipe.bytes
        if change == "hash" { bytes[bytes.count - 1] ^= 1 }
        let (image, bench) = (bytes, try OTABench())
        try await bench.run {
            let http = try await Self.up(bench)
            let clock = bench.air.time.clock
            let seen = try await FirmwareServer.with(image, for: "127.0.0.1", at: "127.0.0.1", on: clock) { server in
                #expect(try await Self.post(http, "/ota", #"{"url":"\#(server.url)"}"#).success)
                // One that takes longer: the other ones may have ended.
                if end == .success { #expect(try await !Self.post(http, "/ota", #"{"url":"\#(server.url)"}"#).success) }
                while true {
                    let status = try await bench.status().update
                    if status == .failed || status == .success { return status }
                    try await clock.sleep(until: clock.deadline(in: .milliseconds(500)))
                }
            }
            #expect(seen == end)
            #expect((bench.slot(1) != nil) == (end == .success))
        }
    }

    @Test func aURLThatIsNoneFails() async throws {
        let bench = try OTABench()
        try await bench.run {
            let http = try await Self.up(bench)
            for url in ["https://127.0.0.1/a", "x", "http://127.0.0.1:1/a"] {
                #expect(try await Self.post(http, "/ota", #"{"url":"\#(url)"}"#).success)
                try await bench.air.time.clock.sleep(until: bench.air.time.clock.deadline(in: .seconds(1)))
                #expect(try await bench.status().update == .failed)
            }
            #expect(try await http.post("/ota", json: []).status == 400)
        }
    }
}
