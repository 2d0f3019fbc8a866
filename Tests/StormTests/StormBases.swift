import Foundation

/// Units that hold everything already, or from which a person's files were kept, made once.
actor StormBases {
    private let station: StormStation
    private var made: [String: StormWorld] = [:]

    struct NotMade: Error { let text: String }

    init(_ station: StormStation) { self.station = station }

    /// For `Tools/storm-planted`: what follows belongs there.
    static func note(_ line: String) {
        let place = ProcessInfo.processInfo.environment["NOAFW_STORM_NOTES"]
        guard let notes = place.flatMap({ FileHandle(forUpdatingAtPath: $0) }) else { return }
        _ = try? notes.seekToEnd()
        try? notes.write(contentsOf: Data("\(line)\n".utf8))
    }

    func copy(_ unit: StormPlan.Unit, _ catalogue: StormStation.Catalogue, to world: StormWorld) async throws {
        let base = try await base(unit, catalogue, for: world)
        let manager = FileManager.default
        try manager.createDirectory(at: world.place(of: unit).deletingLastPathComponent(), withIntermediateDirectories: true)
        try manager.copyItem(at: base.place(of: base.plan.units[0]), to: world.place(of: unit))
        for part in ["virtual-bonds"] + (world.plan.verb == .restore ? ["kept"] : []) {
            let (held, copies) = (base.state.appendingPathComponent(part), world.state.appendingPathComponent(part))
            guard manager.fileExists(atPath: held.path) else { continue }
            try manager.createDirectory(at: copies, withIntermediateDirectories: true)
            for name in try manager.contentsOfDirectory(atPath: held.path) where !manager.fileExists(atPath: copies.path + "/" + name) {
                try manager.copyItem(at: held.appendingPathComponent(name), to: copies.appendingPathComponent(name))
            }
        }
    }

    private func base(_ unit: StormPlan.Unit, _ catalogue: StormStation.Catalogue, for place: StormWorld) async throws -> StormWorld {
        let keeps = place.plan.verb == .restore
        let key = "\(unit.family) \(unit.name) \(catalogue) \(keeps)"
        if let world = made[key] { return world }
        let before = StormPlan.Unit(
            family: unit.family, name: unit.name, prior: keeps ? .owned : .factory, interval: 15_000, mtu: 517, setUp: 400)
        let plan = StormPlan(seed: 1, verb: keeps ? .scripts : .flash, units: [before], catalogue: catalogue, faults: [])
        // Whoever looks at what decides in a world does not mean this.
        Self.note("base")
        defer { Self.note("world \(place.plan.seed)") }
        let world = try StormWorld(plan, station)
        try await world.prepare(self)
        let run = try await world.run(plan.verb, faults: false, seed: 1, day: -1)
        guard run.code == plan.lastCode else { throw NotMade(text: run.errors) }
        made[key] = world
        return world
    }
}
