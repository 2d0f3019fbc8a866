import Bluetooth
import DFU
import Foundation
import FrameFamily
import REPL
import Support
import TestSupport
import Testing
import VirtualFaults

@testable import Provisioning
@testable import VirtualDevices

/// A restart without the unit's program gives it another name for a second: whatever happens then, nobody loses it.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "the virtual Frame's Lua is missing: run Tools/setup runtime"), .serialized)
struct FrameSafeModeTests {
    /// Of the owner; it tells that it lives.
    private static let own = "while true do pcall(frame.bluetooth.send, 'beat') frame.sleep(0.2) end"

    /// A unit that was paired, with its owner's program.
    private static func bench() async throws -> Bench {
        let bench = Bench(.frame)
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())).passed)
        try bench.leave(own, as: "main.lua")
        return bench
    }

    private static func content(_ bench: Bench, _ name: String) throws -> String? {
        let (folder, path) = (try bench.frameFolder(), try #require(FramePath(Array(name.utf8))))
        return folder.entry(at: path) == nil ? nil : String(decoding: folder.content(of: path), as: UTF8.self)
    }

    /// Its firmware is what the assets say: nothing is written but the program's name.
    private static func current() throws -> AssetSet {
        AssetSet(try Bench.firmware(version: FrameFirmware.v25_080.version, number: 0, target: .frame), nil)
    }

    /// A file of the owner's that has the program's other name is not touched.
    @Test(arguments: TestRange.of(Array(1...18), quick: [3, 5, 7, 8, 9, 10, 11, 13]), [FaultPlan.Cut.power, .link])
    func aCutWithinItLosesNoFileOfTheOwner(packet: Int, cut: FaultPlan.Cut) async throws {
        let bench = try await Self.bench()
        defer { bench.remove() }
        try bench.leave("-- mine", as: "main.lua.aside")
        try await Self.restart(bench, cut: (packet, cut))
        #expect(try Self.content(bench, "main.lua.aside") == "-- mine")
        let isAside = try Self.content(bench, "main.lua") == nil
        #expect(try Self.content(bench, isAside ? "main.lua.aside.2" : "main.lua") == Self.own)
        #expect(try await bench.flash(try Self.current()).passed)
        #expect(try Self.content(bench, "main.lua") == Self.own && Self.content(bench, "main.lua.aside") == "-- mine")
        #expect(try Self.content(bench, "main.lua.aside.2") == nil)
    }

    /// Without a free name nothing is renamed, and the restart is refused.
    @Test func noFileOfTheOwnerIsReplaced() async throws {
        let bench = try await Self.bench()
        defer { bench.remove() }
        let names = ["main.lua.aside", "main.lua.aside.2"]
        for name in names { try bench.leave("-- \(name)", as: name) }
        try await bench.play { central, unit in
            let locator = try UnitLocator(central: central, family: .frame, address: unit.address)
            let restart = try #require(Family.frame.provisioning?.restartWithoutProgram)
            await #expect(throws: REPLError.programInTheWay("there is a file main.lua.aside.2")) {
                try await locator.withConnection(.application) { try await restart($0, central.clock, RestoreGuard()) }
            }
        }
        #expect(try Self.content(bench, "main.lua") == Self.own)
        for name in names { #expect(try Self.content(bench, name) == "-- \(name)") }
    }

    private static func restart(_ bench: Bench, cut: (packet: Int, kind: FaultPlan.Cut)) async throws {
        var cutting = bench
        cutting.faults.cuts[cut.packet] = cut.kind
        _ = try await cutting.play { central, unit in
            let locator = try UnitLocator(central: central, family: .frame, address: unit.address)
            let restart = try #require(Family.frame.provisioning?.restartWithoutProgram)
            try? await locator.withConnection(.application) { try await restart($0, central.clock, RestoreGuard()) }
            try await central.clock.sleep(until: central.clock.deadline(in: .seconds(5)))
        }
    }

    @Test(arguments: TestRange.of(Array(1...18), quick: [2, 4, 5, 6, 7, 8, 9, 11, 13]), [FaultPlan.Cut.power, .link])
    func aCutWithinItLosesNoProgram(packet: Int, cut: FaultPlan.Cut) async throws {
        let bench = try await Self.bench()
        defer { bench.remove() }
        try await Self.restart(bench, cut: (packet, cut))
        let isAside = try Self.content(bench, "main.lua") == nil
        #expect(try Self.content(bench, isAside ? "main.lua.aside" : "main.lua") == Self.own)
        let journal = Journal()
        let look = try await bench.play { central, unit in
            try await VerifyJob(
                family: .frame, central: central, address: unit.address, assets: try FrameSamples.assets(firmware: nil), isDeep: true
            )
                .run { journal.add($0) }
        }
        #expect(
            !look.passed && journal.text.joined(separator: "\n").contains("called main.lua.aside") == isAside, "\(look) \(journal.text)")
        #expect(try (Self.content(bench, "main.lua") == nil) == isAside, "who only looks changes nothing")
        let report = try await bench.flash(try Self.current()) { journal.add($0) }
        #expect(
            report.passed && journal.text.joined(separator: "\n").contains("it has its name again") == isAside, "\(report) \(journal.text)")
        #expect(try Self.content(bench, "main.lua") == Self.own)
        #expect(try Self.content(bench, "main.lua.aside") == nil)
    }

    /// The plan names what a flash then takes away.
    @Test func whatWasPutAsideIsToldBeforeItIsReplaced() async throws {
        let bench = try await Self.bench()
        defer { bench.remove() }
        try bench.leave(Self.own, as: "main.lua.aside")
        try FileManager.default.removeItem(atPath: bench.frameFolder().host(#require(FramePath(Array("main.lua".utf8)))))
        let journal = Journal()
        #expect(try await bench.flash(AssetSet(try FrameSamples.telling())) { journal.add($0) }.passed)
        #expect(journal.text.joined(separator: "\n").contains("the scripts replace on the unit: main.lua"), "\(journal.text)")
        #expect(try Self.content(bench, "main.lua.aside") == nil)
    }

    /// Ctrl-C leaves the program running, wherever the restart is, and a file of its other name as it is.
    @Test(arguments: TestRange.of(Array(stride(from: 0, through: 6000, by: 100)), quick: Array(stride(from: 0, through: 6000, by: 500))))
    func aCancelledOneStartsTheProgram(moment: Int) async throws {
        let bench = try await Self.bench()
        defer { bench.remove() }
        try bench.leave("-- mine", as: "main.lua.aside")
        try await bench.play { central, unit in
            let clock = central.clock
            let lease = UnitLease(try UnitLocator(central: central, family: .frame, address: unit.address))
            _ = try await lease.identity()
            await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    _ = try await lease.attempt(RetryPolicy(mayRestartUnit: true), recovering: { _, _ in }) {
                        throw REPLError.programInTheWay("test")
                    }
                }
                try? await clock.sleep(until: clock.deadline(in: .milliseconds(moment)))
                group.cancelAll()
                while await group.nextResult() != nil {}
            }
            try await Self.expectProgram(of: unit, over: central, "cancelled after \(moment) ms")
        }
        #expect(try Self.content(bench, "main.lua") == Self.own && Self.content(bench, "main.lua.aside") == "-- mine")
    }

    private static func expectProgram(of unit: VirtualUnit, over central: VirtualCentral, _ note: String) async throws {
        let clock = central.clock
        let connection = try await UnitLocator(central: central, family: .frame, address: unit.address).connect(.application)
        let messages = try await connection.subscribe(to: LuaService.transmit, deadline: clock.deadline(in: .seconds(5)))
        let end = clock.deadline(in: .seconds(5))
        var isAlive = false
        while !isAlive, let message = try await messages.next(before: end, on: clock) { isAlive = message == [1] + Array("beat".utf8) }
        #expect(isAlive, "\(note)")
        await connection.disconnect()
    }

    /// Over its only link: nobody comes back to put the unit right.
    @Test(arguments: TestRange.of(Array(stride(from: 0, through: 1100, by: 100)), quick: [500, 700, 900]))
    func aCancelledOneEndsInOrderOverItsOwnLink(moment: Int) async throws {
        let bench = try await Self.bench()
        defer { bench.remove() }
        try await bench.play { central, unit in
            let clock = central.clock
            let restart = try #require(Family.frame.provisioning?.restartWithoutProgram)
            let connection = try await UnitLocator(central: central, family: .frame, address: unit.address).connect(.application)
            let run = clock.task { try await restart(connection, clock, RestoreGuard()) }
            try await clock.sleep(until: clock.deadline(in: .milliseconds(moment)))
            run.cancel()
            await #expect(throws: CancellationError.self) { try await run.value }
            await connection.disconnect()
            try await Self.expectProgram(of: unit, over: central, "cancelled after \(moment) ms")
        }
        #expect(try Self.content(bench, "main.lua") == Self.own && Self.content(bench, "main.lua.aside") == nil)
    }
}
