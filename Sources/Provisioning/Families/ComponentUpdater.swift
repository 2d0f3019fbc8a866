/// Brings one component of a unit to what is wanted.
public protocol ComponentUpdater: Sendable {
    var component: Component { get }
    /// The version that the unit shall show.
    var version: String { get }
    /// What the work will cost if the whole component has to be written.
    var wholeUpdate: [StageEstimate] { get }
    /// Bytes of the image, not of the air.
    var byteCount: Int { get }

    /// Throws where the unit holds something newer, or something whose age cannot be told.
    func checkAge(on unit: UnitIdentity) throws
    /// Asks the unit what it holds. Changes nothing.
    func inspect(_ unit: UnitLease, _ job: JobState) async throws -> any PlannedUpdate
    /// What a person has put on the unit where this component is. Changes nothing.
    func ownFiles(_ unit: UnitLease) async throws -> OwnFiles
    /// Holds what the unit says against what is wanted; with `isDeep` every byte by digests computed on the unit.
    func verify(_ unit: UnitLease, isDeep: Bool) async throws -> VerifyReport.Finding
}

extension ComponentUpdater {
    public func checkAge(on unit: UnitIdentity) throws {}
    public func ownFiles(_ unit: UnitLease) async throws -> OwnFiles { OwnFiles() }

    /// What is current costs nothing; everything else may have to be written whole.
    func plan(_ action: ComponentPlan.Action, from actual: String?) -> ComponentPlan {
        ComponentPlan(
            component: component, action: action, from: actual, to: version, byteCount: byteCount,
            estimates: action == .current ? [] : wholeUpdate)
    }
}

/// An update with all that its inspection has learned, so that nothing is asked twice.
public protocol PlannedUpdate: Sendable {
    var plan: ComponentPlan { get }
    /// Whether something of the unit is erased before the new is there: its battery and age count then.
    var erases: Bool { get }
    /// As ``ComponentUpdater/ownFiles(_:)``.
    var ownFiles: OwnFiles { get }
    /// Throws what ``apply(_:_:)`` would end with before it changes anything.
    /// - Parameter isAfterFirmware: the unit gets another firmware first.
    func foresee(_ unit: UnitLease, isAfterFirmware: Bool) async throws
    func apply(_ unit: UnitLease, _ job: JobState) async throws
}

extension PlannedUpdate {
    public var ownFiles: OwnFiles { OwnFiles() }
    public func foresee(_ unit: UnitLease, isAfterFirmware: Bool) async throws {}
}

/// A component of a unit that has to be asked again when its firmware is another.
struct UpdateAfterFirmware: PlannedUpdate {
    let updater: any ComponentUpdater
    let ownFiles: OwnFiles
    /// The checks before something is erased.
    let preflight: @Sendable () async throws -> Void

    var plan: ComponentPlan { updater.plan(.afterFirmware, from: nil) }

    /// Not by itself: what it turns out to be may.
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
