import Bluetooth
import Foundation
import REPL
import Support
import TestSupport
import Testing

@testable import FPGA

/// The updater against real MicroPython with NOR flash.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"), .serialized)
struct FPGASessionTests {
    private let image: FPGAImage

    init() throws { image = try FPGAImage(developmentImage(seed: 21), isChecked: false) }

    private func attach(_ host: MicroPythonHost) async throws -> PythonREPL {
        try await PythonREPL.attach(to: host, clock: .continuous, within: .seconds(20))
    }

    private func expectProven(_ folder: URL) throws {
        let flash = try FlashModule.flash(in: folder)
        #expect(Array(flash[..<FPGALimits.imageByteCount]) == image.bytes)
        #expect(Array(flash[FPGALimits.imageByteCount..<FPGALimits.regionByteCount]) == FPGALimits.marker)
    }

    @Test func writesProvesAndCommits() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder, flash: [UInt8](repeating: 0x55, count: 109 * 4096))
        let host = try MicroPythonHost(folder: folder, heap: "48k")
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let updater = FPGAUpdater(repl: repl, image: image, transport: LiteralTransport())
        var events: [FPGAEvent] = []
        let outcome = try await updater.update { events.append($0) }
        #expect(outcome == FPGAOutcome(plan: .erase, bytesWritten: FPGALimits.imageByteCount))
        #expect(events.contains(.erasing) && events.contains(.committing))
        let proved = events.compactMap { if case .verifying(let done, FPGALimits.imageByteCount) = $0 { done } else { nil } }
        #expect(proved.count > 1 && proved == proved.sorted() && proved.last == FPGALimits.imageByteCount, "\(proved)")
        try expectProven(folder)
        #expect(host.droppedByteCount == 0)
        #expect(try await updater.update() == FPGAOutcome(plan: .nothing, bytesWritten: 0))
        let probe = FPGAProbe(repl: repl)
        #expect(try await probe.differences(from: image).isEmpty)
        #expect(try await probe.readVersion() == nil)
        #expect(host.longestAnswer < 330)
        #expect(try await probe.condition() == .stopped)
    }

    @Test(arguments: [
        ("running", FPGACondition.running(version: "v23.230.0808")), ("stopped", .stopped), ("silent", .silent),
    ])
    func aVersionIsBelievedOnlyBesideTheIdentification(state: String, condition: FPGACondition) async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        try FlashModule.setFPGA(state, in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let probe = FPGAProbe(repl: try await attach(host))
        #expect(try await probe.condition() == condition)
        #expect(try await probe.readVersion() == (state == "running" ? "v23.230.0808" : nil))
    }

    /// Two registers of 50 bytes, in hexadecimal: the end shows what went wrong.
    @Test func ofAnUnreadableAnswerTheEndIsTold() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        _ = try await repl.runText("import fpga\nfpga.read=lambda a,n:bytes(range(50))", within: .seconds(20))
        await #expect(throws: REPLError.unreadable(HexText.encode(Array(10..<50)))) { _ = try await FPGAProbe(repl: repl).condition() }
    }

    /// Files of a user's that have the names of modules, loaded by a program, and globals that hide built-in functions.
    @Test func nothingOfTheUsersHidesTheFirmware() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        for name in ["hashlib", "os", "binascii", "update"] {
            try "mine = 1\n".write(to: folder.appendingPathComponent(name + ".py"), atomically: false, encoding: .utf8)
        }
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let program = "import sys\nsys.path.insert(0,'')\nfor n in('hashlib','os','update'):sys.modules.pop(n,0)\n"
            + "import hashlib,os,update\nassert hashlib.mine\nlen=max=tuple=bytes=str=open=7\ndef print(*a):pass"
        _ = try await repl.run(PythonCode(program), within: .seconds(20))
        try await repl.recover(within: .seconds(20))
        let outcome = try await FPGAUpdater(repl: repl, image: image, transport: LiteralTransport()).update()
        #expect(outcome.plan == .resume(from: 0))
        try expectProven(folder)
        let theirs = try await repl.runText("import hashlib,sys\nprint(hashlib.mine,sys.path[0]=='')", within: .seconds(20))
        #expect(theirs == "1 True")
    }

    @Test func whatTheFirmwareLacksIsNamed() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        try "".write(to: folder.appendingPathComponent("modules/update.py"), atomically: false, encoding: .utf8)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        await #expect(throws: REPLError.lacking("update.Fpga")) { _ = try await FPGAProbe(repl: repl).survey() }
        let code = "import device;print(device.VERSION)"
        await #expect(throws: REPLError.lacking("device.VERSION")) {
            _ = try await repl.runText(code, using: "device.VERSION", within: .seconds(20))
        }
    }

    private func freeBytes(_ repl: PythonREPL) async throws -> Int {
        try #require(Int(try await repl.runText("import gc\ngc.collect()\nprint(gc.mem_free())", within: .seconds(20))))
    }

    /// What the air carries, so that a change of it is seen: commands and bytes, in the order of a run.
    @Test func trafficOfARun() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder, flash: [UInt8](repeating: 0x55, count: 109 * 4096))
        let host = try MicroPythonHost(folder: folder, heap: "48k")
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        let probe = FPGAProbe(repl: repl)
        _ = host.takeTraffic()
        _ = try await probe.survey()
        let upload = host.takeTraffic()
        _ = try await probe.survey()
        let survey = host.takeTraffic()
        let free = try await freeBytes(repl)
        _ = host.takeTraffic()
        _ = try await FPGAUpdater(repl: repl, image: image, transport: LiteralTransport()).update()
        let update = host.takeTraffic()
        // A text that MicroPython kept of each of 450 commands, in blocks of 32 bytes here, would be 14 kB. Its table of names
        // grows in steps of about 1 kB.
        let left = try await freeBytes(repl)
        #expect(left > free - 2048, "\(free) bytes free at first, \(left) at the end")
        _ = host.takeTraffic()
        _ = try await probe.differences(from: image)
        let deep = host.takeTraffic()
        #expect(survey.commands == 9 && deep.commands == 8)
        #expect(upload.bytes < 4600 && update.commands < 460 && update.bytes < 211_000)
    }

    /// A link that ends in the middle leaves Python running: the helper still knows the counter.
    @Test func resumesAfterALostLink() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let cutting = CuttingTransport(limit: 150_000)
        await #expect(throws: CuttingTransport.Cut.self) {
            _ = try await FPGAUpdater(repl: try await attach(host), image: image, transport: cutting).update()
        }
        let outcome = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update()
        guard case .resume(let from) = outcome.plan else { return #expect(Bool(false), "\(outcome.plan)") }
        #expect(from >= 150_000)
        #expect(outcome.bytesWritten < 300_000)
        try expectProven(folder)
    }

    /// After a power cut the counter is 0 again: 0xFF brings it back, without another erase.
    @Test func resumesAfterAPowerCut() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let first = try MicroPythonHost(folder: folder)
        await #expect(throws: CuttingTransport.Cut.self) {
            _ = try await FPGAUpdater(
                repl: try await attach(first), image: image, transport: CuttingTransport(limit: 200_000)
            ).update(force: true)
        }
        first.end()
        try FlashModule.forgetCounter(in: folder)
        let second = try MicroPythonHost(folder: folder)
        defer { second.endAndRemove() }
        let outcome = try await FPGAUpdater(repl: try await attach(second), image: image, transport: LiteralTransport()).update()
        guard case .resume = outcome.plan else { return #expect(Bool(false), "\(outcome.plan)") }
        #expect(FlashModule.eraseCount(in: folder) == 1)
        try expectProven(folder)
    }

    /// Python restarted, but not the unit: the counter is not 0, which shows at the first piece, and the flash is erased.
    @Test func aWrongGuessOfTheCounterIsFound() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        try "3000".write(to: folder.appendingPathComponent("counter.txt"), atomically: false, encoding: .utf8)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let outcome = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update()
        #expect(outcome.plan == .resume(from: 0))
        #expect(FlashModule.eraseCount(in: folder) == 1)
        try expectProven(folder)
    }

    @Test func onlyTheMarkerIsMissing() async throws {
        let folder = try makeUnitFolder()
        let rest = [UInt8](repeating: 0xFF, count: 109 * 4096 - image.bytes.count)
        try FlashModule.install(in: folder, flash: image.bytes + rest)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let outcome = try await FPGAUpdater(repl: try await attach(host), image: image, transport: LiteralTransport()).update()
        #expect(outcome == FPGAOutcome(plan: .commit, bytesWritten: 0))
        #expect(FlashModule.eraseCount(in: folder) == 0)
        try expectProven(folder)
    }

    @Test func aChangedByteIsFoundAndRepaired() async throws {
        let folder = try makeUnitFolder()
        var flash = image.bytes + FPGALimits.marker + [UInt8](repeating: 0xFF, count: 109 * 4096 - 444_434)
        flash[17 * 4096 + 5] ^= 0x10
        try FlashModule.install(in: folder, flash: flash)
        let host = try MicroPythonHost(folder: folder)
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        #expect(try await FPGAProbe(repl: repl).differences(from: image) == ["page 17 of the FPGA flash"])
        #expect(try await FPGAUpdater(repl: repl, image: image, transport: LiteralTransport()).update().plan == .erase)
        try expectProven(folder)
    }

    /// Packets and notifications that vanish or change: nothing is written twice, the flash is right in the end.
    @Test func survivesADamagedLink() async throws {
        let folder = try makeUnitFolder()
        try FlashModule.install(in: folder)
        let faulty = Set((0..<3).map { 100 + $0 * 230 })
        let host = try MicroPythonHost(
            folder: folder,
            packetFault: { number, bytes in
                guard faulty.contains(number) else { return bytes }
                return number % 2 == 0 ? nil : bytes.map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "2") : $0 }
            },
            notificationFault: { number, bytes in faulty.contains(number) ? nil : bytes })
        defer { host.endAndRemove() }
        let repl = try await attach(host)
        var notices: [String] = []
        _ = try await FPGAUpdater(repl: repl, image: image, answerTimeout: .milliseconds(400)).update {
            if case .notice(let text) = $0 { notices.append(text) }
        }
        #expect(notices.contains { $0.hasPrefix("data was lost on the way") })
        try expectProven(folder)
    }
}

/// Writes through the REPL and stops with an error once `limit` bytes are there.
struct CuttingTransport: FPGATransport {
    struct Cut: Error {}
    let limit: Int

    func write(_ image: FPGAImage, from offset: Int, through session: HelperSession, onProgress: (Int) -> Void) async throws {
        let chunks = Array(FPGAChunkEncoder(image: image, from: offset))
        try await session.repl.pipeline(chunks.lazy.map(\.code), within: .seconds(20)) { index, _ in
            onProgress(chunks[index].range.upperBound)
            if chunks[index].range.upperBound >= limit { throw Cut() }
        }
    }
}

/// The plan that an update began with, and the bytes of the image that it reported as written.
struct FPGAOutcome: Hashable {
    let plan: FPGAPlan
    let bytesWritten: Int
}

extension FPGAUpdater {
    /// Looks, and does what has to be done.
    @discardableResult
    func update(force: Bool = false, onEvent: (FPGAEvent) -> Void = { _ in }) async throws -> FPGAOutcome {
        var written = 0
        var position: Int?
        let plan = try await update(after: look(onEvent), force: force) { event in
            if event == .erasing { position = nil }
            if case .writing(let done, _) = event {
                written += max(0, done - (position ?? done))
                position = done
            }
            onEvent(event)
        }
        return FPGAOutcome(plan: plan, bytesWritten: written)
    }
}
