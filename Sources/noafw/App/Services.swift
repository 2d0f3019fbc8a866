import Bluetooth
import Provisioning
import Support

/// What the verbs have done for them. The program passes ``LiveServices``, a test something else.
protocol Services: Sendable {
    typealias Events = @Sendable (RunEvent) -> Void

    /// Puts one unit on the air, or finds it there, takes it for this process, and runs `body` with it.
    /// - Throws: ``UnitSelectionError`` when no unit, or more than one, can be meant.
    func withUnit<Value: Sendable>(
        _ selection: UnitSelection, search: AssetSearch, stateFolder: String, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Value
    ) async throws -> Value

    /// Brings one unit, or many at once, to what its files say.
    /// - Throws: a ``DiagnosableError`` when the run ends before there is a unit to report on.
    func flash(_ request: FlashRequest, events: @escaping Events) async throws -> FleetReport<UnitReport>

    /// Compares one unit, or many at once, with what they should hold.
    /// - Throws: as ``flash(_:events:)``.
    func verify(_ request: VerifyRequest, events: @escaping Events) async throws -> FleetReport<ComparedReport>

    /// Flashes whatever is put before the adapter, one unit after another.
    /// - Returns: every unit that was worked on, in order.
    /// - Throws: ``LinkError`` or the radio's own when it cannot listen.
    func watch(_ request: LineRequest, events: @escaping Events) async throws -> FleetReport<UnitReport>

    /// Finishes units that are stranded in their bootloaders, one after the other: `request.fleet` names one, or is any that is known.
    func rescue(_ request: FlashRequest, events: @escaping Events) async throws -> RescueReport

    /// Listens for units.
    /// - Parameter look: gets the units in reach, at least twice a second.
    func scan(_ request: ScanRequest, look: @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport

    /// Examines this machine.
    func examine(_ request: DoctorRequest) async -> DoctorFacts

    /// Takes one unit for a whole chat: the station, the lock and the link are the same from the first question to the last.
    /// - Parameter notice: gets what the operator should know of the station.
    func withChatUnit(
        _ request: ChatRequest, notice: @escaping @Sendable (String) -> Void,
        _ body: @escaping @Sendable (any ChatUnit) async throws -> ChatVerdict
    ) async throws -> ChatVerdict

    /// Puts a unit on the air, brings it to its prompt and has `body` use it. Its program starts again afterwards.
    func console(
        _ request: ConsoleRequest, _ body: @escaping @Sendable (ConsolePrompt) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict

    /// As ``withUnit(_:search:stateFolder:events:_:)``, for a verb whose run is judged, and recorded if the request says so.
    /// - Parameter recorded: gets the record when it is opened and when it is closed; `nil` where it was taken back.
    func bench<Report: RecordedReport>(
        _ request: BenchRequest, recorded: @escaping @Sendable (RunIdentity?) -> Void, events: @escaping Events,
        _ body: @escaping @Sendable (StationUnit) async throws -> Report
    ) async throws -> Report

    /// Bonds with a unit where there is no bond, and proves that the unit takes it.
    func pair(_ request: PairRequest) async throws -> BondReport

    /// Gives up this host's side of a bond; the unit need not be in reach.
    func unpair(_ request: UnpairRequest) async throws -> BondReport
}
