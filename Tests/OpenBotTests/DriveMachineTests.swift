import Support
import Testing

@testable import OpenBotFamily

@Suite struct DriveMachineTests {
    private static let features = RobotFeatures("RTR_TT2:v:i:s:b:wf:wb:lf:lb:ls:")
    private func at(_ milliseconds: Int) -> SessionClock.Instant { SessionClock.Instant(offset: .milliseconds(milliseconds)) }
    private func machine() -> DriveMachine { DriveMachine(features: Self.features) }

    private func texts(_ lines: [RobotLine]) -> [String] { lines.map(\.text) }

    @Test func theDeadManIsArmedFirstAndFedThreeTimesAPeriod() {
        var machine = machine()
        #expect(machine.nextDeadline == nil && machine.drive(.still, at: at(0)).isEmpty)
        #expect(texts(machine.drive(Duties(left: 300, right: -300), at: at(0))) == ["h400", "c255,-255"])
        #expect(machine.nextDeadline.map { $0 <= at(134) } == true)
        #expect(machine.wake(at: at(100)).isEmpty)
        #expect(texts(machine.wake(at: at(134))) == ["h400"])
        #expect(texts(machine.drive(Duties(left: 1, right: 2), at: at(140))) == ["c1,2"])
        #expect(machine.drive(Duties(left: 1, right: 2), at: at(150)).isEmpty)
        #expect(texts(machine.wake(at: at(270))) == ["h400"])
    }

    /// The second food was sent in time, and its answer came late; after that all is in time again.
    @Test(arguments: [[450], [134, 410], [134, 268, 550]]) func foodThatCameLateBringsTheDutiesAgain(times: [Int]) {
        var machine = machine()
        _ = machine.drive(Duties(left: 9, right: 8), at: at(0))
        let lines = times.map { texts(machine.wake(at: at($0))) }
        #expect(lines == times.dropLast().map { _ in ["h400"] } + [["h400", "c9,8"]])
        let end = times[times.count - 1]
        #expect([134, 268, 402].map { texts(machine.wake(at: at(end + $0))) } == [["h400"], ["h400"], ["h400"]])
        #expect(machine.lapses == 1)
    }

    @Test func everyEndStopsAndTakesTheDeadManAway() {
        var machine = machine()
        _ = machine.drive(Duties(left: 9, right: 9), at: at(0))
        #expect(texts(machine.stop(at: at(10))) == ["c0,0", "l0,0", "i0,0", "h-1"])
        #expect(machine.isOver && machine.nextDeadline == nil && machine.stop(at: at(11)).isEmpty)
        #expect(machine.drive(Duties(left: 9, right: 9), at: at(12)).isEmpty && machine.wake(at: at(5000)).isEmpty)
    }

    @Test(arguments: [
        ("lf", -90, ["c-1,-1", "c0,0"]), ("lf", 90, ["c0,0"]), ("bb", 90, ["c1,1", "c0,0"]), ("bb", -90, ["c0,0"]), ("??", -90, ["c0,0"]),
    ]) func aStopWithinTheWindowEscapesAndIsFedToItsEnd(code: String, duty: Int, halt: [String]) {
        var machine = machine()
        _ = machine.drive(Duties(left: duty, right: duty), at: at(0))
        #expect(texts(machine.collided(Bumper(code: code), at: at(100))) == halt)
        #expect(machine.blocked(at: at(800))?.code == code)
        #expect(machine.drive(Duties(left: -90, right: -90), at: at(200)).isEmpty)
        #expect(texts(machine.stop(at: at(200))) == ["h400"] + halt)
        var fed = 0
        var now = 200
        while let next = machine.nextDeadline, next < at(850) {
            now = Int(next.offset / .milliseconds(1)) + 1
            #expect(texts(machine.wake(at: at(now))) == ["h400"])
            fed += 1
        }
        #expect(fed >= 4 && !machine.isOver)
        #expect(texts(machine.wake(at: at(850))) == ["c0,0", "l0,0", "i0,0", "h-1"])
        #expect(machine.isOver)
    }

    @Test func afterTheWindowItDrivesAgain() {
        var machine = machine()
        _ = machine.drive(Duties(left: 90, right: 90), at: at(0))
        _ = machine.collided(Bumper(code: "rf"), at: at(100))
        #expect(texts(machine.drive(Duties(left: -90, right: -90), at: at(850))) == ["c-90,-90"])
        #expect(texts(machine.stop(at: at(900))).first == "c0,0")
    }

    @Test func anotherCollisionExtendsTheStop() {
        var machine = machine()
        _ = machine.drive(Duties(left: 90, right: 90), at: at(0))
        _ = machine.collided(Bumper(code: "rf"), at: at(100))
        _ = machine.stop(at: at(200))
        #expect(texts(machine.collided(Bumper(code: "lb"), at: at(840))) == ["c0,0"])
        #expect(!machine.wake(at: at(860)).contains(.deadMan(nil)) && !machine.isOver)
        #expect(texts(machine.wake(at: at(1590))).last == "h-1")
    }

    @Test func aRobotWithoutAnAnswerIsNotDriven() {
        var machine = DriveMachine(features: nil)
        #expect(machine.drive(Duties(left: 9, right: 9), at: at(0)).isEmpty)
        #expect(texts(machine.stop(at: at(1))) == ["c0,0", "h-1"])
    }

    @Test func everyLineIsWholeAndWithinTheBuffer() {
        let extremes = [Int.min, -999, -1, 0, 1, 999, Int.max]
        let lines: [RobotLine] = extremes.flatMap { number -> [RobotLine] in
            [
                    .drive(Duties(left: number, right: number)), .deadMan(DeadMan(milliseconds: number)),
                    .sonar(Interval(milliseconds: number)),
                .wheels(Interval(milliseconds: number)), .voltage(Interval(milliseconds: number)),
                .lights(front: Brightness(number), back: Brightness(number)),
            ]
        } + [.features, .deadMan(nil), .indicators(left: true, right: false), .status(.blue, isOn: true)]
        for line in lines {
            let text = line.text
            #expect(line.bytes.count <= 20 && line.bytes.last == 0x0A && line.bytes.count { $0 == 0x0A } == 1)
            let fields = text.dropFirst().split(separator: ",").compactMap { Int($0) }
            switch text.first {
            case "c": #expect(fields.count == 2 && fields.allSatisfy { abs($0) <= 255 })
            case "l": #expect(fields.count == 2 && fields.allSatisfy { (0...255).contains($0) })
            case "h": #expect(fields == [-1] || (100...400).contains(fields[0]))
            case "s", "w", "v": #expect((20...60_000).contains(fields[0]))
            case "i": #expect(text == "i1,0")
            case "n": #expect(text == "nb,1")
            case "f": #expect(text == "f")
            default: Issue.record("\(text)")
            }
        }
    }
}

@Suite struct RobotMessageTests {
    @Test(arguments: [
        ("v11.28", RobotMessage.voltage(11.28)), ("w30.00,-30.00", .wheels(left: 30, right: -30)), ("s651", .sonar(651)),
    ]) func whatTheSketchSays(text: String, message: RobotMessage) { #expect(RobotMessage(Array(text.utf8)) == message) }

    @Test(arguments: [
        "", "v", "vnan", "v1,2", "wnan,nan", "winf,0.00", "w1.00", "s", "s-1", "s1.5", "s99999999999999999999", "b", "bl", "x", "f", "fA",
        "fRTR_TT2:v:i", "r", "vmin:6.00"])
    func whatItDoesNot(text: String) {
        let bytes = Array(text.utf8)
        #expect(RobotMessage(bytes) == .unknown(bytes))
    }

    /// Two characters after `b`, whatever follows; a notification that is too long is none.
    @Test func strayBytes() {
        #expect(RobotMessage(Array("blf".utf8) + [0xFF, 0x80, 0x9F]) == .bumper(Bumper(code: "lf")))
        #expect(RobotMessage(Array("b??".utf8)) == .bumper(Bumper(code: "??")))
        #expect(RobotMessage([0xFF, 0xFE]) == .unknown([0xFF, 0xFE]))
        #expect(RobotMessage([UInt8](repeating: 0x73, count: 500)) == .unknown([UInt8](repeating: 0x73, count: 60)))
    }

    @Test func unknownFeaturesAreKept() throws {
        guard case .features(let features) = RobotMessage(Array("fMY\u{1B}BOT:v:zz:wf:".utf8)) else { Issue.record("no features"); return }
        #expect(features.body == "MYBOT" && features.unknown == ["zz"] && features.known == [.voltage, .frontWheels])
        #expect(features.limits == nil && features.hasWheels && !features.hasLights)
        #expect(RobotFeatures("MTV:wf:wb:wm:")?.limits?.low == 20 && RobotFeatures("RTR_520:v:")?.limits?.percent(10.8) == 50)
    }
}
