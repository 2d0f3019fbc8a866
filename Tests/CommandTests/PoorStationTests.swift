import Foundation
import TestSupport
import Testing

@testable import noafw

/// The tool where the machine grants little: it says so, and neither traps nor hangs.
@Suite struct PoorStationTests {
    private let bench: ToolBench

    init() throws { bench = try ToolBench() }

    /// Runs a line of the shell in which `NOAFW` is the tool, for 30 s at most.
    private func shell(_ line: String, _ environment: [String: String] = [:]) throws -> (status: Int32, output: String) {
        defer { bench.remove() }
        let words = ["30", "/bin/bash", "-c", line.replacing("NOAFW", with: ToolBench.tool.path)]
        let all = ProcessInfo.processInfo.environment.merging(bench.environment(environment)) { $1 }
        return try runProgram("/usr/bin/timeout", words, environment: all, folder: ToolBench.root.path)
    }

    @Test(arguments: [4, 11, 14, 19, 30]) func fewFilesAreTold(limit: Int) throws {
        let (status, output) = try shell("ulimit -n \(limit); NOAFW verify --virtual monocle --virtual-speed max --timeout 20")
        #expect(status == 69 && output.hasPrefix("error NOA-0029: "), "\(status): \(output)")
    }

    /// The run ends by itself: where addresses are few, each thread's own heap would use them up, and nothing would go on.
    @Test(arguments: [250_000, 300_000, 350_000]) func littleMemoryHoldsNothingUp(limit: Int) throws {
        let (status, output) = try shell("ulimit -v \(limit); NOAFW verify --virtual monocle --virtual-speed max --timeout 15")
        #expect(status == 1 || (status == 69 && output.hasPrefix("error NOA-0030: ")), "\(status): \(output)")
    }

    @Test func theDocumentIsThereToo() throws {
        let (status, output) = try shell("ulimit -n 8; NOAFW verify --virtual monocle --json 2>/dev/null")
        let document = try ToolBench.json(output)
        #expect(status == 69 && document["schema"] as? String == "noafw.error/1")
    }

    /// Where they are closed, the next files would take their numbers, and the signals' pipe among them the text.
    @Test(arguments: ["<&-", ">&-", "2>&-", "<&- 2>&-", ">&- 2>&-", "<&- >&-", "<&- >&- 2>&-"])
    func closedStreamsDoNoHarm(closed: String) throws {
        let (status, output) = try shell("NOAFW package inspect Firmware/none.zip \(closed); echo $?")
        #expect(status == 0 && output.hasSuffix("66\n"), "\(output)")
    }

    @Test func aResultThatNobodyTakesIsNoSuccess() throws {
        #expect(try shell("NOAFW assets list >&-; echo $?").output.hasSuffix("74\n"))
    }

    @Test(arguments: ["/tmp", "/etc/passwd", "/nowhere/python3"]) func aPythonThatIsNoneIsTold(path: String) throws {
        let (status, output) = try shell("NOAFW verify --virtual monocle --virtual-speed max", ["NOAFW_PYTHON": path])
        #expect(status == 69 && output.contains("error NOA-0069") && output.contains(path), "\(output)")
    }

    @Test func aPythonThatIsAnotherProgramIsTold() throws {
        let (status, output) = try shell("NOAFW verify --virtual monocle --virtual-speed max", ["NOAFW_PYTHON": "/bin/true"])
        #expect(status == 69 && output.contains("error VIR-0003"), "\(output)")
    }

    @Test(arguments: ["1", "20", "26"]) func aNarrowTerminalGetsItsHelp(columns: String) throws {
        let (status, output) = try shell("NOAFW flash --help", ["COLUMNS": columns])
        #expect(status == 0 && output.contains("--virtual"), "\(output)")
    }

    /// The tool alone in a folder, as somebody copies it.
    @Test func aMovedBinarySaysWhatItLacks() throws {
        let place = bench.state.appendingPathComponent("bin")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: ToolBench.tool, to: place.appendingPathComponent("noafw"))
        let line = "\(place.path)/noafw flash --virtual monocle --virtual-speed max"
        let python = try TestTools.require(TestTools.python, "python3")
        let (status, output) = try shell(line, ["NOAFW_PYTHON": python])
        #expect(status == 66 && output.contains("error VIR-0005") && output.contains("share/noafw"), "\(status): \(output)")
    }
}
