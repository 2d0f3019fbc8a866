import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import VirtualDevices

/// The virtual robot against the facts about the sketch (`openbot.ino`), without our client.
@Suite struct VirtualRobotTests {
    @Test func theGoldenRun() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("f\n")
            let first = try await client.hear(for: 2500)
            #expect(first.first == "fRTR_TT2:v:i:s:b:wf:wb:lf:lb:ls:" && first[0].utf8.count == 32)
            #expect(first.contains("w0.00,0.00") && first.contains { $0.hasPrefix("v11.") } && first.contains { $0.hasPrefix("s") })
            try await client.write("s100\nv250\nw500\n")
            _ = try await client.hear(for: 1000)
            let later = try await client.hear(for: 2000)
            #expect((19...21).contains(later.count { $0.hasPrefix("s") }), "\(later)")
            #expect((7...9).contains(later.count { $0.hasPrefix("v") }) && (3...5).contains(later.count { $0.hasPrefix("w") }))
            try await client.write("h750\n")
            let armed = bench.clock.now.offset
            try await bench.pause(700)
            try await client.write("c80,80\n")
            try await bench.pause(400)
            let drive = bench.motors.all.suffix(2)
            #expect(drive.map(\.left) == [80, 0] && drive.map(\.right) == [80, 0])
            let lapse = try #require(drive.last).time - armed
            #expect(lapse > .milliseconds(745) && lapse <= .milliseconds(752), "\(lapse)")
        }
    }

    @Test(arguments: [
        ("default", "fRTR_TT2:v:i:s:b:wf:wb:lf:lb:ls:", "OpenBot: RTR_TT2"),
        ("rtr_520", "fRTR_520:v:i:s:b:wf:wb:lf:lb:ls:", "OpenBot: RTR_520"),
        ("mtv-2", "fMTV:wf:wb:wm:", "OpenBot: MTV"), ("diy_esp32", "fDIY_ESP32:v:i:s:wf:", "OpenBot: DIY_ESP32"),
    ]) func eachBodySaysWhatItIs(name: String, answer: String, deviceName: String) async throws {
        try await withRobot(name) { bench in
            let discovery = try await bench.central.discover()
            let seen = try #require(try await discovery.sightings.next(before: bench.soon(), on: bench.clock))
            await discovery.stop()
            #expect(seen.name == deviceName && seen.services == [RobotAttributes.service])
            let client = try await RawClient(bench)
            try await client.write("f\n")
            #expect(try await client.hear(for: 100).first == answer)
        }
    }

    /// The answer of the usual body ends after 20 bytes, and looks whole.
    /// Time that is no exact number of milliseconds as a `Double` never stops it.
    @Test func itRunsForHours() async throws {
        try await withRobot { bench in
            try await bench.pause(20_000_000)
            _ = try await bench.session()
            try await bench.pause(2_000_000)
        }
    }

    @Test func aSmallLinkCutsTheAnswer() async throws {
        try await withRobot(mtu: 0) { bench in
            let client = try await RawClient(bench)
            try await client.write("f\n")
            #expect(try await client.hear(for: 100).first == "fRTR_TT2:v:i:s:b:wf:")
        }
    }

    @Test func linesMaySpanWritesAndLinks() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("c1")
            try await client.write("00,-5")
            await client.connection.disconnect()
            let again = try await RawClient(bench)
            #expect(bench.duties == [0, 0])
            try await again.write("0\nw200\nq\n\n")
            try await bench.pause(20)
            #expect(bench.duties == [100, -50])
            // The switch of notifications outlived the link, and so did the motors' command.
            await again.connection.disconnect()
            try await bench.pause(3000)
            #expect(bench.duties == [100, -50])
        }
    }

    /// `c` with a field missing dereferences NULL, a line of 60 bytes writes over what is behind the buffer.
    @Test(arguments: ["c\n", "c12\n", "l10\n", "n\n", "i:\n", "s" + String(repeating: "1", count: 60) + "\n"])
    func aPanicRestartsIt(line: String) async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("c90,90\n")
            try await bench.pause(50)
            #expect(bench.duties == [90, 90])
            // Its answer never comes.
            try? await client.connection.write(Array(line.utf8), to: RobotAttributes.receive, deadline: bench.soon(0.1))
            #expect(bench.duties == [0, 0])
            let reset = try #require(bench.motors.all.last).time
            let again = try await bench.connect()
            let silence = bench.clock.now.offset - reset
            #expect(silence > .milliseconds(1500) && silence < .milliseconds(2600), "\(silence)")
            await again.disconnect()
        }
    }

    @Test(arguments: ["s" + String(repeating: "1", count: 59), "c,,5::6,7", "c 9\r, -8 ", "c1.9,abc", "l", "n"])
    func theseDoNot(line: String) async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            // A line that is not ended yet harms nobody.
            try await client.write(line + (line.count == 1 ? "" : "\n"))
            try await bench.pause(20)
            let expected = ["c,,5::6,7": [5, 6], "c 9\r, -8 ": [9, -8], "c1.9,abc": [1, 0]][line] ?? [0, 0]
            #expect(bench.duties == expected)
        }
    }

    /// Nothing is clamped, and `h` alone feeds the dead-man; after a lapse every `c` is zeroed until the next one.
    @Test func theDeadMan() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("h300\nc999,-999\n")
            try await bench.pause(100)
            #expect(bench.duties == [999, -999])
            try await client.write("c50,50\n")
            try await bench.pause(250)
            #expect(bench.duties == [0, 0])
            try await client.write("c60,60\n")
            try await bench.pause(50)
            #expect(bench.duties == [0, 0])
            try await client.write("h-1\n")
            try await client.write("c60,60\n")
            try await bench.pause(2000)
            #expect(bench.duties == [60, 60])
            try await client.write("h\n")
            try await bench.pause(50)
            #expect(bench.duties == [0, 0])
        }
    }

    /// On noticing a disconnect the loop sleeps 500 ms with the motors as they were, and is seen again only then.
    @Test func theStallAfterADisconnect() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("h300\nc70,70\n")
            try await bench.pause(30)
            let left = bench.clock.now.offset
            await client.connection.disconnect()
            let rest = { try #require(bench.motors.rest(after: left)) - left }
            _ = try await bench.connect()
            #expect(bench.clock.now.offset - left > .milliseconds(500))
            let stalled = try rest()
            #expect(stalled > .milliseconds(495) && stalled < .milliseconds(560), "\(stalled)")
        }
    }

    /// A broken link is noticed after 420 ms: a dead-man of at most 400 ms acts before, a longer one after the sleep.
    @Test(arguments: [(400, 300...405), (750, 900...960)]) func theDeadManOfABrokenLink(time: Int, acts: ClosedRange<Int>) async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("h\(time)\nc70,70\n")
            try await bench.pause(40)
            bench.unit.stimulate(.cut(.link))
            let left = bench.clock.now.offset
            try await bench.pause(2000)
            let rest = try #require(bench.motors.rest(after: left)) - left
            #expect(acts.contains(Int(rest / .milliseconds(1))), "\(rest)")
        }
    }

    @Test func theSonarStopsForwardAlone() async throws {
        try await withRobot { bench in
            bench.unit.stimulate(.obstacle(centimetres: 9))
            let client = try await RawClient(bench)
            try await client.write("s50\n")
            try await bench.pause(300)
            try await client.write("c90,80\n")
            try await bench.pause(50)
            #expect(bench.duties == [0, 0])
            for line in ["c-90,-90\n", "c90,-90\n"] {
                try await client.write(line)
                try await bench.pause(50)
                #expect(bench.duties != [0, 0])
            }
            bench.unit.stimulate(.obstacle(centimetres: nil))
            _ = try await client.hear(for: 500)
            #expect(try await client.hear(for: 300).contains("s300"))
        }
    }

    /// While it backs out within the window, neither `c0,0` nor the dead-man is applied; the 1-duty line is. A refused `c` starts by
    /// itself.
    @Test func theBumperWindow() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("h300\nc90,90\n")
            try await bench.pause(50)
            bench.unit.stimulate(.bumper("lf"))
            try await bench.pause(5)
            bench.unit.stimulate(.bumper(nil))
            let hit = try #require(bench.motors.all.last)
            #expect(hit.isBraking && bench.duties == [0, 0])
            let code = try #require(try await client.messages.next(before: bench.soon(1), on: bench.clock).map { first in
                var all = [first]
                while let more = client.messages.poll() { all.append(more) }
                return all.first { $0.first == UInt8(ascii: "b") } ?? []
            })
            #expect(code.prefix(3) == Array("blf".utf8)[...] && code.count == 9 && String(validating: code, as: UTF8.self) == nil)
            try await client.write("c-80,-80\n")
            try await bench.pause(50)
            #expect(bench.duties == [-80, -80])
            try await client.write("c0,0\n")
            try await bench.pause(400)
            #expect(bench.duties == [-80, -80])
            try await bench.pause(400)
            #expect(bench.duties == [0, 0])
            let window = try #require(bench.motors.rest(after: hit.time)) - hit.time
            #expect(window > .milliseconds(740) && window < .milliseconds(760), "\(window)")
        }
    }

    @Test func aRefusedCommandStartsByItself() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            bench.unit.stimulate(.bumper("??"))
            try await bench.pause(5)
            bench.unit.stimulate(.bumper(nil))
            try await client.write("c-80,-80\n")
            try await bench.pause(300)
            #expect(bench.duties == [0, 0])
            try await bench.pause(500)
            #expect(bench.duties == [-80, -80])
        }
    }

    @Test func anIntervalOfNothingFloods() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("w\n")
            let flood = try await client.hear(for: 300)
            #expect(flood.count > 50 && flood.contains("wnan,nan"), "\(flood.count)")
            try await client.write("w1000\n")
            _ = try await client.hear(for: 100)
            #expect(try await client.hear(for: 900).count < 10)
        }
    }

    @Test func wheelsLagAndRollOnUnseen() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("w200\nc-200,200\n")
            _ = try await client.hear(for: 1000)
            let wheels = try await client.hear(for: 450).last { $0.hasPrefix("w") }
            let rpm = try #require(wheels).dropFirst().split(separator: ",").compactMap { Double($0) }
            #expect(rpm.count == 2 && rpm[0] < -100 && rpm[1] > 100, "\(rpm)")
            try await client.write("c0,0\n")
            _ = try await client.hear(for: 250)
            #expect(try await client.hear(for: 250).contains("w0.00,0.00"))
        }
    }

    /// Writes with and without response both arrive, and the sketch of February 2023 takes requests alone and never answers.
    @Test func bothKindsOfWrites() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            let channel = try await client.connection.openChannel(to: RobotAttributes.receive, deadline: bench.soon())
            try await channel.send(Array("c20,30\n".utf8), deadline: bench.soon())
            try await bench.pause(50)
            #expect(bench.duties == [20, 30])
        }
        try await withRobot("early") { bench in
            let client = try await RawClient(bench)
            await #expect(throws: LinkError.notAllowed(RobotAttributes.receive, .writeWithoutResponse)) {
                _ = try await client.connection.openChannel(to: RobotAttributes.receive, deadline: bench.soon())
            }
            try await client.write("f\nc20,30\n")
            #expect(try await client.hear(for: 500).allSatisfy { !$0.hasPrefix("f") } && bench.duties == [20, 30])
        }
    }

    @Test func theBatterySagsAndStays() async throws {
        try await withRobot { bench in
            let client = try await RawClient(bench)
            try await client.write("v100\n")
            func volts() async throws -> Double {
                let last = try await client.hear(for: 300).last { $0.hasPrefix("v") }
                return Double(last?.dropFirst() ?? "") ?? 0
            }
            let rest = try await volts()
            try await client.write("c255,255\n")
            let loaded = try await volts()
            #expect(rest > 11.5 && loaded < rest - 0.3 && loaded > rest - 1)
            bench.unit.stimulate(.battery(volts: 8))
            try await client.write("c0,0\n")
            _ = try await client.hear(for: 300)
            #expect(try await volts() < 8.1)
            #expect(try bench.folder.loadRobot().surroundings.battery == 8)
        }
    }
}
