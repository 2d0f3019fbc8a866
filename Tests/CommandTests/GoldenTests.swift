import Foundation
import TestSupport
import Testing

/// What is published: documents, events, exports, tables and exit codes, as files under Tests/Golden. A change of one is a change for
/// somebody's program, and stands in the changelog. NOAFW_WRITE_GOLDEN=1 writes them anew.
@Suite(
    .enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunFrameLua, "the interpreters are missing: run Tools/setup tests"),
    .serialized)
struct GoldenTests {
    struct Step: Sendable {
        var name: String
        var arguments: [String]
        /// Of the terminal; `nil` for pipes.
        var columns: UInt16?
        /// Standard error has this when SIGINT comes.
        var interruptedAt: String?
        /// What is between the first line and the last one depends on the moment.
        var showsEndsOnly = false
        /// A text in a file of the state folder: when it is there, the tool gets SIGINT.
        var interruption: (text: String, file: String)?
        /// Whether standard error belongs to what is published.
        var showsErrors = false
        var input: String?
        /// What happens to the files before.
        var prepare: @Sendable (ToolBench) throws -> Void = { _ in }

        init(
            _ name: String, _ arguments: String, columns: UInt16? = nil, interruptedAt: String? = nil, showsEndsOnly: Bool = false,
            prepare: @escaping @Sendable (ToolBench) throws -> Void = { _ in }
        ) {
            (self.name, self.columns, self.interruptedAt, self.showsEndsOnly, self.prepare) = (
                name, columns, interruptedAt, showsEndsOnly, prepare
            )
            self.arguments = arguments.split(separator: " ").map(String.init)
        }
    }

    private static let folder = TestTools.root.appendingPathComponent("Tests/Golden")
    private static let units = "--virtual monocle:a --virtual frame:b --jobs 1 --virtual-speed max --only scripts"
    private static let one = "--virtual frame:one --virtual-speed max --only scripts"

    private static let chat = "chat --virtual frame:one --virtual-speed max --assistant echo --script STATE/script.txt"

    private static func write(_ text: String, _ name: String, _ bench: ToolBench) throws {
        try Data(text.utf8).write(to: bench.state.appendingPathComponent(name))
    }

    private static func files(_ bench: ToolBench, _ unit: String) -> URL { bench.state.appendingPathComponent("virtual/\(unit)/files") }

    static func append(_ text: String, to file: URL) throws {
        try (Data(contentsOf: file) + Data(text.utf8)).write(to: file)
    }

    private static let steps = [
        Step("verify-factory-new", "verify \(one) --json"),
        Step("flash-dry-run", "flash \(one) --dry-run --json"),
        Step("flash-updates", "flash \(one) --json --serial SN1 --order WO1 --operator ada"),
        Step("flash-is-current", "flash \(one) --json"),
        Step("flash-table", "flash \(one) --force --yes"),
        Step("verify-passes", "verify \(one) --json"),
        Step("verify-deep", "verify \(one) --deep --json"),
            Step("verify-drift", "verify \(one) --deep --json") {
                try append("--", to: files($0, "frame/one").appendingPathComponent("link.lua"))
            },
        Step("verify-drift-text", "verify \(one) --deep"),
        Step("fs-list", "fs ls --json --virtual frame:one --virtual-speed max"),
        Step("fs-table", "fs ls --virtual frame:one --virtual-speed max"),
        Step("fs-room", "fs df --json --virtual monocle:a --virtual-speed max"),
        Step("logs", "logs --restart --json --virtual monocle:log --virtual-speed max") {
            _ = try $0.run(["fs", "ls", "--virtual", "monocle:log", "--virtual-speed", "max"])
            try write("print('tick')\nraise ValueError('boom')\n", "virtual/monocle/log/files/main.py", $0)
        },
        Step("watch", "watch --for 8s --json --virtual monocle:log --virtual-speed max"),
        Step("screen", "screen --json --virtual frame:one --virtual-speed max -o STATE/screen.png"),
        Step("photo", "photo --json --virtual frame:one --virtual-speed max -o STATE/photo.jpg"),
        Step("screen-of-a-real-unit", "screen --json"),
        Step("verify-junit", "verify \(one) --deep --junit STATE/shown.txt"),
        // Before the fleets, which begin their units in an order of chance.
        Step("ledger-list", "ledger list --json"),
        Step("ledger-table", "ledger list"),
        Step("ledger-export-csv", "ledger export --csv"),
        Step("ledger-export-json", "ledger export --json"),
        Step("ledger-check", "ledger check --json"),
        Step("ledger-report", "ledger report --json"),
        Step("ledger-schema", "ledger schema --sql"),
        Step("fleet-updates", "flash \(units) --json"),
        Step("fleet-drift", "verify \(units) --deep --json") {
            try FileManager.default.removeItem(at: files($0, "frame/b").appendingPathComponent("main.lua"))
        },
        Step("fleet-csv", "verify \(units) --deep --csv STATE/shown.txt"),
        Step("fleet-table-80", "verify \(units)", columns: 80),
        Step("fleet-table-120", "verify \(units)", columns: 120),
        Step("fleet-broken-unit", "verify \(units) --json") {
            try Data("{".utf8).write(to: $0.state.appendingPathComponent("virtual/frame/b/unit.json"))
        },
        Step("events", "verify --virtual monocle:a --virtual-speed max --only scripts --events -"),
        Step("no-such-part", "verify --virtual frame:one --only fpga --json"),
        Step("usage", "flash --virtual monocle --nonsense --json"),
        Step("missing-file", "flash --virtual monocle --bundle none.zip --json"),
        Step("timeout", "flash --virtual monocle:late --only scripts --virtual-speed 1 --timeout 0.5 --json"),
        Step("bundle-create", "bundle Scripts/frame -o STATE/release.zip --json"),
        Step("bundle-show", "bundle show STATE/release.zip --json"),
        Step("bundle-check-differs", "bundle --check STATE/release.zip Scripts/monocle --json"),
        Step("chat", "chat --virtual frame:one --virtual-speed max --assistant echo --query Hello --json"),
        Step("chat-fails", "\(chat) --json") { try write("send Hello\nexpect Goodbye within 2s\n", "script.txt", $0) },
        Step("chat-fails-text", "\(chat)"),
        Step("chat-bad-script", "\(chat) --json") { try write("sing Hello\n", "script.txt", $0) },
        Step("chat-usage", "\(chat) --query Hello --json"),
        Step("chat-soak", "\(chat) --json", showsEndsOnly: true) { try write("soak 3 every 500ms\n", "script.txt", $0) },
            Step(
                "chat-interrupted", "\(chat.replacing("speed max", with: "speed 1")) --json", interruptedAt: "is compared with",
                showsEndsOnly: true
            ) {
            try write("expect nothing within 300s\n", "script.txt", $0)
        },
    ] + withoutAdapter + bonds + interrupted

    @Test func whatIsPublishedStays() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        var names: Set<String> = []
        for step in Self.steps + Self.packages + Self.assets + Self.bundles {
            try step.prepare(bench)
            let arguments = step.arguments.map { $0.replacing("STATE", with: bench.state.path) }
            let text: String
            if let columns = step.columns {
                let terminal = try TerminalTool(arguments, environment: bench.environment(), columns: columns)
                let status = terminal.wait().status
                // What was drawn before is drawn over.
                let screen = terminal.screen.replacing("\r\n", with: "\n")
                let start = screen.ranges(of: /unit +part/).last?.lowerBound ?? screen.startIndex
                text = "exit \(status)\n\(screen[start...])"
            } else {
                let (status, output, errors) = try Self.run(step, arguments, bench)
                let written = bench.state.appendingPathComponent("shown.txt")
                let file = arguments.contains(written.path) ? try String(contentsOf: written, encoding: .utf8) : ""
                text = "exit \(status)\n\(output)\(file)" + (step.showsErrors ? errors : "")
            }
            let file = Self.folder.appendingPathComponent("\(step.name).txt")
            let shown = Self.withoutChance(text, bench)
            names.insert(file.lastPathComponent)
            if ProcessInfo.processInfo.environment["NOAFW_WRITE_GOLDEN"] != nil { try Data(shown.utf8).write(to: file) }
            let golden = try? String(contentsOf: file, encoding: .utf8)
            #expect(shown == golden, "\(step.name)")
        }
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) == names)
    }

    /// There is no bus, whatever the machine has.
    private static func run(
        _ step: Step, _ arguments: [String], _ bench: ToolBench
    ) throws -> (status: Int32, output: String, errors: String) {
        let tool = try bench.start(
            arguments, environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(bench.state.path)/none", "PATH": "/usr/bin:/bin"],
            input: step.input)
        if let (text, file) = step.interruption {
            let place = bench.state.appendingPathComponent(file).path
            let end = ContinuousClock.now + .seconds(120)
            while ContinuousClock.now < end, FileManager.default.contents(atPath: place)?.firstRange(of: Data(text.utf8)) == nil {
                usleep(5000)
            }
            tool.signal(SIGINT)
        }
        if let place = step.interruptedAt {
            #expect(tool.waitForLine { $0.contains(place) })
            tool.signal(SIGINT)
        }
        let errors = tool.remainingErrors()
        let (status, output) = (tool.wait(), try tool.output())
        guard step.showsEndsOnly else { return (status, output, errors) }
        let lines = output.split(separator: "\n")
        return (status, [lines.first, lines.last].compactMap(\.self).joined(separator: "\n") + "\n", errors)
    }

    /// Without what is another one at each run: places, times, durations, addresses and numbers of runs.
    private static func withoutChance(_ text: String, _ bench: ToolBench) -> String {
        // A copy of the sources has a link to the interpreters' folder.
        let tools = TestTools.root.appendingPathComponent(".venv").resolvingSymlinksInPath().deletingLastPathComponent().path
        return text.replacing(bench.state.path, with: "STATE").replacing(TestTools.root.path, with: "ROOT").replacing(tools, with: "ROOT")
            .replacing(ProcessInfo.processInfo.hostName, with: "HOST")
            .replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: "")
            .replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{5,8}(\.[0-9]+)?(Z| UTC)?/, with: "TIME")
            .replacing(/"days":\[.*?\]/, with: "\"days\":[]")
            // Before the digests: a number of eight digits looks like the beginning of one.
            .replacing(/"(high|low|share|median|p95|longest)":[0-9.e-]+/) { "\"\($0.output.1)\": N" }
            .replacing(/\\?"(seconds|longestDeliverySeconds|bytes|byteCount|seed)\\?" ?: ?[0-9.]+/) { "\"\($0.output.1)\": N" }
            .replacing(/[0-9A-F]{2}(:[0-9A-F]{2}){5}/, with: "ADDRESS")
            .replacing(/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}/, with: "RUN")
            .replacing(/\b[0-9a-f]{64}\b/.wordBoundaryKind(.simple), with: "DIGEST").replacing(
                /sha256:[0-9a-f]{12}/, with: "sha256:............"
            )
            .replacing(/\b[0-9a-f]{16}\b/.wordBoundaryKind(.simple), with: "EPOCH").replacing(
                /\b[0-9a-f]{8}\b/.wordBoundaryKind(.simple), with: "RUNBEGIN"
            )
            .replacing(/"(ms|start_ms|elapsed_ms|started_at|ended_at|kb_per_s)" : [0-9.]+/) { "\"\($0.output.1)\" : N" }
            .replacing(/TIME,TIME,[0-9]+/, with: "TIME,TIME,N")
            .replacing(/time="[0-9.]+"/, with: "time=\"N\"")
            .replacing(/(?m),[0-9]+(\.[0-9]+)?$/, with: ",N")
            // With the version where bluetoothd is installed.
            .replacing(/not checked[^"]*/, with: "not checked")
            .replacing(/\{"name":"rfkill".*?\}/, with: "RFKILL").replacing(/[0-9]+ MB free/, with: "N MB free")
            .replacing(/(MicroPython|Lua) [0-9][-.0-9a-z]*( +Copyright[^,]*)?/) { "\($0.output.1) VERSION" }
            .replacing(/\ +[0-9]+\.[0-9] s\b/, with: " N s").replacing(/\([0-9.]+ s\)/, with: "(N s)")
            .replacing(/[0-9.]+ kB\/s/, with: "N kB/s")
    }
}
