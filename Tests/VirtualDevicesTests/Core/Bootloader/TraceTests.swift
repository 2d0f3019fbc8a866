import Foundation
import TestSupport
import Testing

@testable import BootloaderTraces

/// The virtual bootloader does what Nordic's own was recorded to do.
@Suite struct TraceTests {
    @Test func everyRecordedConversation() throws {
        let path = TestTools.root.appendingPathComponent("Tests/Traces/nordic-bootloader.jsonl").path
        let outcomes = try TraceReplay.replay(TraceFile(contentsOf: path))
        #expect(outcomes.count == 460)
        for outcome in outcomes where !outcome.isAccepted {
            #expect(outcome.difference == nil, "\(outcome.trace.id)")
        }
        for id in TraceReplay.departures.keys {
            #expect(outcomes.contains { $0.trace.id == id && $0.difference != nil }, "\(id) is no departure any more")
        }
    }
}
