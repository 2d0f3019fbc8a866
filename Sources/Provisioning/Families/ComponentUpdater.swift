/// Brings one component of a unit up to date.
public protocol ComponentUpdater: Sendable {
    var component: Component { get }
    /// The version that the unit must show.
    var version: String { get }
    /// The cost if the whole component must be written.
    /// - Parameter interval: between two connection events, in seconds.
    func wholeUpdate(interval: Double) -> [StageEstimate]
    /// Bytes of the image, not of the transfer.
    var byteCount: Int { get }

    /// Whether a unit that is found in its bootloader is brought back by ``transfer(_:_:)``.
    var leavesBootloader: Bool { get }

    /// Throws where the unit holds something newer, or something whose age cannot be told.
    func checkAge(on unit: UnitIdentity) throws
    /// Asks the unit what it holds. Changes nothing.
    func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate
    /// Finds files that a person has put in this component's place. Changes nothing.
    func ownFiles(_ unit: UnitLease, _ job: JobState) async throws -> OwnFiles
    /// Sends the component to a unit that is in its bootloader, and waits for its application.
    func transfer(_ unit: UnitLease, _ job: JobState) async throws
    /// Compares what the unit reports with what is wanted; with `isDeep` every byte, by digests computed on the unit.
    func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding
}

extension ComponentUpdater {
    public var leavesBootloader: Bool { false }
    public func checkAge(on unit: UnitIdentity) throws {}
    public func transfer(_ unit: UnitLease, _ job: JobState) async throws { throw ProvisioningError.inBootloader }
    public func ownFiles(_ unit: UnitLease, _ job: JobState) async throws -> OwnFiles { OwnFiles() }

    /// A current component costs nothing; any other may have to be written whole.
    /// - Parameter interval: between two connection events, in seconds: the default is what units ask for.
    func plan(_ action: ComponentPlan.Action, from actual: String?, interval: Double = 0.015) -> ComponentPlan {
        ComponentPlan(
            component: component, action: action, from: actual, to: version, byteCount: byteCount,
            estimates: action == .current ? [] : wholeUpdate(interval: interval))
    }
}

extension [any ComponentUpdater] {
    /// That a unit must show.
    var versions: [Component: String] { Dictionary(map { ($0.component, $0.version) }) { $1 } }
}

/// An update with the results of its inspection, so that nothing is asked twice.
public protocol PlannedUpdate: Sendable {
    var plan: ComponentPlan { get }
    /// Whether something on the unit is erased before the replacement is there: its battery and age then matter.
    var erases: Bool { get }
    /// See ``ComponentUpdater/ownFiles(_:_:)``.
    var ownFiles: OwnFiles { get }
    /// Throws the error with which ``apply(_:_:)`` would end before it changes anything.
    /// - Parameter isAfterFirmware: the unit gets new firmware first.
    func foresee(_ unit: UnitLease, isAfterFirmware: Bool) async throws
    func apply(_ unit: UnitLease, _ job: JobState) async throws
}

extension PlannedUpdate {
    public var ownFiles: OwnFiles { OwnFiles() }
    public func foresee(_ unit: UnitLease, isAfterFirmware: Bool) async throws {}
}

/// An update that must be inspected again after new firmware.
struct UpdateAfterFirmware: PlannedUpdate {
    let updater: any ComponentUpdater
    let ownFiles: OwnFiles
    let interval: Double
    /// The checks before an erase.
    let preflight: @Sendable () async throws -> Void

    var plan: ComponentPlan { updater.plan(.afterFirmware, from: nil, interval: interval) }

    /// It erases nothing itself; the update it becomes may.
    var erases: Bool { false }

    func apply(_ unit: UnitLease, _ job: JobState) async throws {
        let planned = try await updater.inspect(unit, job)
        job.refine(planned.plan)
        guard planned.plan.action == .update else {
            return job.current(planned.plan.component, version: planned.plan.to, byteCount: planned.plan.byteCount)
        }
        if planned.erases { try await preflight() }
        try await planned.apply(unit, job)
    }
}
