import Bluetooth
import REPL
import Support
import Synchronization
import TestSupport
import Testing
import VirtualDevices
import VirtualFaults

@testable import FPGA

/// The way through the REPL's input, against the virtual Monocle.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct InputTransportTests {
    /// Short content: the rest is blank, as at the end of a real image.
    private static let image = Result { try FPGAImage(Array(developmentImage(seed: 5).prefix(60_000)), isChecked: false) }

    /// Its book is found once.
    private static let transport = InputTransport()

    private func image() throws -> FPGAImage { try Self.image.get() }

    private func expectProven(_ bench: FlashBench, _ image: FPGAImage) throws {
        let flash = try bench.flash()
        #expect(flash.image == image.bytes)
        #expect(flash.isCommitted)
    }

    /// Erases, writes, proves and commits over one link.
    private func update(
        _ bench: FlashBench, _ image: FPGAImage, transport: any FPGATransport = InputTransportTests.transport
    ) async throws -> [FPGAEvent] {
        try await bench.play { central, address in
            try await bench.attached(central, address) { repl in
                var events: [FPGAEvent] = []
                try await FPGAUpdater(repl: repl, image: image, transport: transport).update(force: true) { events.append($0) }
                return events
            }
        }
    }

    private func notices(_ events: [FPGAEvent]) -> [String] { events.compactMap { if case .notice(let text) = $0 { text } else { nil } } }

    /// What the air carries, so that a change of it is seen.
    @Test func trafficOfAWholeImage() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try FPGAImage(developmentImage(seed: 21), isChecked: false)
        let events = try await update(bench, image)
        try expectProven(bench, image)
        #expect(notices(events).isEmpty)
        #expect(events.count { $0 == .erasing } == 1)
        let traffic = bench.tap.traffic
        #expect(traffic.bytes < 235_000, "\(traffic)")
        // All packets but the commands' are full.
        #expect(traffic.packets < traffic.bytes / 253 + 2 * traffic.commands + 20, "\(traffic)")
        #expect(traffic.commands < 70, "\(traffic)")
    }

    @Test(arguments: [20, 182, 244])
    func anyPayload(size: Int) async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try image()
        try await bench.play { central, address in
            var central = central
            central.requestedMTU = size + 3
            try await bench.attached(central, address) { repl in
                _ = try await FPGAUpdater(repl: repl, image: image, transport: Self.transport).update(force: true)
            }
        }
        try expectProven(bench, image)
    }

    /// Nothing but the write phase starts over, and nothing is erased twice.
    @Test(arguments: TestRange.of(
        [
            [0x03], Array("print(1)\r\n".utf8), [0x03, 0x03, 0x01], [0x04], [0x02], [0x05, 0x41, 0x01], [0x03, 0x20, 0x03],
            [0xFF, 0x00, 0x0D],
        ] as [[UInt8]], quick: [[0x03], Array("print(1)\r\n".utf8), [0x03, 0x03, 0x01], [0x05, 0x41, 0x01]]))
    func whatIsTypedInBetweenIsRepaired(bytes: [UInt8]) async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try image()
        bench.tap.type(bytes, before: 90)
        bench.tap.type(bytes, before: 140)
        let events = try await update(bench, image)
        try expectProven(bench, image)
        #expect(events.count { $0 == .erasing } == 1)
        #expect(notices(events).contains { $0.hasPrefix("data was lost on the way") })
        #expect(!notices(events).contains { $0.contains("as Python text") })
    }

    /// Bytes that could be a piece's own: what its check refuses would else be written, and the whole flash erased once more.
    @Test(arguments: [[33, 40], [33, 33, 33, 33]] as [[UInt8]])
    func whatLooksLikeAPieceIsNotWritten(bytes: [UInt8]) async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try image()
        for packet in stride(from: 60, through: 170, by: 10) { bench.tap.type(bytes, before: packet) }
        let events = try await update(bench, image)
        try expectProven(bench, image)
        #expect(events.count { $0 == .erasing } == 1)
    }

    /// Where the write counter is, whether the book is there, and the loop again: the prompt itself need not be looked for.
    @Test func aLostPacketCostsThreeCommands() async throws {
        let image = try image()
        var traffics: [Tap.Traffic] = []
        for lost in [[], [130]] as [Set<Int>] {
            var bench = FlashBench()
            defer { bench.remove() }
            bench.faults.lostPackets = lost
            let events = try await update(bench, image)
            try expectProven(bench, image)
            #expect(notices(events).count == lost.count)
            traffics.append(bench.tap.traffic)
        }
        #expect(traffics[1].commands - traffics[0].commands <= 3, "\(traffics)")
        // At most what the ring and the radio's queues held goes again.
        #expect(traffics[1].bytes - traffics[0].bytes < 4000, "\(traffics)")
    }

    /// The middle of a literal is lost: what is left of it is a literal, too.
    @Test func aBookThatLostAPartIsSentAgain() async throws {
        let image = try image()
        for packet in [40, 41, 42] {
            var bench = FlashBench()
            defer { bench.remove() }
            bench.faults.lostPackets = [packet]
            let events = try await update(bench, image)
            try expectProven(bench, image)
            #expect(!notices(events).contains { $0.contains("as Python text") }, "\(packet): \(events)")
        }
    }

    @Test func aProgramThatHoldsTheMemoryMakesRoom() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try image()
        let notices = try await bench.play { central, address in
            try await bench.attached(central, address) { repl in
                _ = try await repl.run(PythonCode("hog=[bytes(900)for _ in range(16)]"), within: .seconds(5))
                var events: [FPGAEvent] = []
                try await FPGAUpdater(repl: repl, image: image, transport: Self.transport).update(force: true) { events.append($0) }
                return events
            }
        }
        #expect(self.notices(notices).isEmpty)
        try expectProven(bench, image)
    }

    /// Its table is gone, so no piece can be decoded: none reaches the prompt, and the image goes as text.
    @Test func aWayThatFailsTwiceIsLeft() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try image()
        let events = try await update(bench, image, transport: SpoiledTransport())
        #expect(notices(events).contains { $0.contains("as Python text") && $0.contains("failed twice") })
        try expectProven(bench, image)
    }

    @Test(arguments: [REPLError.lacking("sys.stdin"), TooLittleMemory.free(9000)] as [any Error & Sendable])
    func aClosedWayIsLeftAtOnce(reason: any Error & Sendable) async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try image()
        let events = try await update(bench, image, transport: ClosedTransport(reason: reason))
        #expect(notices(events).count == 1 && notices(events)[0].contains("as Python text"))
        try expectProven(bench, image)
    }

    /// Seconds of a small computer: it does not wait until the erase is over, which here never is.
    @Test func whatAWriteNeedsIsComputedDuringTheErase() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let (image, transport) = (try image(), PreparedTransport())
        await #expect(throws: CancellationError.self) {
            try await bench.play { central, address in
                try await bench.attached(central, address) { repl in
                    _ = try await FPGAUpdater(repl: repl, image: image, transport: transport).update(force: true) { event in
                        if event == .erasing { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }
            }
        }
        #expect(transport.preparations.withLock { $0 } == 1)
    }

    /// Bytes that stand in the prompt's line before a question are no fault of the helper, which alone knows the write counter.
    @Test func aLineThatDoesNotParseKeepsTheHelper() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let counters = try await bench.play { central, address in
            try await bench.attached(central, address) { repl in
                let helper = FPGAProbe(repl: repl).helper
                try await helper.session.ensure()
                try await helper.session.tell("n=77")
                var counters: [Int?] = []
                for typed in ["(", " ", "x\n ", "if 1:\n"] {
                    bench.tap.type(Array(typed.utf8), before: bench.tap.traffic.packets + 1)
                    counters.append(try await helper.session.retrying({ _ in }) { try await helper.counter() })
                    try await helper.session.ensure()
                }
                return try await counters + [helper.counter()]
            }
        }
        #expect(counters == Array(repeating: 77, count: counters.count))
    }

    @Test func aHeapInPiecesIsEnoughToReadTheFlash() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let (whole, inPieces) = try await bench.play { central, address in
            try await bench.attached(central, address) { repl in
                let probe = FPGAProbe(repl: repl)
                let whole = try await probe.survey()
                let code = "hog=[]\ntry:\n while 1:\n  hog.append(bytes(400))\nexcept MemoryError:\n pass\n"
                    + "for i in range(0,len(hog),2):\n hog[i]=0"
                _ = try await repl.run(PythonCode(code), within: .seconds(5))
                return (whole, try await probe.survey())
            }
        }
        #expect(inPieces == whole)
    }

    /// Lost and damaged packets and signs, lost links, typing, safe mode: in the end the flash is right, and nobody has to help.
    @Test(arguments: TestRange.seeds(1000, quick: [0, 2, 5, 36, 208, 414]))
    func comesThroughFaults(seed: UInt64) async throws {
        var generator = SeededNumbers(seed: seed)
        var bench = FlashBench()
        defer { bench.remove() }
        bench.faults.seed = seed
        bench.faults.loss = [0, 0.004, 0.02].randomElement(using: &generator)!
        bench.faults.corruption = [0, 0.004].randomElement(using: &generator)!
        if Bool.random(using: &generator) { bench.faults.cuts = [Int.random(in: 30...260, using: &generator): .link] }
        let keys: [[UInt8]] = [[0x03], [0x03, 0x03], [0x04], [0x01], [0x1C], Array("x=1\r".utf8), generator.bytes(count: 30)]
        for _ in 0..<Int.random(in: 0...3, using: &generator) {
            bench.tap.type(keys.randomElement(using: &generator)!, before: Int.random(in: 20...260, using: &generator))
        }
        let image = try image()
        let attempts = try await bench.play { [bench] central, address in
            var failures: [String] = []
            while failures.count < 8 {
                do {
                    try await bench.attached(central, address) { repl in
                        let updater = FPGAUpdater(repl: repl, image: image, transport: Self.transport)
                        _ = try await updater.update(after: updater.look())
                    }
                    break
                } catch { failures.append("\(error)") }
            }
            return failures
        }
        #expect(attempts.count < 8, "\(attempts)")
        try expectProven(bench, image)
    }
}

@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct RoomForPhrasesTests {
    /// What an interrupted program holds goes with its interpreter; where the next write goes, only the helper knows.
    @Test func aRestartForRoomKeepsTheWriteCounter() async throws {
        let bench = FlashBench()
        defer { bench.remove() }
        let image = try FPGAImage(Array(developmentImage(seed: 5).prefix(20_000)), isChecked: false)
        let (counter, isHeld) = try await bench.play { central, address in
            try await bench.attached(central, address) { repl in
                let helper = FPGAProbe(repl: repl).helper
                try await helper.session.ensure()
                try await helper.session.tell("n=77")
                let hog = "import gc\nhog=[]\ngc.collect()\nwhile gc.mem_free()>12000:\n hog.append(bytes(200))\n gc.collect()"
                _ = try await repl.run(PythonCode(hog), within: .seconds(60))
                let transport = InputTransport()
                try await transport.upload(transport.book(for: image), through: helper.session)
                let isHeld = try await repl.runText("print('hog' in globals())", within: .seconds(5))
                return (try await helper.counter(), isHeld)
            }
        }
        #expect(counter == 77 && isHeld == "False")
    }
}

@Suite struct SharedBookTests {
    /// Of the image that is asked for, whatever was asked for before.
    @Test func eachImageHasItsOwnPhrases() throws {
        let images = try [5, 6].map { try FPGAImage(Array(developmentImage(seed: $0).prefix(20_000)), isChecked: false) }
        for image in images + images {
            #expect(InputTransport().book(for: image).listing == PhraseBook(for: image.bytes).listing)
        }
    }
}

/// As ``InputTransport``, but the unit's table of phrases is emptied.
private struct SpoiledTransport: FPGATransport {
    let base = InputTransport()
    var fallback: (any FPGATransport)? { base.fallback }
    func reasonToLeave(_ error: any Error) -> String? { base.reasonToLeave(error) }

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        try await base.upload(base.book(for: image), through: session)
        try await session.tell("T.clear()")
        try await base.write(image, from: offset, through: session, onProgress: onProgress)
    }
}

private struct ClosedTransport: FPGATransport {
    let reason: any Error & Sendable
    var fallback: (any FPGATransport)? { LiteralTransport() }
    func reasonToLeave(_ error: any Error) -> String? { InputTransport().reasonToLeave(error) }

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        throw reason
    }
}

private final class PreparedTransport: FPGATransport {
    let preparations = Mutex(0)

    func prepare(_ image: FPGAImage) async { preparations.withLock { $0 += 1 } }

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        Issue.record("nothing is written")
    }
}
