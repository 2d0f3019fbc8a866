import Bluetooth
import Foundation
import Support
import Synchronization
import TestSupport
import VirtualDevices
import VirtualFaults

@testable import noafw

/// A station's process with its files, its ledger, its air and its units.
final class StormWorld: Sendable {
    let plan: StormPlan
    let catalogue: StormStation.Catalogue
    private let station: StormStation
    private let folder: TemporaryFolder

    var path: String { folder.path }
    var state: URL { URL(fileURLWithPath: folder.path("state"), isDirectory: true) }

    /// - Parameter catalogue: `nil` takes what the plan's verb needs.
    init(_ plan: StormPlan, _ station: StormStation, _ catalogue: StormStation.Catalogue? = nil) throws {
        (self.plan, self.station) = (plan, station)
        self.catalogue = catalogue ?? (plan.verb == .chat ? .talking : plan.isLarge ? .large : .small)
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        for number in 0..<4 { try folder.write(String(repeating: "\(number)\n", count: 150), to: "lib/part\(number).txt") }
    }

    // MARK: Units

    func place(of unit: StormPlan.Unit) -> URL { state.appendingPathComponent("virtual/\(unit.family)/\(unit.name)", isDirectory: true) }

    func prepare(_ bases: StormBases) async throws {
        for (number, unit) in plan.units.enumerated() {
            if unit.prior != .factory { try await bases.copy(unit, catalogue, to: self) }
            let folder = try open(unit)
            if unit.prior == .drifted { try drift(unit) }
            if unit.prior == .owned {
                for (name, text) in own(unit) { try Data(text.utf8).write(to: folder.root.appendingPathComponent("files/\(name)")) }
            }
            if plan.faults.contains(where: { $0.kind == .battery && $0.unit == number }) { try charge(unit, percent: 5) }
        }
    }

    private func open(_ unit: StormPlan.Unit) throws -> UnitFolder {
        unit.family == "monocle" ? try .monocle(root: place(of: unit), name: unit.name) : try .frame(root: place(of: unit), name: unit.name)
    }

    /// What a person has on the unit: their own program, where the verb replaces it and keeps it.
    func own(_ unit: StormPlan.Unit) -> [String: String] {
        guard unit.prior == .owned else { return [:] }
        let isLua = unit.family == "frame"
        var files = ["notes.txt": "mine\n", isLua ? "mine.lua" : "mine.py": isLua ? "return 1 -- mine\n" : "MINE = 1\n"]
        if plan.verb != .copy, plan.verb != .update {
            files[isLua ? "main.lua" : "main.py"] = isLua
                ? "while true do frame.sleep(0.1) end -- mine\n" : "import time\nwhile True:\n    time.sleep(1) # mine\n"
        }
        return files
    }

    private func drift(_ unit: StormPlan.Unit) throws {
        let isFPGA = unit.family == "monocle" && plan.seed.isMultiple(of: 2)
        let script = unit.family == "monocle" ? "files/states.py" : "files/odd.lua"
        let file = place(of: unit).appendingPathComponent(isFPGA ? "fpga-flash.bin" : script)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
    }

    func charge(_ unit: StormPlan.Unit, percent: Int) throws {
        let file = place(of: unit).appendingPathComponent("unit.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing(/"batteryPercent":\d+/, with: "\"batteryPercent\":\(percent)").utf8).write(to: file)
    }

    // MARK: Commands

    private var names: [String] {
        plan.units.flatMap { ["--virtual", "\($0.family):\($0.name)"] } + ["--virtual-speed", "max"]
    }

    func arguments(_ verb: StormPlan.Verb) -> [String] {
        let reported = names + ["--json", "--events", folder.path("events.jsonl")]
        return switch verb {
        case .flash: ["flash"] + reported
        case .firmware, .fpga, .scripts: ["flash", "--only", verb.rawValue] + reported
        case .fleet: ["flash", "--jobs", "3", "--seed", "\(plan.seed % 1000)", "--stop-after", "0"] + reported
        case .line: ["flash", "--watch"] + reported
        case .verify: ["verify", "--deep"] + reported
        case .update: ["update", "--yes"] + reported
        case .copy: ["fs", "cp", "-r", "lib", ":"] + names
        case .chat: ["chat", "--assistant", "echo", "--query", "hello", "--json"] + names
        }
    }

    /// Runs a command in this world.
    /// - Parameters:
    ///   - faults: the plan's come.
    ///   - seed: of the order in which things happen.
    func run(_ verb: StormPlan.Verb, faults: Bool, seed: UInt64) async throws -> StormRun {
        let events = folder.path("events.jsonl")
        try? FileManager.default.removeItem(atPath: events)
        var plan = plan
        if !faults { plan.faults = [] }
        let (log, run) = (StormLog(), StormRunOutput())
        let times = StormTimes()
        var services = LiveServices()
        services.conditions.simulatedTime = {
            let time = VirtualTime.simulated(seed: seed)
            times.add(time)
            return time
        }
        services.conditions.prepare = { [plan] name, air, configuration in
            guard let number = plan.units.firstIndex(where: { $0.name == name.name }) else { return }
            let unit = plan.units[number]
            configuration.faults = StormFaults(plan, unit: number, air: air, log: log)
            configuration.largestMTU = unit.mtu
            configuration.linkSetUp = .milliseconds(unit.setUp)
            configuration.linkPace = LinkPace(
                interval: .microseconds(unit.interval), eventLength: .microseconds(unit.interval), supervisionTimeout: .seconds(2))
        }
        let context = run.context(arguments(verb), services, folder: path, assets: station.path(catalogue))
        let chance = StormChance(seed: seed &+ 1)
        let task = Task { await SessionRandom.$bits.withValue({ chance.next() }) { await Noafw.execute(in: context) } }
        log.whenCancelled {
            context.stop.set(.interrupted)
            task.cancel()
        }
        let held = faults ? try plan.faults.filter { $0.kind == .busy }.map { try open(plan.units[$0.unit]).lock() } : []
        if !held.isEmpty { log.reach(.busy) }
        let watchdog = Task {
            try await Task.sleep(for: .seconds(240))
            log.note("no end")
            log.cancel()
        }
        let code = await task.value
        watchdog.cancel()
        withExtendedLifetime(held) {}
        for line in (try? String(contentsOfFile: events, encoding: .utf8))?.split(separator: "\n") ?? [] {
            log.note(Self.lasting(String(line), in: path))
        }
        log.note("exit \(code)")
        return StormRun(code: code, output: run.output, errors: run.errors, log: log, sleeping: times.sleepingCount)
    }

    /// An event without what is of the real day, and of this folder.
    private static func lasting(_ line: String, in folder: String) -> String {
        line.replacing(folder, with: "WORLD").replacing(/"(time|seconds|run_id)":("[^"]*"|[0-9.e+-]+|null),?/, with: "")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "RUN")
    }
}

/// What a command did.
struct StormRun: Sendable {
    var code: Int32
    var output: String
    var errors: String
    var log: StormLog
    /// Sleeps that nobody ended.
    var sleeping: Int
}

/// The clocks of a command.
private final class StormTimes: Sendable {
    private let times = Mutex<[VirtualTime]>([])

    func add(_ time: VirtualTime) { times.withLock { $0.append(time) } }
    var sleepingCount: Int { times.withLock { $0.reduce(0) { $0 + $1.sleepingCount } } }
}

private final class StormChance: Sendable {
    private let generator: Mutex<SeededGenerator>

    init(seed: UInt64) { generator = Mutex(SeededGenerator(seed: seed)) }
    func next() -> UInt64 { generator.withLock { $0.next() } }
}

/// What a command says.
private final class StormRunOutput: Sendable {
    private let texts = Mutex(("", ""))

    var output: String { texts.withLock { $0.0 } }
    var errors: String { texts.withLock { $0.1 } }

    func context(_ arguments: [String], _ services: LiveServices, folder: String, assets: String) -> CommandContext {
        let environment = [
            "HOME": folder, "NOAFW_STATE_DIR": "\(folder)/state", "NOAFW_ASSETS": assets, "XDG_CONFIG_HOME": folder,
            "NOAFW_STATION": "storm", "NO_COLOR": "1", "NOAFW_PYTHON": TestTools.python ?? "",
        ]
        return CommandContext(
            arguments: arguments, environment: environment, currentDirectory: folder, executable: nil,
            output: TextSink(isTerminal: false, columns: { 80 }, write: { [self] text in texts.withLock { $0.0 += text } }),
            diagnostics: TextSink(isTerminal: false, columns: { 80 }, write: { [self] text in texts.withLock { $0.1 += text } }),
            clock: .continuous, interrupts: Interrupts(), services: services, date: { Date(timeIntervalSince1970: 1_795_000_000) })
    }
}

/// Units that hold everything already, made once.
actor StormBases {
    private let station: StormStation
    private var made: [String: StormWorld] = [:]

    struct NotMade: Error { let text: String }

    init(_ station: StormStation) { self.station = station }

    func copy(_ unit: StormPlan.Unit, _ catalogue: StormStation.Catalogue, to world: StormWorld) async throws {
        let base = try await base(unit, catalogue)
        let manager = FileManager.default
        try manager.createDirectory(at: world.place(of: unit).deletingLastPathComponent(), withIntermediateDirectories: true)
        try manager.copyItem(at: base.place(of: base.plan.units[0]), to: world.place(of: unit))
        let (bonds, copies) = (base.state.appendingPathComponent("virtual-bonds"), world.state.appendingPathComponent("virtual-bonds"))
        guard manager.fileExists(atPath: bonds.path) else { return }
        try manager.createDirectory(at: copies, withIntermediateDirectories: true)
        for name in try manager.contentsOfDirectory(atPath: bonds.path) where !manager.fileExists(atPath: copies.path + "/" + name) {
            try manager.copyItem(at: bonds.appendingPathComponent(name), to: copies.appendingPathComponent(name))
        }
    }

    private func base(_ unit: StormPlan.Unit, _ catalogue: StormStation.Catalogue) async throws -> StormWorld {
        let key = "\(unit.family) \(unit.name) \(catalogue)"
        if let world = made[key] { return world }
        let fresh = StormPlan.Unit(family: unit.family, name: unit.name, prior: .factory, interval: 15_000, mtu: 517, setUp: 400)
        var plan = StormPlan(seed: 1, verb: .flash, units: [fresh], faults: [])
        plan.isLarge = catalogue == .large
        let world = try StormWorld(plan, station, catalogue)
        try await world.prepare(self)
        let run = try await world.run(.flash, faults: false, seed: 1)
        guard run.code == 0 else { throw NotMade(text: run.errors) }
        made[key] = world
        return world
    }
}
