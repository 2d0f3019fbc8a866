import Foundation
import LedgerServer
import Support
import Synchronization
import TestSupport
import VirtualDevices

@testable import noafw

/// A station's process with its files, its ledger, its air and its units.
final class StormWorld: Sendable {
    let plan: StormPlan
    let station: StormStation
    let folder: TemporaryFolder
    let server: StormServer?

    var catalogue: StormStation.Catalogue { plan.catalogue }
    var path: String { folder.path }
    var state: URL { URL(fileURLWithPath: folder.path("state"), isDirectory: true) }

    init(_ plan: StormPlan, _ station: StormStation) throws {
        (self.plan, self.station) = (plan, station)
        folder = try TemporaryFolder()
        server = try plan.claims.map { _ in try StormServer.shared.get() }
        try server?.clear()
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        for number in 0..<4 { try folder.write(String(repeating: "\(number)\n", count: 150), to: "lib/part\(number).txt") }
    }

    // MARK: Commands

    private var names: [String] {
        plan.units.flatMap { ["--virtual", "\($0.family):\($0.name)"] } + ["--virtual-speed", "max"]
    }

    /// When the files of the only unit were kept first.
    private var keptTime: String? {
        let times = try? FileManager.default.subpathsOfDirectory(atPath: state.appendingPathComponent("kept").path)
        return times?.filter { $0.hasSuffix("Z") }.min()?.split(separator: "/").last.map(String.init)
    }

    /// - Parameter isAgain: what the first run has done is no mistake.
    private func arguments(_ verb: StormPlan.Verb, isAgain: Bool) -> [String] {
        let shared = server.map { ["--ledger", $0.address, "--claims", (plan.claims ?? .prefer).rawValue, "--serial", "S-1"] } ?? []
        let recorded = names + ["--json"] + shared
        let reported = recorded + ["--events", folder.path("events.jsonl")]
        return switch verb {
        case .flash: ["flash"] + reported
        case .firmware, .fpga, .scripts: ["flash", "--only", verb.rawValue] + reported
        case .fleet: ["flash", "--jobs", "3", "--seed", "\(plan.seed % 1000)", "--stop-after", "0"] + reported
        case .line: ["flash", "--watch"] + reported
        case .verify: ["verify", "--deep"] + reported
        case .update: ["update", "--yes"] + reported
        case .copy: ["fs", "cp", "-r", "lib", ":"] + names
        case .remove: ["fs", "rm", "-r", ":lib"] + (isAgain ? ["--force"] : []) + names
        case .restore: ["restore"] + (keptTime.map { [$0] } ?? []) + names
        case .chat: ["chat", "--assistant", "echo", "--query", "hello"] + recorded
        case .robot: ["robot", "test"] + recorded
        case .drive: ["robot", "drive", "150", "120", "--for", "2s", "--json"] + names
        case .type: ["type", plan.text, "--json"] + names
        }
    }

    /// Runs a command in this world.
    /// - Parameters:
    ///   - faults: the plan's come.
    ///   - seed: of the order in which things happen.
    ///   - day: 0 is the first run's.
    func run(_ verb: StormPlan.Verb, faults: Bool, seed: UInt64, day: Int) async throws -> StormRun {
        let events = folder.path("events.jsonl")
        try? FileManager.default.removeItem(atPath: events)
        var plan = plan
        if !faults { plan.faults = [] }
        let (log, run) = (StormLog(), StormRunOutput())
        let times = StormTimes()
        let desk = StormDesk(plan, ledger: state.appendingPathComponent("ledger").path, log: log, day: day) { times.elapsed }
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
        services.ledger = { desk.ledger($0) }
        let damage = plan.faults.first { $0.kind == .catalogue }
        if damage != nil { log.reach(.catalogue) }
        let assets = try damage.map(damagedCatalogue) ?? station.path(catalogue)
        let context = run.context(arguments(verb, isAgain: !faults), services, folder: path, assets: assets, date: desk.step)
        let held = faults ? try busyUnits.map { try open($0).lock() } : []
        if !held.isEmpty { log.reach(.busy) }
        try server?.begin(plan.faults, units: plan.units.map(address(of:)), log: log)
        let chance = StormChance(seed: seed &+ 1)
        let task = Task { await SessionRandom.$source.withValue(.init { chance.next() }) { await Noafw.execute(in: context) } }
        // As a signal does, but for the thread on which the supervisor hears of it: its pace would decide.
        log.whenCancelled {
            guard !context.interrupts.drain.ask() else { return }
            context.stop.set(.interrupted)
            task.cancel()
        }
        let watchdog = Task {
            try await Task.sleep(for: .seconds(240))
            log.note("no end")
            task.cancel()
        }
        let code = await task.value
        watchdog.cancel()
        withExtendedLifetime(held) {}
        await desk.close()
        log.whenCancelled {}
        let told = Self.lasting((try? String(contentsOfFile: events, encoding: .utf8)) ?? "", in: path)
        for line in told.split(separator: "\n") {
            // What libpq says of a server, when a claim ends, and what there is time for after Ctrl-C follow real time.
            let code = server == nil ? nil : line.firstMatch(of: /LED-01\d\d/).map { String($0.0) }
            if code != "LED-0140" { log.note(code ?? String(line)) }
        }
        log.note("exit \(code)")
        return StormRun(
            code: code, output: run.output, errors: run.errors, log: log, elapsed: times.elapsed, sleeping: times.sleepingCount,
            strays: times.strayCount)
    }

    /// With a damaged file.
    private func damagedCatalogue(_ fault: StormFault) throws -> String {
        let copy = folder.path("catalogue")
        try FileManager.default.copyItem(atPath: station.path(catalogue), toPath: copy)
        let names = try FileManager.default.subpathsOfDirectory(atPath: copy).filter {
            !$0.hasSuffix("manifest.json") && !URL(fileURLWithPath: "\(copy)/\($0)").hasDirectoryPath
        }
        let file = URL(fileURLWithPath: "\(copy)/\(names.sorted()[fault.at % names.count])")
        var bytes = try Data(contentsOf: file)
        let place = Int(fault.rate * Double(bytes.count))
        if fault.at.isMultiple(of: 3) { bytes.removeLast(bytes.count - place) } else { bytes[place] ^= 1 }
        try bytes.write(to: file)
        return copy
    }

    private var busyUnits: [StormPlan.Unit] {
        Set(plan.faults.filter { $0.kind == .busy }.map(\.unit)).sorted().map { plan.units[$0] }
    }

    /// Events without what is of the real day, and of this folder.
    private static func lasting(_ events: String, in folder: String) -> String {
        events.replacing(folder, with: "WORLD").replacing(/"(time|seconds|run_id|started|ended)":("[^"]*"|[0-9.e+-]+|null),?/, with: "")
            .replacing(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, with: "RUN")
            .replacing(/in use: process \d+/, with: "in use: process ID")
    }
}

/// What a command did.
struct StormRun: Sendable {
    var code: Int32
    var output: String
    var errors: String
    var log: StormLog
    /// Of simulated time.
    var elapsed: Duration
    /// Sleeps that nobody ended.
    var sleeping: Int
    /// What went on because of another thread, unseen by the clock: chance does not rule it.
    var strays: Int
}

/// The clocks of a command.
private final class StormTimes: Sendable {
    private let times = Mutex<[VirtualTime]>([])

    func add(_ time: VirtualTime) { times.withLock { $0.append(time) } }
    var sleepingCount: Int { times.withLock { $0.reduce(0) { $0 + $1.sleepingCount } } }
    var elapsed: Duration { times.withLock { $0.last?.clock.now.offset } ?? .zero }
    var strayCount: Int { times.withLock { $0.reduce(0) { $0 + $1.strayCount } } }
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

    func context(
        _ arguments: [String], _ services: LiveServices, folder: String, assets: String, date: @escaping @Sendable () -> Date
    ) -> CommandContext {
        let environment = [
            "HOME": folder, "NOAFW_STATE_DIR": "\(folder)/state", "NOAFW_ASSETS": assets, "XDG_CONFIG_HOME": folder,
            "NOAFW_STATION": "storm", "NO_COLOR": "1", "NOAFW_PYTHON": TestTools.python ?? "",
        ]
        return CommandContext(
            arguments: arguments, environment: environment, currentDirectory: folder, executable: nil,
            output: TextSink(isTerminal: false, columns: { 80 }, write: { [self] text in texts.withLock { $0.0 += text } }),
            diagnostics: TextSink(isTerminal: false, columns: { 80 }, write: { [self] text in texts.withLock { $0.1 += text } }),
            clock: .continuous, interrupts: Interrupts(), services: services, date: date)
    }
}
