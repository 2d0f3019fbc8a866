import Bluetooth
import Foundation
import KeyboardFamily
import Support
import TestSupport
import Testing
import VirtualFaults

@testable import VirtualDevices

/// The virtual unit, by what the firmware's sources say about the real one.
@Suite struct VirtualKeyboardTests {
    private static let receive = AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e")
    private static let transmit = AttributeID("6e400003-b5a3-f393-e0a9-e50e24dcca9e")

    private func presses(_ reports: [String]) -> [String] {
        reports.filter { $0 != "010000000000000000" }.map { String($0.dropFirst(2).prefix(6)) }
    }

    private func connect(_ bench: KeyboardBench) async throws -> any Connection {
        try await bench.central.connect(to: bench.address, deadline: bench.central.clock.deadline(in: .seconds(60)))
    }

    /// Its port is opened by another thread, for which time stands still; nobody else waits for that.
    @Test(arguments: [true, false]) func oneThatEndsAtOnceIsNotWaitedFor(isBroken: Bool) async throws {
        struct Ended: Error {}
        let bench = try KeyboardBench()
        if isBroken { try Data("{".utf8).write(to: bench.folder.root.appendingPathComponent("nvs.json")) }
        let begun = ContinuousClock.now
        await #expect(throws: (any Error).self) {
            try await bench.air.time.run {
                try await withVirtualUnit(bench.unit) {
                    guard isBroken else { throw Ended() }
                    try await bench.wait(.seconds(60))
                }
            }
        }
        #expect(bench.air.time.strayCount == 0, "\(ContinuousClock.now - begun)")
    }

    @Test func theServiceIsInTheScanResponse() async throws {
        let sightings = try await KeyboardBench().run { bench in
            let discovery = try await bench.central.discover()
            let deadline = bench.central.clock.deadline(in: .seconds(2))
            var sightings: [Advertisement] = []
            while sightings.count < 2, let next = try await discovery.sightings.next(before: deadline, on: bench.central.clock) {
                sightings.append(next)
            }
            await discovery.stop()
            return sightings
        }
        #expect(sightings.map(\.name) == ["IOS-Keyboard", "IOS-Keyboard"])
        #expect(sightings.map(\.services.count) == [0, 1])
    }

    /// `Hi`, as the firmware's own code sends it.
    @Test func theAnswerComesWhenTheKeysAreSent() async throws {
        let (reports, seconds) = try await KeyboardBench().run { bench in
            let connection = try await connect(bench)
            #expect(connection.payloadSize == 253)
            let start = bench.central.clock.now
            let deadline = bench.central.clock.deadline(in: .seconds(30))
            try await connection.write([0x02, 0x48, 0x69], to: Self.receive, deadline: deadline)
            return (try bench.takeLines(), start.duration(to: bench.central.clock.now).inMilliseconds)
        }
        #expect(reports.compactMap { $0.split(separator: " ").last } == [
            "0102000b0000000000", "010000000000000000", "0100000c0000000000", "010000000000000000"
        ])
        let times = reports.compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(zip(times.dropFirst(), times).map { $0 - $1 } == [50_000, 20_000, 50_000])
        #expect((140...240).contains(seconds))
    }

    @Test func unknownAndShortCommandsAreSwallowed() async throws {
        let reports = try await KeyboardBench().run { bench in
            let connection = try await connect(bench)
            for value in [[7], [1], [2], [4], [], [1, 0], [4, 0x31], [2, 0x0D], [2, 0, 0x41]] as [[UInt8]] {
                try await connection.write(value, to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            }
            try await connection.write([3, 1, 2], to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            try await connection.write([4, 0x6A], to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            return try bench.takeReports()
        }
        #expect(presses(reports) == ["000028", "01000d"])
    }

    /// Whatever a write is cut of: 255 characters are typed of one that is longer.
    @Test func aLongWriteLosesItsEnd() async throws {
        let count = try await KeyboardBench().run { bench in
            let reply = LinkReply()
            bench.unit.events.deliver(.connect(requestedMTU: 517, reply: reply))
            let deadline = bench.central.clock.deadline(in: .seconds(120))
            guard case .success(let link)? = try await reply.wait(before: deadline, on: bench.central.clock) else { return 0 }
            let answer = Inbox<UInt8?>()
            try link.send(.write(Self.receive, [0x02] + [UInt8](repeating: 0x61, count: 400), reply: answer))
            _ = try await answer.next(before: deadline, on: bench.central.clock)
            return try bench.takeReports().count
        }
        #expect(count == 255 * 2)
    }

    @Test func aTextThatEndsInsideACharacterIsOverread() async throws {
        let lines = try await KeyboardBench().run { bench in
            let connection = try await connect(bench)
            for value in [Array("\u{2}abcdefgh".utf8), [0x02, 0x61, 0xC3]] {
                try await connection.write(value, to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(30)))
            }
            return try bench.takeLines()
        }
        #expect(lines.contains { $0.hasSuffix("over-read") })
        // The end and one byte are stepped over; what the last text left behind them is typed.
        #expect(presses(lines.filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: " ").last.map(String.init) }).suffix(6)
            == ["000004", "000007", "000008", "000009", "00000a", "00000b"])
    }

    /// The rest of the command is dropped; the key stays down until the next one.
    @Test(arguments: [3, 4]) func aRefusedReportEndsItsCommand(number: Int) async throws {
        var settings = KeyboardSettings()
        settings.refusedReports = [number]
        let lines = try await KeyboardBench(settings: settings).run { bench in
            let connection = try await connect(bench)
            try await connection.write([0x02, 0x61, 0x62, 0x63], to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            return try bench.takeLines()
        }
        #expect(lines.count == number)
        #expect(lines.last?.hasSuffix(number == 3 ? "press refused" : "release refused") == true)
    }

    @Test func withoutAHostNothingIsTypedAndAllIsAnswered() async throws {
        var settings = KeyboardSettings()
        settings.isPlugged = false
        let board = settings.board
        let reports = try await KeyboardBench(settings: settings).run { bench in
            _ = try await bench.session().type(TypingText("hello", layout: .swissGerman).items)
            #expect(try bench.takeReports().isEmpty)
            bench.unit.stimulate(.dock)
            _ = try await bench.session().type(TypingText("a", layout: .swissGerman).items)
            return try bench.takeReports()
        }
        #expect(presses(reports) == ["000004"])
        #expect(board.trace.commands.count == 2 && board.trace.keys.count == 1)
    }

    /// No Wi-Fi, no keyboard.
    @Test func withoutItsWiFiItDoesNotAppear() async throws {
        var settings = KeyboardSettings()
        settings.knowsWiFi = false
        _ = try await KeyboardBench(settings: settings).run { bench in
            await #expect(throws: LinkError.self) {
                _ = try await KeyboardLink.open(bench.address, over: bench.central, within: .seconds(30))
            }
        }
    }

    /// The link is lost in the middle of a command: it is typed to its end, and only then the unit advertises.
    @Test func whatIsInFlightIsFinishedBeforeItAdvertises() async throws {
        var faults = FaultPlan()
        faults.cuts[3] = .link
        try await KeyboardBench(faults: faults).run { bench in
            let connection = try await connect(bench)
            let channel = try await connection.openChannel(to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            let text = [UInt8](repeating: 0x61, count: 100)
            for _ in 0..<3 { try await channel.send([0x02] + text, deadline: bench.central.clock.deadline(in: .seconds(5))) }
            // Two arrived, the third one cut the link.
            try await bench.wait(.seconds(10))
            #expect(bench.air.advertising(at: bench.address) == nil)
            try await bench.wait(.seconds(5))
            #expect(try bench.takeReports().count == 400)
            #expect(bench.air.advertising(at: bench.address) != nil)
        }
    }

    /// 24 buffers of 255 bytes; what comes then is lost without a word.
    @Test func theQueueIsBounded() async throws {
        let count = try await KeyboardBench().run { bench in
            let connection = try await connect(bench)
            let channel = try await connection.openChannel(to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            try await channel.send([0x02] + [UInt8](repeating: 0x61, count: 100), deadline: bench.central.clock.deadline(in: .seconds(5)))
            for _ in 0..<40 { try await channel.send([0x02, 0x62], deadline: bench.central.clock.deadline(in: .seconds(5))) }
            try await bench.wait(.seconds(60))
            return try bench.takeReports().count
        }
        #expect(count == (100 + 24) * 2)
    }

    @Test func itNeverNotifies() async throws {
        let value = try await KeyboardBench().run { bench in
            let connection = try await connect(bench)
            let inbox = try await connection.subscribe(to: Self.transmit, deadline: bench.central.clock.deadline(in: .seconds(5)))
            try await connection.write([0x02, 0x61], to: Self.receive, deadline: bench.central.clock.deadline(in: .seconds(5)))
            return try await inbox.next(before: bench.central.clock.deadline(in: .seconds(60)), on: bench.central.clock)
        }
        #expect(value == nil)
    }

    /// The layout is read before the storage is opened.
    @Test func everyStartIsSwissGerman() async throws {
        let settings = KeyboardSettings()
        try await KeyboardBench(settings: settings).run { bench in
            settings.board.layout = .american
            bench.unit.stimulate(.cut(.power))
            try await bench.wait(.seconds(20))
            #expect(settings.board.layout == .swissGerman)
        }
    }
}

extension Duration {
    fileprivate var inMilliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
