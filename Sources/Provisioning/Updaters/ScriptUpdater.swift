import Cryptography
import REPL
import ScriptBundle
import Support

extension Component {
    public static let scripts = Component(.init(
        "scripts", order: 2, stages: [.scripts], evidence: .digest, mayBeMissing: true,
        slot: CatalogueSlot(folder: "Scripts", isByFamily: true, suffix: "", limitBytes: 1 << 20) { content in
            _ = try ScriptSet.open(content, version: nil)
            return CheckedAsset(version: nil, isDevelopment: false)
        }))
}

extension Stage {
    public static let scripts = Stage("scripts", sendsBytes: true, remains: "the unit's scripts may be incomplete")
}

extension ScriptSet: ComponentAsset {
    public static var component: Component { .scripts }

    public static func open(_ content: AssetContent, version: String?) throws -> ScriptSet {
        guard let language = content.language else { throw CatalogueError.hardwareUnknown(content.hardware) }
        return try ScriptSet(files: content.files, family: language, order: .declared, place: content.name)
    }

    /// SHA-256 of what `sha256sum` prints for the installed files, sorted by name.
    public var sha256: [UInt8] {
        let list = installed.sorted { $0.name < $1.name }.map { "\(SHA256.text(of: $0.bytes))  \($0.name)\n" }.joined()
        return SHA256.of(Array(list.utf8))
    }

    public var updater: any ComponentUpdater { ScriptUpdater(self) }
}

extension AssetSet {
    public var scripts: ScriptSet? { self[.scripts] as? ScriptSet }
}

extension UnitLease {
    /// As ``ProgramConsole/programAside(putsBack:)``, where the unit says no version of its scripts.
    func programAside(putsBack: Bool) async throws -> String? {
        guard let program = try await console() as? any ProgramConsole, try await version(of: .scripts) == nil else { return nil }
        let name = try await program.programAside(putsBack: putsBack)
        if name != nil { forget(.scripts) }
        return name
    }
}

/// Installs a set of scripts in a unit's file system.
public struct ScriptUpdater: ComponentUpdater {
    private let scripts: ScriptSet

    public init(_ scripts: ScriptSet) { self.scripts = scripts }

    public var component: Component { .scripts }
    public var version: String { scripts.version }
    public var byteCount: Int { scripts.files.reduce(0) { $0 + $1.bytes.count } }
    public func wholeUpdate(interval: Double) -> [StageEstimate] {
        [StageEstimate(.scripts, seconds: ScriptPace.typical.seconds(for: scripts.installed))]
    }

    public func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate {
        job.begin(.scripts)
        let actual = try await unit.version(of: .scripts)
        let store = try await unit.program().store(for: scripts)
        let differences = try await confirmed({ $0.allSatisfy(\.isHarmless) || actual != version }) { try await store.deepCheck() }
        try refuseShadows(among: differences)
        let isForced = job.isForced(.scripts)
        let isCurrent = actual == version && differences.allSatisfy(\.isHarmless) && !isForced
        let names = isForced ? Set(scripts.files.map(\.name)) : Set(differences.compactMap(\.outdatedFile))
        var plan = plan(isCurrent ? .current : .update, from: actual)
        if !isCurrent {
            let files = scripts.installed.filter { names.contains($0.name) }
            plan.estimates = [StageEstimate(.scripts, seconds: store.pace.seconds(for: files))]
        }
        let own = try await own(among: differences, version: actual, unit, job)
        return Planned(scripts: scripts, names: names, plan: plan, ownFiles: own)
    }

    public func ownFiles(_ unit: UnitLease, _ job: JobState) async throws -> OwnFiles {
        do {
            let differences = try await unit.program().store(for: scripts).deepCheck()
            return try await own(among: differences, version: try await unit.version(of: .scripts), unit, job)
        } catch REPLError.lacking {
            // Firmware that cannot read files keeps none either.
            return OwnFiles()
        }
    }

    /// The version line of another release proves little: an owner edits below it. So its files are read where they are to be kept.
    private func own(
        among differences: [ScriptDifference], version: String?, _ unit: UnitLease, _ job: JobState
    ) async throws -> OwnFiles {
        var own = OwnFiles(among: differences, version: version, of: scripts)
        let changed = OwnFiles.changed(among: differences)
        if job.options.keeping != nil, own.replaced.isEmpty, !changed.isEmpty, let version,
            try await !unit.program().files.holdsRelease(version, of: scripts.family, besides: Set(own.others)) {
            own.replaced = changed
        }
        return own
    }

    /// A person's files where no scripts are at hand to compare with: those of a release are told by the version that they state.
    static func strangers(_ unit: UnitLease) async throws -> [String] {
        let names = try await unit.program().fileNames().sorted()
        guard let suffix = unit.locator.rules.scripts?.suffix, try await unit.version(of: .scripts) != nil else { return names }
        return names.filter { !$0.hasSuffix(suffix) && !$0.hasSuffix(ScriptSet.copySuffix) }
    }

    public func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding {
        let actual = try await unit.version(of: .scripts)
        let differences = isDeep ? try await unit.program().store(for: scripts).deepCheck() : []
        var finding = VerifyReport.Finding(
            expected: version, actual: actual, differences: differences.filter { !$0.isHarmless }.map(\.description))
        finding.extras = differences.filter(\.isHarmless).map(\.description)
        finding.shadows = differences.compactMap(\.shadow)
        return finding
    }

    private struct Planned: PlannedUpdate {
        let scripts: ScriptSet
        let names: Set<String>
        let plan: ComponentPlan
        let ownFiles: OwnFiles
        var erases: Bool { false }

        func foresee(_ unit: UnitLease, isAfterFirmware: Bool) async throws {
            try await unit.program().store(for: scripts).check(names, isAfterFirmware: isAfterFirmware)
        }

        func apply(_ unit: UnitLease, _ job: JobState) async throws {
            job.begin(.scripts)
            job.start(.scripts, from: plan.from)
            unit.restoreGuard.beginChanging(.scripts)
            unit.forget(.scripts)
            let byteCount = try await unit.program().store(for: scripts).install(names) { event in
                switch event {
                case .uploading(let done, let total): job.progress(done, of: total)
                case .notice(let text): job.notice(text)
                }
            }
            unit.restoreGuard.endChanging(.scripts)
            job.updated(.scripts, to: scripts.version, byteCount: byteCount)
        }
    }

    /// What would be loaded instead of the set must be removed by a person.
    private func refuseShadows(among differences: [ScriptDifference]) throws {
        let shadows = differences.compactMap(\.shadow)
        guard shadows.isEmpty else { throw ScriptError.shadowed(shadows) }
    }
}

extension ScriptDifference {
    /// Files that nothing loads are harmless: people keep their own on a unit.
    var isHarmless: Bool { if case .extra = self { true } else { false } }

    /// The name of what must go before the scripts can be verified.
    fileprivate var shadow: String? { if case .shadow(let name) = self { name } else { nil } }

    /// The file in the set that must be written.
    fileprivate var outdatedFile: String? {
        switch self {
        case .missing(let name), .differs(let name, _, _): name
        case .extra, .shadow: nil
        }
    }
}
