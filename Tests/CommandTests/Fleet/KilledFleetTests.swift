import Bluetooth
import Foundation
import Glibc
import Ledger
import LedgerStore
import TestSupport
import Testing
import VirtualDevices

/// SIGKILL in the middle of a fleet of all families, and again: what the built tool leaves, and what the next run makes of it.
@Suite(
    .enabled(
        if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua,
        "MicroPython or the virtual Frame's Lua is missing: run Tools/setup tests"),
    .serialized)
final class KilledFleetTests {
    private static let families = ["monocle", "frame"]
    private static let count = 10
    private static let kills = TestRange.isFull ? 30 : 5
    private static let fleet =
        families.flatMap { ["--virtual", $0] } + ["--count", "\(count)", "--virtual-speed", "max", "--only", "scripts"]

    private let bench: ToolBench
    private var numbers = SeededNumbers(seed: 15)

    init() throws { bench = try ToolBench() }

    deinit { bench.remove() }

    private func runs() async throws -> [RunRecord] { try await SQLiteLedger(folder: bench.state.path + "/ledger").runs() }

    @Test func nothingIsLostAndEveryUnitIsVerifiedAtTheEnd() async throws {
        var killedInTheMiddle = 0
        for round in 0..<Self.kills {
            let before = try await runs()
            let (words, events) = try await killedRun(round)
            let after = try await runs()
            try expectWhole(after, since: before, events, "round \(round)")
            let open = before.filter(\.isOpen).map(\.id)
            if after.count > before.count, !open.isEmpty {
                #expect(
                    after.filter { open.contains($0.id) }.allSatisfy { $0.code == "LED-0006" && $0.outcome == .aborted }, "round \(round)")
                #expect(words.contains("LED-0020") || !words.contains("note:"), "round \(round): \(words)")
            }
            if after.contains(where: \.isOpen) { killedInTheMiddle += 1 }
            try await expectNobodyLeft("round \(round)")
            try damageOneUnit()
        }
        #expect(killedInTheMiddle > 0, "no kill came in the middle of a run")
        try await expectAllVerified()
    }

    /// - Returns: its standard error, and its events.
    private func killedRun(_ round: Int) async throws -> (words: String, events: [[String: Any]]) {
        let file = bench.state.path + "/events-\(round).jsonl"
        let tool = try bench.start(
            ["flash"] + Self.fleet + ["--canary", "0", "--stop-after", "0", "--seed", "\(round)", "--json", "--events", file])
        // As soon as it has said some words, or a moment later.
        for _ in 0..<Int.random(in: 0...60, using: &numbers) where tool.nextLine() == nil { break }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &numbers)))
        tool.signal(SIGKILL)
        let words = tool.remainingErrors()
        _ = tool.wait()
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        #expect(text.isEmpty || text.hasSuffix("\n"), "an event is torn: \(text.suffix(200))")
        return (words, try text.split(separator: "\n").map { try ToolBench.json(String($0)) })
    }

    /// What was told of a unit's work is in its record; what was there stays as it was.
    private func expectWhole(_ after: [RunRecord], since before: [RunRecord], _ events: [[String: Any]], _ place: Comment) throws {
        #expect(after.map(\.id).prefix(before.count) == before.map(\.id)[...], place)
        for (old, new) in zip(before, after) where !old.isOpen { #expect(old == new, place) }
        let added = Dictionary(grouping: after.dropFirst(before.count), by: \.unitAddress)
        #expect(added.values.allSatisfy { $0.count == 1 }, place)
        for event in events {
            guard let unit = event["unit"] as? String, let name = event["event"] as? String, name != "started" else { continue }
            let record = added[unit]?.first
            #expect(record != nil, "\(place): \(name) of \(unit) has no record")
            if name == "ended" { #expect(record?.outcome?.rawValue == event["verdict"] as? String, "\(place): \(unit)") }
        }
    }

    /// No interpreter of a unit outlives the tool, and nothing holds a unit.
    private func expectNobodyLeft(_ place: Comment) async throws {
        let end = ContinuousClock.now.advanced(by: .seconds(10))
        while !processes().isEmpty, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(20)) }
        #expect(processes().isEmpty, place)
        for (family, name) in names() {
            let root = bench.state.appendingPathComponent("virtual/\(family)/\(name)")
            guard FileManager.default.fileExists(atPath: root.appendingPathComponent("unit.json").path) else { continue }
            let folder = family == "monocle" ? try UnitFolder.monocle(root: root, name: name) : try UnitFolder.frame(root: root, name: name)
            #expect(throws: Never.self, place) { withExtendedLifetime(try folder.lock()) {} }
        }
    }

    private func names() -> [(family: String, name: String)] {
        Self.families.flatMap { family in (1...Self.count).map { (family, $0 == 1 ? "default" : "\($0)") } }
    }

    /// Those that were started on this test's state folder.
    private func processes() -> [String] {
        let numbers = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).filter {
            Int($0) != nil && Int($0) != Int(getpid())
        }
        return numbers.filter { number in
            ["cmdline", "environ"].contains { file in
                (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(number)/\(file)"))).map { String(decoding: $0, as: UTF8.self) }?
                    .contains(bench.state.path) == true
            } && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(number)/exe")) != nil
        }
    }

    /// A byte of a file of its scripts, as a tired flash would: the next run has to see and mend it.
    private func damageOneUnit() throws {
        let (family, name) = names()[Int.random(in: 0..<(Self.families.count * Self.count), using: &numbers)]
        let file = bench.state.appendingPathComponent("virtual/\(family)/\(name)/files/main.\(family == "monocle" ? "py" : "lua")")
        guard var bytes = try? Data(contentsOf: file), !bytes.isEmpty else { return }
        bytes[Int.random(in: 0..<bytes.count, using: &numbers)] ^= 1
        try bytes.write(to: file)
    }

    private func expectAllVerified() async throws {
        let open = try await runs().filter(\.isOpen)
        let last = try bench.run(["flash"] + Self.fleet + ["--canary", "0", "--json"])
        let units = try #require(try ToolBench.json(last.output)["units"] as? [[String: Any]])
        #expect(last.status == 0 && units.count == Self.families.count * Self.count, "\(last.errors)")
        #expect(units.allSatisfy { $0["outcome"] as? String == "pass" }, "\(last.errors)")
        #expect(open.isEmpty || last.errors.contains("LED-0020"), "\(last.errors)")
        let all = try await runs()
        #expect(all.allSatisfy { !$0.isOpen } && all.suffix(units.count).allSatisfy { $0.outcome == .pass })
        #expect(all.allSatisfy { $0.outcome == .pass || $0.code == "LED-0006" }, "\(all.map { $0.code ?? "-" })")
        #expect(all.compactMap(\.seq).sorted() == Array(1...Int64(all.count)))
        let check = try bench.run(["ledger", "check"])
        #expect(check.status == 0, "\(check.output)")
        let verified = try bench.run(["verify"] + Self.fleet + ["--deep", "--json"])
        #expect(verified.status == 0, "\(verified.errors)")
        try await expectNobodyLeft("at the end")
    }
}
