import Bluetooth
import Foundation
import KeyboardFamily
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@Suite struct TypingSessionTests {
    private func items(_ text: String) -> [TypedItem] { TypingText(text, layout: .swissGerman).items }

    /// A field that takes what the unit sends: letters and Backspace.
    private struct Field {
        var text = ""

        mutating func take(_ reports: [String]) {
            for report in reports {
                guard let usage = UInt8(report.dropFirst(6).prefix(2), radix: 16), usage > 0 else { continue }
                if usage == 0x2A { _ = text.popLast() } else { text.unicodeScalars.append(Unicode.Scalar(usage - 4 + 0x61)) }
            }
        }
    }

    /// 10,000 edits, each typed before the next one; the unit's reports make the field.
    @Test func randomEditsEndInEqualText() async throws {
        let field = try await KeyboardBench().run { bench in
            var numbers = SeededNumbers(seed: 25)
            var (wanted, field) = ("", Field())
            let link = try await bench.link()
            var machine = TypingMachine(payload: link.payload)
            for edit in 1...10_000 {
                wanted = Self.edit(wanted, &numbers)
                machine.aim(at: items(wanted))
                while let command = machine.next() {
                    try await link.send(command)
                    machine.confirm()
                }
                guard edit.isMultiple(of: 100) else { continue }
                field.take(try bench.takeReports())
                try #require(field.text == wanted)
            }
            return field
        }
        #expect(!field.text.isEmpty)
    }

    /// Lines come faster than keys: those in between are left out.
    @Test func theNewestLineCounts() async throws {
        let (text, writes) = try await KeyboardBench().run { bench in
            let wishes = Inbox<TypingSession.Wish>()
            for text in ["b", "bc", "bcd", "xyz", "bcdef"] { wishes.deliver(.text(items(text))) }
            wishes.deliver(.end([]))
            let result = try await bench.session().follow(wishes, on: bench.central.clock)
            var field = Field()
            field.take(try bench.takeReports())
            return (field.text, result.writes)
        }
        #expect(text == "bcdef" && writes == 1)
    }

    private static func edit(_ text: String, _ numbers: inout SeededNumbers) -> String {
        var letters = Array(text)
        let place = letters.isEmpty ? 0 : Int.random(in: max(0, letters.count - 8)...letters.count, using: &numbers)
        letters.removeLast(Int.random(in: 0...(letters.count - place), using: &numbers))
        for _ in 0..<Int.random(in: 0...6, using: &numbers) {
            // Of those that lie in the same place on every layout.
            letters.append("bcdefghijkl".randomElement(using: &numbers) ?? "b")
        }
        return String(letters.prefix(200))
    }

    @Test func aLostLinkEndsAText() async throws {
        var faults = FaultPlan()
        faults.cuts[2] = .link
        try await KeyboardBench(faults: faults).run { bench in
            do {
                _ = try await bench.session().type(items(String(repeating: "b", count: 150)))
                Issue.record("it was typed")
            } catch let error as KeyboardError {
                guard case .lost(confirmed: 64, unknown: 64, of: 150, let reason) = error else {
                    Issue.record("\(error)")
                    return
                }
                // The message around it says that already.
                #expect(!reason.contains("link was lost"))
            }
        }
    }

    /// Nothing is typed, and above all nothing taken away, until somebody says that the field is empty.
    @Test func followingGoesOnInAnEmptiedField() async throws {
        var faults = FaultPlan()
        faults.cuts[2] = .link
        let events = Mutex<[TypingEvent]>([])
        let (result, lines) = try await KeyboardBench(faults: faults).run { bench in
            let wishes = Inbox<TypingSession.Wish>()
            wishes.deliver(.text(items("bcd")))
            let session = bench.session { event in
                events.withLock { $0.append(event) }
                switch event {
                case .confirmed(keys: 3): wishes.deliver(.text(items("bcdef")))
                case .found:
                    wishes.deliver(.text(items("bcd")))
                    wishes.deliver(.text([]))
                    wishes.deliver(.text(items("jk")))
                    wishes.deliver(.end([.enter]))
                default: break
                }
            }
            let result = try await session.follow(wishes, on: bench.central.clock)
            return (result, try bench.takeReports())
        }
        #expect(result.losses == 1)
        #expect(events.withLock { $0 } == [
            .confirmed(keys: 3), .lost(unknownKeys: 2), .found, .heldBack, .confirmed(keys: 5), .confirmed(keys: 6)
        ])
        #expect(!lines.contains { $0.dropFirst(6).hasPrefix("2a") }, "a Backspace was sent blindly")
        #expect(lines.contains { $0.dropFirst(6).hasPrefix("28") })
    }

    @Test func whatCouldNotBeTypedIsAnError() async throws {
        var faults = FaultPlan()
        faults.cuts[1] = .link
        try await KeyboardBench(faults: faults).run { bench in
            let wishes = Inbox<TypingSession.Wish>()
            wishes.deliver(.text(items("bcd")))
            wishes.deliver(.end([]))
            await #expect(throws: KeyboardError.unknownText(unknown: 3)) {
                _ = try await bench.session().follow(wishes, on: bench.central.clock)
            }
        }
    }

    /// A unit that still types what an earlier run left does not advertise: it is waited for.
    @Test func aTextWaitsForTheUnit() async throws {
        try await KeyboardBench().run { bench in
            let link = try await bench.link()
            try await link.send(.insert(Array(repeating: "b", count: 64)))
            await link.close()
            #expect(try await bench.session().type(items("c")).confirmedKeys == 1)
        }
    }
}
