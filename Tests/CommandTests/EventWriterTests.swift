import Bluetooth
import Foundation
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

@Suite struct EventWriterTests {
    private static let plan = Plan(family: "monocle", unit: "C0:00:00:00:00:01", components: [
        ComponentPlan(
            component: .fpga, action: .update, from: "v1", to: "v2", byteCount: 5, estimates: [StageEstimate(.fpga, seconds: 2.5)])
    ])

    private func run(_ events: String, _ harness: Harness, in folder: String, extra: [String] = []) async -> Int32 {
        let services = FakeServices(onFlash: { _, report in
            let unit = DeviceAddress("C0:00:00:00:00:01")!
            report(.notice("a \u{1B} note"))
            for content in [.stage(.fpga), .planned(Self.plan), .progress(stage: .fpga, overall: 0.5, bytesDone: 1, bytesTotal: 5)]
                as [RunEvent.Content]
            {
                report(RunEvent(unit: FleetUnit(id: "\(unit)", address: unit), time: .init(offset: .seconds(1)), content: content))
            }
            return try Sample.flashed()
        })
        var context = harness.context(["flash", "--virtual", "monocle", "--events", events] + extra, services: services)
        context.currentDirectory = folder
        context.date = { Date(timeIntervalSince1970: 0) }
        return await Noafw.execute(in: context)
    }

    private func objects(_ text: String) throws -> [[String: Any]] {
        try text.split(separator: "\n").map { try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]) }
    }

    @Test func eachEventIsALine() async throws {
        let (folder, harness) = (try TemporaryFolder(), Harness())
        #expect(await run("log.jsonl", harness, in: folder.url.path) == 0, "\(harness.diagnostics)")
        let lines = try objects(String(decoding: try folder.read("log.jsonl"), as: UTF8.self))
        #expect(lines.map { $0["event"] as? String } == ["notice", "stage", "plan", "progress", "result"])
        #expect(lines.allSatisfy { $0["schema"] as? String == "noafw.event/1" && $0["time"] as? String == "1970-01-01T00:00:00Z" })
        #expect(lines[0]["text"] as? String == "a \u{1B} note" && lines[0]["unit"] is NSNull)
        #expect(lines[1]["unit"] as? String == "C0:00:00:00:00:01")
        #expect((lines[2]["plan"] as? [String: Any])?["seconds"] as? Double == 2.5)
        #expect(lines[4]["verdict"] as? String == "pass")
        #expect(harness.output.contains("PASS"))
        // A second run adds to it.
        #expect(await run("log.jsonl", harness, in: folder.url.path) == 0)
        #expect(try objects(String(decoding: try folder.read("log.jsonl"), as: UTF8.self)).count == 10)
    }

    @Test func standardOutputHoldsNothingElse() async throws {
        let (folder, harness) = (try TemporaryFolder(), Harness())
        #expect(await run("-", harness, in: folder.url.path) == 0)
        #expect(try objects(harness.output).count == 5)
        #expect(harness.diagnostics.contains("PASS"))
        #expect(await run("-", Harness(), in: folder.url.path, extra: ["--json"]) == 64)
    }

    @Test func aPlaceThatCannotBeWrittenEndsTheRunBeforeItBegins() async throws {
        let (folder, harness) = (try TemporaryFolder(), Harness())
        #expect(await run("none/log", harness, in: folder.url.path) == 74)
        #expect(harness.output.contains("NOT STARTED"))
    }
}
