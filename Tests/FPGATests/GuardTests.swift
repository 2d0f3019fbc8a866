import Cryptography
import Foundation
import Support
import TestSupport
import Testing

@testable import FPGA
@testable import REPL

/// A flash that changes behind the updater's back, at the moment when the next guard is all that can see it.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct GuardTests {
    private static let flipped = 70_000
    private let image: FPGAImage

    init() throws { image = try FPGAImage(developmentImage(seed: 31), isChecked: false) }

    /// A unit whose flash changes each time that a command arrives which holds the text, `times` times at most.
    private func host(
        in folder: URL, flash: [UInt8]? = nil, before text: String, times: Int = 1,
        change: @escaping @Sendable (URL) throws -> Void
    ) throws -> MicroPythonHost {
        try FlashModule.install(in: folder, flash: flash)
        let left = Countdown(times)
        return try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            if String(decoding: bytes, as: UTF8.self).contains(text), left.next() { try? change(folder) }
            return bytes
        })
    }

    private static func flip(in folder: URL) throws {
        let file = try FileHandle(forUpdating: folder.appendingPathComponent("flash.bin"))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(flipped))
        let byte = try file.read(upToCount: 1)?.first ?? 0
        try file.seek(toOffset: UInt64(flipped))
        try file.write(contentsOf: Data([byte ^ 0x10]))
    }

    private func attach(_ host: MicroPythonHost) async throws -> PythonREPL {
        try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
    }

    private func committed(_ folder: URL) throws -> Bool {
        Array(try FlashModule.flash(in: folder)[FPGALimits.imageByteCount..<FPGALimits.regionByteCount]) == FPGALimits.marker
    }

    /// The flash was written right and does not keep it.
    @Test func aByteThatFlipsBeforeTheProofIsWrittenAgain() async throws {
        let folder = try makeUnitFolder()
        let host = try host(in: folder, before: "_nf.sha(0,", change: Self.flip)
        defer { host.endAndRemove() }
        var notices: [String] = []
        _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices == ["resuming at byte 0", "starting over: 1 pages of the flash differ from what was written"])
        #expect(Array(try FlashModule.flash(in: folder)[..<FPGALimits.imageByteCount]) == image.bytes)
        #expect(FlashModule.eraseCount(in: folder) == 1)
        #expect(try committed(folder))
    }

    /// A worn flash: it is given up, and what it holds is never started.
    @Test func aByteThatFlipsAgainAndAgainIsNeverCommitted() async throws {
        let folder = try makeUnitFolder()
        let host = try host(in: folder, before: "_nf.sha(0,", times: .max, change: Self.flip)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        await #expect(throws: FPGAError.verificationFailed(pages: [Self.flipped / FPGALimits.pageByteCount])) {
            _ = try await FPGAUpdater(repl: repl, image: image, transport: LiteralTransport()).update()
        }
        #expect(try !committed(folder))
        #expect(FlashModule.eraseCount(in: folder) == 1)
    }

    /// A page that differs and has the right digest, as far as the unit says.
    @Test func aForgedPageIsFoundByTheWholeDigest() async throws {
        let folder = try makeUnitFolder()
        var flash = image.bytes + FPGALimits.marker + [UInt8](repeating: 0xFF, count: 109 * 4096 - 444_434)
        flash[Self.flipped] ^= 0x10
        try FlashModule.install(in: folder, flash: flash)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let probe = FPGAProbe(repl: repl)
        #expect(try await probe.differences(from: image) == ["page 17 of the FPGA flash"])
        let right = HexText.encode(SHA256.of(image.bytes[FPGALimits.page(17)]).prefix(8))
        let forgery = "_p=_nf.part\n_nf.part=lambda q,e,*a:(_p(q,e,*a),'\(right)')[1] if q==17*4096 else _p(q,e,*a)"
        _ = try await repl.runText(forgery, within: .seconds(20))
        #expect(try await probe.differences(from: image) == ["the digest of the FPGA flash"])
        let outcome = try await FPGAUpdater(repl: repl, image: image, transport: LiteralTransport()).update()
        #expect(outcome.plan == .erase && outcome.bytesWritten == FPGALimits.imageByteCount)
        #expect(try Array(FlashModule.flash(in: folder)[..<FPGALimits.imageByteCount]) == image.bytes)
    }

    @Test func anImageWithoutItsMarkerIsNotProved() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder, flash: image.bytes + [UInt8](repeating: 0xFF, count: 109 * 4096 - 444_430))
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        #expect(try await FPGAProbe(repl: try await attach(host)).differences(from: image) == ["the FPGA commit marker"])
    }

    /// Three of the marker's four bytes hold.
    @Test func aMarkerThatDoesNotReadBackIsNoCommit() async throws {
        let folder = try makeUnitFolder()
        let host = try host(in: folder, flash: image.bytes + [UInt8](repeating: 0xFF, count: 109 * 4096 - 444_430), before: "_nf.done()") {
            var flash = try FlashModule.flash(in: $0)
            flash[FPGALimits.imageByteCount] = 0x24
            try Data(flash).write(to: $0.appendingPathComponent("flash.bin"))
        }
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        await #expect(throws: FPGAError.commitFailed(marker: "246f6e65")) {
            _ = try await FPGAUpdater(repl: repl, image: image, transport: LiteralTransport()).update()
        }
    }

    // MARK: - Withdrawal

    @Test func aWithdrawnImageIsErasedWithItsMarker() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder, flash: image.bytes + FPGALimits.marker + [UInt8](repeating: 0xFF, count: 109 * 4096 - 444_434))
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let updater = FPGAUpdater(repl: repl, image: image, transport: LiteralTransport())
        try await updater.withdraw()
        #expect(try FlashModule.flash(in: folder).allSatisfy { $0 == 0xFF })
        #expect(try await FPGAProbe(repl: repl).condition() == .stopped)
        _ = try await repl.runText("_nf.mark=lambda:_nf.say('646f6e65')", within: .seconds(20))
        await #expect(throws: FPGAError.markerStays) { try await updater.withdraw() }
    }

    // MARK: - Answers

    /// A command that becomes another on its way gets an answer that is whole, and about something else.
    @Test(arguments: [("_nf.tail(8192,", "_nf.tail(0,"), ("_nf.mark()", "_nf.sha(0,4)")])
    func anAnswerToAnotherQuestionIsNotBelieved(command: String, other: String) async throws {
        let folder = try makeUnitFolder()
        var flash = [UInt8](repeating: 0xFF, count: FPGALimits.regionByteCount)
        flash.replaceSubrange(0..<10_000, with: image.bytes[..<10_000])
        try FlashModule.install(in: folder, flash: flash)
        let host = try MicroPythonHost(folder: folder, packetFault: { _, bytes in
            Array(String(decoding: bytes, as: UTF8.self).replacing(command, with: other).utf8)
        })
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let problem = await #expect(throws: REPLError.self) { _ = try await FPGAProbe(repl: repl).survey(for: image) }
        guard case .unreadable = problem else { Issue.record("\(String(describing: problem))"); return }
    }

    // MARK: - Pieces

    /// One piece is damaged on the way: the unit refuses it, the updater sees that, and nothing has to be erased.
    @Test func aDamagedPieceIsNotWritten() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let isDone = Countdown(1)
        let host = try MicroPythonHost(folder: folder, packetFault: { number, bytes in
            guard number > 200, bytes.contains(UInt8(ascii: "\\")), !bytes.contains(0x04), isDone.next() else { return bytes }
            return bytes.map { $0 == UInt8(ascii: "\\") ? UInt8(ascii: "x") : $0 }
        })
        defer { host.endAndRemove() }
        var notices: [String] = []
        _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices.count == 2 && notices.last?.hasPrefix("data was lost on the way; going on at byte") == true, "\(notices)")
        #expect(FlashModule.eraseCount(in: folder) == 0)
        #expect(Array(try FlashModule.flash(in: folder)[..<FPGALimits.imageByteCount]) == image.bytes)
    }

    @Test func theHelperWritesOnlyWhatFits() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let helper = FlashHelper(repl: try await attach(host), answerTimeout: FlashHelper.answerTimeout)
        try await helper.session.ensure()
        #expect(try await helper.counter() == nil)
        #expect(try await helper.session.perform("guess()", within: .seconds(20)) == "0")
        let check = SHA256.number(of: Array("abc".utf8))
        #expect(try await helper.session.perform("w(5,\(check),b'abc')", within: .seconds(20)) == "0", "another place")
        #expect(try await helper.session.perform("w(0,\(check),b'abd')", within: .seconds(20)) == "0", "another content")
        #expect(try await helper.session.perform("done()", within: .seconds(20)) == "0", "no image yet")
        #expect(try FlashModule.flash(in: folder).allSatisfy { $0 == 0xFF })
        #expect(try await helper.session.perform("w(0,\(check),b'abc')", within: .seconds(20)) == "3")
        // An interrupt in the middle of a write.
        _ = try await helper.session.repl.runText("_nf.b=1", within: .seconds(20))
        #expect(try await helper.counter() == nil)
        #expect(try await helper.session.perform("w(3,\(check),b'abc')", within: .seconds(20)) == "-1")
    }

    /// Its Python restarted during the write, and with it the helper went that knew the counter.
    @Test func aUnitThatRestartsDuringTheWriteIsLookedAtAgain() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        var notices: [String] = []
        let updater = FPGAUpdater(repl: try await attach(host), image: image, transport: ForgetfulTransport(restarts: Countdown(1)))
        _ = try await updater.update { if case .notice(let text) = $0 { notices.append(text) } }
        #expect(notices.contains("the unit restarted; looking at its flash again"), "\(notices)")
        #expect(Array(try FlashModule.flash(in: folder)[..<FPGALimits.imageByteCount]) == image.bytes)
        #expect(try committed(folder))
    }

    @Test func aUnitThatTakesNoPieceIsGivenUp() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let attempts = Countdown(.max)
        let updater = FPGAUpdater(
            repl: try await attach(host), image: image,
            transport: FailingTransport(error: REPLError.garbage("the end of a piece"), attempts: attempts))
        await #expect {
            _ = try await updater.update()
        } throws: { error in
            if case FPGAError.writeFailed(let reason) = error { reason.hasPrefix("no piece gets through at byte ") } else { false }
        }
        #expect(attempts.count == 2)
        #expect(try !committed(folder))
    }

    /// The other way is tried before the image is given up.
    @Test func aWayThatFailsTwiceIsLeftForTheOther() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let attempts = Countdown(.max)
        let transport = FailingTransport(error: REPLError.garbage("the end of a piece"), attempts: attempts, fallback: LiteralTransport())
        var notices: [String] = []
        _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: transport).update {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(attempts.count == 2)
        #expect(notices.last?.contains("as Python text from here on, which takes longer: it failed twice at byte") == true, "\(notices)")
        #expect(Array(try FlashModule.flash(in: folder)[..<FPGALimits.imageByteCount]) == image.bytes)
    }

    /// Each erase wears the flash.
    @Test func theFlashIsErasedThreeTimesAtMost() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let transport = FailingTransport(error: RetryReason.counterUnknown, attempts: Countdown(.max))
        let updater = FPGAUpdater(repl: try await attach(host), image: image, transport: transport)
        await #expect(throws: FPGAError.writeFailed("it was begun 3 times")) { _ = try await updater.update(force: true) }
        #expect(FlashModule.eraseCount(in: folder) == 3)
    }

    // MARK: - The write counter

    /// Cuts a transfer after 60,000 bytes, lets `change` change the flash and updates again.
    private func outcome(
        ofGoingOnWith image: FPGAImage, change: (inout [UInt8]) -> Void = { _ in }
    ) async throws -> (flash: [UInt8], eraseCount: Int, events: [FPGAEvent]) {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        await #expect(throws: CuttingTransport.Cut.self) {
            _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: CuttingTransport(limit: 60_000)).update()
        }
        var flash = try FlashModule.flash(in: folder)
        change(&flash)
        try Data(flash).write(to: folder.appendingPathComponent("flash.bin"))
        var events: [FPGAEvent] = []
        _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update { events.append($0) }
        let image = Array(try FlashModule.flash(in: folder)[..<FPGALimits.imageByteCount])
        return (image, FlashModule.eraseCount(in: folder), events)
    }

    /// What the unit wrote before the link was lost is gone again: its counter stands behind a hole.
    @Test func aCounterBehindAHoleIsNotGoneOnFrom() async throws {
        let (flash, _, events) = try await outcome(ofGoingOnWith: image) { flash in
            for index in 30_000..<flash.count { flash[index] = 0xFF }
        }
        let notices = events.compactMap { if case .notice(let text) = $0 { text } else { nil } }
        #expect(notices.last == "starting over: the unit does not know where it stopped writing", "\(notices)")
        #expect(flash == image.bytes)
    }

    /// What it wrote last looks like blank flash.
    @Test func aCounterBehindBlankBytesIsGoneOnFrom() async throws {
        var bytes = image.bytes
        bytes.replaceSubrange(50_000..<70_000, with: repeatElement(0xFF, count: 20_000))
        let (flash, eraseCount, _) = try await outcome(ofGoingOnWith: FPGAImage(bytes, isChecked: false))
        #expect(eraseCount == 0)
        #expect(flash == bytes)
    }

    /// The unit has written more than the flash shows: blank bytes, or its counter is wrong.
    @Test func aCounterAheadOfTheFlashIsBelievedBehindBlankBytesOnly() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        var bytes = image.bytes
        bytes.replaceSubrange(50_000..<60_001, with: [UInt8](repeating: 0xFF, count: 10_000) + [0])
        let blank = try FPGAImage(bytes, isChecked: false)
        let updater = FPGAUpdater(repl: try await attach(host), image: blank, transport: LiteralTransport())
        let position = try await updater.advance(to: 50_000, from: 60_000, { _ in })
        #expect(position == 60_000)
        for counter in [60_001, FPGALimits.imageByteCount + 1] {
            await #expect(throws: RetryReason.counterUnknown) {
                _ = try await updater.advance(to: 50_000, from: counter, { _ in })
            }
        }
    }

    /// The unit's counter is not 0, though nobody knows it: the first piece shows it that is not blank, not the proof of the whole.
    @Test(arguments: [0, 3000]) func aWrongGuessIsSeenAtTheFirstPiece(blankByteCount: Int) async throws {
        let blank = [UInt8](repeating: 0xFF, count: blankByteCount)
        let image = try FPGAImage(blank + self.image.bytes.dropFirst(blankByteCount), isChecked: false)
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        try "3000".write(to: folder.appendingPathComponent("counter.txt"), atomically: false, encoding: .utf8)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        var events: [FPGAEvent] = []
        _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update { events.append($0) }
        let beforeTheErase = events.prefix { $0 != .erasing }
        #expect(beforeTheErase == [
            .notice("resuming at byte 0"), .notice("starting over: the unit does not know where it stopped writing"),
        ])
    }
}

private struct FailingTransport: FPGATransport {
    let error: any Error
    let attempts: Countdown
    var fallback: (any FPGATransport)?

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        _ = attempts.next()
        throw error
    }
}

/// As ``LiteralTransport``, to a unit whose helper is gone.
private struct ForgetfulTransport: FPGATransport {
    let restarts: Countdown

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        if restarts.next() { _ = try await session.repl.runText("del _nf", within: .seconds(20)) }
        try await LiteralTransport().write(image, from: offset, through: session, onProgress: onProgress)
    }
}

private final class Countdown: @unchecked Sendable {
    private let lock = NSLock()
    private var left: Int

    /// How often it was counted down.
    private(set) var count = 0

    init(_ count: Int) { left = count }

    /// Whether there was one left.
    func next() -> Bool {
        lock.withLock {
            guard left > 0 else { return false }
            left -= 1
            count += 1
            return true
        }
    }
}
