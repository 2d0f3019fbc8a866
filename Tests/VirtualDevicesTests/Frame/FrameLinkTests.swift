import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// Advertising, security and the link's limits.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameLinkTests {
    @Test func itShowsItsServiceUnderANameOfItsFirstOctet() async throws {
        for firmware in [FrameFirmware.v24_149, .v24_248, .v25_080] {
            try await FrameBench.run(firmware) { bench in
                let shown = try #require(try await bench.sighting())
                let number = bench.unit.address.description.prefix(2)
                #expect(shown.name == (firmware == .v24_149 ? "Frame" : "Frame \(number)"))
                #expect(shown.services == [FrameAttributes.service])
                #expect(shown.address == bench.unit.address)
            }
        }
    }

    @Test func anybodyMaySubscribeAndReadPrintsButWriteOnlyOverAnEncryptedLink() async throws {
        try await FrameBench.run(files: ["main.lua": "while true do print('p') frame.sleep(.5) end"]) { bench in
            var stranger = try await bench.connect()
            try await stranger.subscribe()
            #expect(try await stranger.text() == "p")
            await #expect(throws: LinkError.refused(FrameAttributes.receive, attributeError: 0x05, of: .write)) {
                try await stranger.write("print(1)")
            }
            // Without response it is as if nothing had come.
            try await stranger.command([[3]])
            #expect(try await stranger.text() == "p")
            // It holds the only link for as long as it likes.
            try await stranger.sleep(.seconds(60))
            #expect(stranger.connection.link.end == nil)
            #expect(try await bench.sighting(within: .seconds(2)) == nil)
        }
    }

    @Test func aFactoryNewUnitPairsOnceAndKeepsItsBond() async throws {
        try await FrameBench.run(files: nil) { bench in
            let link = try await bench.connect()
            let answer = try await link.secure(.pair)
            guard case .encrypted(let key) = answer else { throw LinkError.disconnected("\(answer)") }
            #expect(try bench.folder.loadBond() == FrameBond(key: key))
            await link.connection.disconnect()
            let again = try await bench.connect()
            #expect(try await again.secure(.encrypt(key: key)) == .encrypted(key: key))
        }
    }

    @Test func aStrangerIsRefusedAndItsLinkClosed() async throws {
        try await FrameBench.run { bench in
            let stranger = try await bench.connect()
            #expect(try await stranger.secure(.pair) == .refused(reason: 0x03, endsLink: true))
            try await stranger.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(1)))
            #expect(try await bench.link().run("print(1)") == "1")
        }
    }

    @Test func keysThatDifferBreakTheLink() async throws {
        for files in [nil, [String: String]()] {
            try await FrameBench.run(files: files) { bench in
                let link = try await bench.connect()
                guard case .refused(_, endsLink: true) = try await link.secure(.encrypt(key: [9, 9])) else {
                    Issue.record("it was encrypted")
                    return
                }
                try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(1)))
            }
        }
    }

    @Test func theCradlesButtonForgetsTheBondAndWithItTheFiles() async throws {
        try await FrameBench.run(files: ["a.lua": "print('a')"]) { bench in
            bench.unit.stimulate(.unpair)
            try await bench.wait(.seconds(3))
            #expect(try !bench.folder.loadBond().exists)
            var link = try await bench.connect()
            guard case .encrypted = try await link.secure(.pair) else { return }
            try await link.subscribe()
            try await link.sleep(.seconds(1))
            #expect(try await link.run("require('a')") == "[string \"require('a')\"]:1: cannot open file: a.lua")
        }
    }

    @Test func withoutABondFilesAreLostAtEachStartOfLua() async throws {
        try await FrameBench.run(files: nil) { bench in
            let link = try await bench.link()
            try await link.sleep(.seconds(1))
            // What the first pairing's host puts there stays.
            #expect(try await link.run("f=frame.file.open('a','w')f:write('x')f:close()print(1)") == "1")
            try await link.write([4])
            _ = try await link.all()
            #expect(try await link.run("print(frame.file.open('a'):read())") == "x")
            try bench.folder.save(FrameBond())
            try await link.write("frame.update()")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(5)))
        }
    }

    @Test func aFileWrittenInTheFirstSecondOfABondReboots() async throws {
        try await FrameBench.run(files: nil) { bench in
            let link = try await bench.link()
            try await link.write("frame.file.open('a','w')")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(5)))
            // The bond is kept.
            let again = try await bench.link()
            #expect(try await again.run("frame.file.open('a','w'):close()print(1)") == "1")
        }
    }

    @Test func withoutAnExchangeTheLengthIsLessThanNothing() async throws {
        try await FrameBench.run { bench in
            let small = try await bench.link(mtu: 0)
            try await small.write("b=frame.bluetooth")
            try await small.write("m=b.max_length()")
            try await small.sleep(.milliseconds(50))
            #expect(try await small.run("print(m)") == "-1")
            try await small.write("p=pcall(b.send,'')")
            try await small.sleep(.milliseconds(50))
            #expect(try await small.run("print(p)") == "false")
            await small.connection.disconnect()
            await (try await bench.link()).connection.disconnect()
            // It outlives the link that it was exchanged for.
            let again = try await bench.link(mtu: 0)
            try await again.write("m=b.max_length()")
            try await again.sleep(.milliseconds(50))
            #expect(try await again.run("print(m)") == "243")
        }
    }

    @Test func sendIsBusyWhateverFails() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("s=frame.bluetooth.send s('a')a,e=pcall(s,'b')frame.sleep(.1)print(e)")
            #expect(try await link.next() == [1, 0x61])
            #expect(try await link.text() == "bluetooth is busy")
            #expect(
                try await link.run("s(('x'):rep(244))") == "[string \"s(('x'):rep(244))\"]:1: string length is greater than max_length()")
            #expect(try await link.run("s(('x'):rep(243))")?.utf8.count == 244)
            try await link.write("frame.sleep(3)a,e=pcall(s,'c')c=frame.bluetooth.is_connected()")
            await link.connection.disconnect()
            try await bench.wait(.seconds(4))
            #expect(try await bench.link().run("print(e..tostring(c))") == "bluetooth is busyfalse")
        }
    }

    @Test func whatIsLongerThanTheLinkIsCutOrRefused() async throws {
        try await FrameBench.run { bench in
            let small = try await bench.link(mtu: 100)
            #expect(try await small.run("print(('x'):rep(200))")?.utf8.count == 97)
            #expect(try await small.run("print(('x'):rep(245))") == nil)
        }
    }

    @Test func subscriptionsAreOfOneLink() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            await link.connection.disconnect()
            let again = try await bench.connect()
            _ = try await again.secure(.encrypt(key: try bench.folder.loadBond().key))
            try await again.write("a,e=pcall(frame.bluetooth.send,'x')")
            await again.connection.disconnect()
            #expect(try await bench.link().run("print(e)") == "bluetooth is busy")
        }
    }

    @Test func aLostNotificationIsNotMissed() async throws {
        var faults = FaultPlan()
        faults.lostNotifications = [1]
        try await FrameBench.run(faults: faults) { bench in
            let link = try await bench.link()
            #expect(try await link.run("print(1)") == nil)
            #expect(try await link.run("print(2)") == "2")
        }
    }
}
