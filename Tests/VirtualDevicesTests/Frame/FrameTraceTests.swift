import Foundation
import TestSupport
import Testing
@testable import BootloaderTraces

/// The virtual Frame answers as its firmware's own C was recorded to.
struct FrameTraceTests {
    private static func path(_ name: String) -> String { TestTools.root.appendingPathComponent("Tests/Traces/\(name)").path }

    /// Quick: both sessions whole, as their lines build on each other, and each ninth sequence, the left-out ones besides.
    @Test(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
    func everyRecordedAnswer() async throws {
        let python = try TestTools.require(TestTools.python, "the Python of .venv")
        var outcomes: [FrameTraceReplay.Outcome] = []
        for name in ["frame-lua-session.jsonl", "frame-sequences.jsonl"] {
            var number = 0
            let file = try FrameTraceFile(contentsOf: Self.path(name)) { line in
                number += 1
                guard let name = line.name, !TestRange.isFull else { return true }
                return number % 9 == 6 || FrameTraceReplay.leftOut[name] != nil
            }
            outcomes += try await FrameTraceReplay.replay(file, python: python)
        }
        #expect(outcomes.count >= (TestRange.isFull ? 1528 : 1414))
        for outcome in outcomes where !outcome.isLeftOut {
            #expect(outcome.difference == nil, "\(outcome.firmware) \(outcome.key)")
        }
        #expect(FrameTraceReplay.leftOut.count <= 25)
        for (key, reason) in FrameTraceReplay.leftOut {
            #expect(!reason.isEmpty, "\(key)")
            #expect(outcomes.contains { $0.key == key && $0.difference != nil }, "\(key) is equal: it is not to be left out any more")
        }
    }

    @Test(arguments: [
        (#"{"firmware": "v25.080.0838", "index": 0, "write": "print(1)", "shout": true}"#, "line 2: shout is not known here"),
        (#"{"firmware": "v25.080.0838", "index": 0, "name": "a", "steps": [{"jump": 1}]}"#, "line 2: a step's jump is not known here"),
        (#"{"firmware": "v25.080.0838", "index": 0, "name": "a", "steps": [{"wait": 1e300}]}"#, "line 2: a wait of 1e+300 s"),
        (#"{"firmware": "v25.080.0838", "index": "0", "write": "print(1)"}"#, "line 2: index is of another kind than expected"),
        (#"{"firmware": "v25.080.0838", "index": 0}"#, "line 2: neither write nor steps"),
        ("gibberish", "line 2: no JSON object"),
    ])
    func anUnknownLineIsAnErrorInWords(line: String, words: String) throws {
        let known = #"{"firmware": "v25.080.0838", "index": 0, "write": "print(1)"}"#
        try Self.withFile(known + "\n" + line) { path in
            let fault = #expect(throws: TraceFault.self) { try FrameTraceFile(contentsOf: path) }
            #expect(fault?.description == words)
        }
    }

    @Test(arguments: [
        (#"{"write": "jump"}"#, "write"), (#"{"write": "wait", "ms": 1e300}"#, "a time of 1e+300 ms"),
        (#"{"write": "pkt", "hex": "00", "size": 0}"#, "packets of 0 bytes"), (#"{"write": "cp", "hex": "0"}"#, "an odd number of digits"),
        (#"{"write": "pkt", "blob": "none", "from": 0, "to": 1}"#, "a packet without bytes"), ("7", "another kind"),
    ])
    func soItIsForTheBootloaders(step: String, words: String) throws {
        let lines = try String(contentsOfFile: Self.path("nordic-bootloader.jsonl"), encoding: .utf8).split(separator: "\n", maxSplits: 1)
        let trace = #"{"id": "a", "topic": "a", "setup": {"flash": "fresh", "capacity": 4096, "hwVersion": 52, "sdReq": [1]}, "steps": ["#
            + step + #"], "final": {"bank0Valid": false, "initKept": false}}"#
        try Self.withFile("\(lines[0])\n\(trace)") { path in
            let fault = #expect(throws: TraceFault.self) { try TraceReplay.replay(TraceFile(contentsOf: path)) }
            #expect(fault?.description.contains(words) == true, "\(fault?.description ?? "")")
        }
    }

    private static func withFile(_ text: String, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-line-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(text.utf8).write(to: file)
        try body(file.path)
    }
}
