/// What a job may do to a unit.
public struct JobOptions: Sendable {
    /// `nil` for all that the unit has.
    public var components: Set<Component>?
    /// Write components that are current already, and believe nothing that the unit's program may have replaced: where the family can,
    /// the unit is asked without it.
    public var force = false
    /// Probe and plan, change nothing.
    public var dryRun = false
    /// Accept a firmware older than the unit's (the bootloader itself refuses one).
    public var allowDowngrade = false
    /// Below this charge in percent nothing is erased.
    public var minimumBattery = 20
    /// How long a unit's program has to run without an error once it is ready.
    public var programWatch = Self.defaultProgramWatch
    /// The program is proved: without it, a program that never says that it is ready, or prints for ever, is started and not judged.
    public var provesProgram = true
    public static let defaultProgramWatch = Duration.seconds(2)
    /// Awaited when the plan is known, before any of it is done; what it throws ends the job with the unit as it is. `nil` for a unit
    /// in its bootloader, which cannot be asked what it holds.
    public var beforeChange: @Sendable (Plan?) async throws -> Void = { _ in }
    /// Keeps what is an owner's before it goes; `nil` keeps nothing.
    public var keeping: FileKeeping?
    /// What was kept is put back before the unit is verified.
    public var putsBack = false
    /// What a component took in the station's last runs, as a multiple of what was estimated.
    public var corrections: [Component: Double] = [:]
    /// Asked right before each erase; what it throws ends the job with the unit as it is.
    public var beforeErase: @Sendable () async throws -> Void = {}

    public init() {}
}
