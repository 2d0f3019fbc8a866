import Bluetooth
import Foundation
import OpenBotFamily
import Support
import TestSupport
import Testing

@testable import noafw

/// The verbs in a process of their own, with a virtual robot in it. Its folder keeps what its motors did.
@Suite(.serialized) struct RobotCommandTests {
    private static let robot = ["--virtual", "openbot", "--virtual-speed", "max"]

    /// The duties of the last run: milliseconds, left, right.
    private static func motors(_ bench: ToolBench, _ name: String = "default") throws -> [[Int]] {
        let file = bench.state.appendingPathComponent("virtual/openbot/\(name)/motors.csv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map {
            $0.split(separator: ",").compactMap { Int($0) }
        }
    }

    private static func with(_ body: (ToolBench) throws -> Void) throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        try body(bench)
    }

    @Test func infoSaysWhatItIs() throws {
        try Self.with { bench in
            let run = try bench.run(["robot", "info"] + Self.robot)
            #expect(run.status == 0 && run.output.contains("body      RTR_TT2") && run.output.contains("battery   11."), "\(run)")
            let old = try bench.run(["robot", "info", "--virtual", "openbot:early", "--virtual-speed", "max"])
            #expect(old.status == 1 && old.errors.contains("BOT-0002"), "\(old)")
            let glasses = try bench.run(["robot", "info", "--virtual", "monocle"])
            #expect(glasses.status == 64 && glasses.errors.contains("NOA-0031"), "\(glasses)")
        }
    }

    @Test func anImageIsShownBeforeItIsWritten() throws {
        try Self.with { bench in
            var recipe = ESPImageRecipe()
            (recipe.chip, recipe.projectName) = (0, "arduino-lib-builder")
            let file = bench.state.appendingPathComponent("openbot.ino.bin")
            try FileManager.default.createDirectory(at: bench.state, withIntermediateDirectories: true)
            try Data(recipe.bytes).write(to: file)
            let run = try bench.run(["robot", "image", file.path])
            #expect(run.status == 0 && run.output.contains("project   arduino-lib-builder"), "\(run)")
            #expect(run.output.contains("0x10000 \(file.path)"), "\(run)")
            recipe.chip = 9
            try Data(recipe.bytes).write(to: file)
            #expect(try bench.run(["robot", "image", file.path]).status == 65, "another chip")
            recipe.chip = 0
            var damaged = recipe.bytes
            damaged[400] ^= 1
            try Data(damaged).write(to: file)
            #expect(try bench.run(["robot", "image", file.path, "--json"]).output.contains("\"ESP-000"), "damaged")
        }
    }

    @Test func aDriveMovesForItsTimeAndStops() throws {
        try Self.with { bench in
            let log = bench.state.appendingPathComponent("run-1")
            let csv = bench.state.appendingPathComponent("readings.csv")
            let run = try bench.run(
                ["robot", "drive", "100", "-300", "--for", "2s", "--log", log.path, "--csv", csv.path] + Self.robot)
            #expect(run.status == 0 && run.output.contains("stop delivered: the robot acknowledged it"), "\(run)")
            let motors = try Self.motors(bench)
            let moving = try #require(motors.firstIndex { $0[1] == 100 && $0[2] == -255 })
            let still = try #require(motors[moving...].first { $0[1] == 0 && $0[2] == 0 })
            #expect((1950...2150).contains(still[0] - motors[moving][0]), "\(motors)")
            let data = log.appendingPathComponent("sensor_data")
            let control = try String(contentsOf: data.appendingPathComponent("ctrlLog.txt"), encoding: .utf8).split(separator: "\n")
            #expect(control.first == "timestamp[ns],leftCtrl,rightCtrl" && control.count == 3 && control[1].hasSuffix(",100,-255"))
            for kind in ["voltageLog", "sonarLog", "wheelsLog"] {
                let lines = try String(contentsOf: data.appendingPathComponent("\(kind).txt"), encoding: .utf8).split(separator: "\n")
                #expect(lines.count > 3 && lines.dropFirst().allSatisfy { $0.contains(/^[0-9]{19},/) }, "\(kind): \(lines)")
            }
            #expect(try String(contentsOf: csv, encoding: .utf8).hasPrefix("seconds,kind,left,right\n"))
        }
    }

    @Test func aScriptIsDrivenAtASpeed() throws {
        try Self.with { bench in
            let script = bench.state.appendingPathComponent("square.txt")
            try Data("# a turn\n255 255 500ms\n\n-255 255 0.5s # left\n".utf8).write(to: script)
            let run = try bench.run(["robot", "drive", "--script", script.path, "--speed", "slow"] + Self.robot)
            #expect(run.status == 0, "\(run)")
            let motors = try Self.motors(bench).map { [$0[1], $0[2]] }
            #expect(motors.contains([128, 128]) && motors.contains([-128, 128]) && motors.last == [0, 0], "\(motors)")
            try Data("255 255\n".utf8).write(to: script)
            let bad = try bench.run(["robot", "drive", "--script", script.path] + Self.robot)
            #expect(bad.status == 65 && bad.errors.contains("NOA-0094"), "\(bad)")
            try Data("0 -9223372036854775808 1s\n".utf8).write(to: script)
            #expect(try bench.run(["robot", "drive", "--script", script.path] + Self.robot).status == 65)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM]) func aSignalStopsTheRobot(signal: Int32) throws {
        try Self.with { bench in
            let tool = try bench.start(["robot", "drive", "150", "150", "--for", "60s", "--virtual", "openbot", "--virtual-speed", "4"])
            let file = bench.state.appendingPathComponent("virtual/openbot/default/motors.csv")
            #expect(tool.waitForLine { $0.contains("driving the robot") })
            // Until the first line has reached it.
            Thread.sleep(forTimeInterval: 0.5)
            tool.signal(signal)
            let errors = tool.remainingErrors()
            let status = tool.wait()
            #expect(try status == 130 && errors.contains("NOA-0093") && tool.output().contains("stop delivered"), "\(status) \(errors)")
            let motors = try Self.motors(bench)
            #expect(FileManager.default.fileExists(atPath: file.path) && motors.contains { $0[1] == 150 }, "\(motors)")
            #expect(motors.last.map { [$0[1], $0[2]] } == [0, 0])
        }
    }

    @Test func aTimeLimitStopsTheRobot() throws {
        try Self.with { bench in
            let run = try bench.run(
                ["robot", "drive", "150", "150", "--for", "60s", "--timeout", "3", "--virtual", "openbot", "--virtual-speed", "4"])
            #expect(run.status == 75 && run.errors.contains("NOA-0002") && run.output.contains("stop delivered"), "\(run)")
            #expect(try Self.motors(bench).last.map { [$0[1], $0[2]] } == [0, 0])
        }
    }

    @Test func theCertificateIsRecorded() throws {
        try Self.with { bench in
            let run = try bench.run(["robot", "test", "--json", "--serial", "R-1"] + Self.robot)
            #expect(run.status == 0, "\(run)")
            let document = try ToolBench.json(run.output)
            let checks = try #require(document["checks"] as? [[String: Any]])
            #expect(document["verdict"] as? String == "pass" && checks.count == 11, "\(checks)")
            #expect(checks.allSatisfy { $0["result"] as? String != "failed" })
            #expect((document["run"] as? [String: Any])?["serial"] as? String == "R-1")
            let list = try bench.run(["ledger", "list"])
            #expect(list.output.contains("robot test") && list.output.contains("R-1"), "\(list)")
        }
    }

    @Test func aTestThatIsCutOffSaysWhatItFound() throws {
        try Self.with { bench in
            let run = try bench.run(["robot", "test", "--json", "--timeout", "3", "--virtual", "openbot", "--virtual-speed", "2"])
            let document = try ToolBench.json(run.output)
            #expect(run.status == 75 && document["verdict"] as? String == "fail", "\(run)")
            #expect((document["checks"] as? [Any])?.isEmpty == false && document["unit"] is [String: Any], "\(document)")
            #expect(document["run"] is [String: Any], "\(document)")
        }
    }

    /// The folder of the logs has files of fixed names.
    @Test func noLogReplacesAnInputOrAnotherResult() throws {
        try Self.with { bench in
            let data = bench.state.appendingPathComponent("run/sensor_data")
            try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
            let script = data.appendingPathComponent("ctrlLog.txt")
            try Data("1 1 0.1s\n".utf8).write(to: script)
            let log = ["--log", bench.state.appendingPathComponent("run").path]
            for words in [
                ["--script", script.path], ["1", "1", "--for", "0.1s", "--csv", data.appendingPathComponent("voltageLog.txt").path]
            ] {
                let run = try bench.run(["robot", "drive"] + words + log + Self.robot)
                #expect(run.status == 64, "\(run)")
            }
            #expect(try String(contentsOf: script, encoding: .utf8) == "1 1 0.1s\n")
        }
    }

    @Test func aWeakBatteryIsNotDrivenAndFails() throws {
        try Self.with { bench in
            _ = try bench.run(["robot", "info"] + Self.robot)
            let file = bench.state.appendingPathComponent("virtual/openbot/default/robot.json")
            try Data(#"{"body":"default","surroundings":{"battery":8.2,"bumper":0,"obstacle":100}}"#.utf8).write(to: file)
            for verb in [["drive", "100", "100", "--for", "1s"], ["test"]] {
                let run = try bench.run(["robot"] + verb + Self.robot)
                #expect(run.status == 1 && run.errors.contains("BOT-0003"), "\(run)")
                #expect(try Self.motors(bench).allSatisfy { $0[1] == 0 && $0[2] == 0 })
            }
        }
    }

    @Test func aRobotThatItsSonarKeepsStillFails() throws {
        try Self.with { bench in
            _ = try bench.run(["robot", "info"] + Self.robot)
            let file = bench.state.appendingPathComponent("virtual/openbot/default/robot.json")
            try Data(#"{"body":"default","surroundings":{"battery":11.5,"bumper":0,"obstacle":6}}"#.utf8).write(to: file)
            let run = try bench.run(["robot", "drive", "100", "100", "--for", "1s", "--json"] + Self.robot)
            #expect(run.status == 1 && run.errors.contains("BOT-0008") && run.errors.contains("stop delivered"), "\(run)")
            let stop = try #require(ToolBench.json(run.output)["stop"] as? [String: Any])
            #expect(stop["acknowledged"] as? Bool == true)
            #expect(try Self.motors(bench).allSatisfy { $0[1] == 0 && $0[2] == 0 })
            let back = try bench.run(["robot", "drive", "-100", "-100", "--for", "1s"] + Self.robot)
            #expect(back.status == 0, "\(back)")
        }
    }

    /// A signal in the middle of the certificate leaves no lamp on.
    @Test func anInterruptedTestEndsWithTheFarewell() throws {
        try Self.with { bench in
            let tool = try bench.start(["robot", "test", "--bumper", "--json", "--virtual", "openbot", "--virtual-speed", "4"])
            #expect(tool.waitForLine { $0.contains("press the bumper") })
            tool.signal(SIGINT)
            let status = tool.wait()
            let document = try ToolBench.json(tool.output())
            #expect(status == 130 && (document["stop"] as? [String: Any])?["delivered"] as? Bool == true, "\(document)")
            let lights = try bench.run(["robot", "info", "--json"] + Self.robot)
            let unit = try ToolBench.json(lights.output)["unit"] as? [String: Any]
            #expect(lights.status == 0 && unit?["body"] as? String == "RTR_TT2")
        }
    }

    @Test func lampsAndWatch() throws {
        try Self.with { bench in
            let lights = try bench.run(["robot", "lights", "255", "0", "--status", "green"] + Self.robot)
            #expect(lights.status == 0 && lights.output.contains("delivered  l255,0") && lights.output.contains("ng,1"), "\(lights)")
            let indicate = try bench.run(["robot", "indicate", "left", "--virtual", "openbot:mtv", "--virtual-speed", "max"])
            #expect(indicate.status == 64 && indicate.errors.contains("NOA-0090"), "\(indicate)")
            let watch = try bench.run(["robot", "watch", "--for", "3s"] + Self.robot)
            #expect(watch.status == 0 && watch.output.contains("voltage 11.") && watch.output.contains("sonar 1"), "\(watch)")
        }
    }

    @Test func flashRefusesWithTheCommandThatWorks() throws {
        try Self.with { bench in
            let run = try bench.run(["flash"] + Self.robot)
            #expect(run.status != 0 && run.errors.contains("esptool") && run.errors.contains("0x10000"), "\(run)")
        }
    }

    @Test(arguments: [
        ["drive", "100", "--for", "1s"], ["drive", "100", "100"], ["drive", "--for", "1s"], ["drive", "1", "2", "--for", "0s"],
        ["drive", "1", "2", "--for", "1s", "--nonsense"], ["drive", "1", "2", "--for", "0x10"], ["lights", "256", "0"], ["indicate", "up"],
    ]) func wrongUsage(words: [String]) throws {
        try Self.with { bench in
            let run = try bench.run(["robot"] + words + Self.robot)
            #expect(run.status == 64, "\(run)")
        }
    }

    @Test func arrowKeys() {
        func at(_ milliseconds: Int) -> SessionClock.Instant { SessionClock.Instant(offset: .milliseconds(milliseconds)) }
        var keys = ArrowDrive()
        #expect(keys.take(Array("\u{1B}[A".utf8), at: at(0)) == [.drive(Duties(left: 255, right: 255))])
        #expect(keys.wake(at: at(699)).isEmpty && keys.deadline == at(700))
        #expect(keys.take(Array("\u{1B}[D".utf8), at: at(600)) == [.drive(Duties(left: -255, right: 255))])
        #expect(keys.wake(at: at(1300)) == [.drive(.still)] && keys.deadline == nil)
        #expect(keys.take(Array(" ".utf8), at: at(1400)) == [.drive(.still)])
        #expect(keys.take([0x1B], at: at(1450)).isEmpty && keys.deadline == at(1550), "a key that is cut in two")
        #expect(keys.take(Array("[A".utf8), at: at(1452)) == [.drive(Duties(left: 255, right: 255))])
        #expect(keys.take([0x1B], at: at(1455)).isEmpty && keys.wake(at: at(1555)).isEmpty, "the Escape key")
        for end in [Array("q".utf8), [0x03], [0x04], nil] { #expect(keys.take(end, at: at(1500)) == [.end]) }
    }
}
