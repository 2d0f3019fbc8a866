import Assistant
import Foundation
import Testing

@testable import noafw

// What the unit's program prints.
extension ChatCommandTests {
    static let exitReport = ConsoleSample.events(
        "print\u{1B}[2J\r\nTraceback (most recent call last):\r\n  File \"x\"\r\nValueError: no\r\n")

    @Test(arguments: ["--query", "--script", "lines"]) func aTracebackFails(way: String) async throws {
        let raising = services { id, _ in Self.exitReport + [.answered(id, "I", nil), .sent(id, awaitsReceipt: true), .delivered(id)] }
        #expect(try await run(Self.arguments(way, in: folder), raising, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("note: the unit's program raised ValueError: no\n"))
        #expect(harness.diagnostics.contains("error NOA-0020: the unit's program raised ValueError: no"))
        #expect(!harness.diagnostics.contains("unit: "))
    }

    @Test(arguments: ["--query", "--script", "lines"]) func aTracebackRightBehindTheReceiptFails(way: String) async throws {
        let raising = services { id, _ in
            [.answered(id, "never", nil), .sent(id, awaitsReceipt: true), .delivered(id)] + Self.exitReport
        }
        #expect(try await run(Self.arguments(way, in: folder), raising, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("error NOA-0020: the unit's program raised ValueError: no"))
    }

    @Test(arguments: ["--query", "--script", "lines"]) func aProgramThatEndsFails(way: String) async throws {
        let ending = services { _, _ in [.programEnded] }
        #expect(try await run(Self.arguments(way, in: folder), ending, input: Self.input(way)) == 1)
        #expect(harness.diagnostics.contains("error NOA-0021: the unit's program has ended"))
    }

    /// Kept in the transcript and in JSON, shown with `-v`.
    @Test func whatTheProgramPrintsIsKept() async throws {
        let transcript = folder.appendingPathComponent("talk.txt")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let printing = services { id, _ in Array(Self.exitReport.prefix(1)) + [.consoleLeftOut(lines: 7)] + Self.echo(id, "hi") }
        #expect(await run(["--query", "hi", "-v", "--transcript", transcript.path], printing) == 0)
        #expect(harness.diagnostics.contains("unit: print\u{FFFD}[2J\nunit: (7 more lines)\n"))
        let kept = try String(contentsOf: transcript, encoding: .utf8)
        #expect(kept.contains(" py> print\u{FFFD}[2J\n") && kept.contains(" py> (7 more lines)\n"))
        harness.clear()
        #expect(await run(["--query", "hi", "--json"], printing) == 0)
        #expect(harness.output.contains(#"{"event":"consoleLeftOut","lines":7}"#))
        harness.clear()
        #expect(await run(["--query", "hi", "--json"], services { _, _ in Self.exitReport }) == 1)
        #expect(harness.output.contains(#"{"event":"raised","text":"ValueError: no","traceback":"Traceback"#))
        #expect(harness.output.contains(#""code":"NOA-0020""#))
    }
}
