import Bluetooth
import Provisioning
import REPL

/// The seam between the verbs and the work: the commands build a request and draw what comes back.
protocol UnitRunner: Sendable {
    /// - Throws: a ``DiagnosableError`` when the run ends before there is a unit to report on.
    func flash(_ request: FlashRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> UnitReport
    /// - Throws: a ``DiagnosableError`` when the run ends before there is a unit to report on.
    func verify(_ request: VerifyRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> VerifyReport
    /// Finishes stranded units one after the other.
    func rescue(_ request: RescueRequest, events: @escaping @Sendable (RunEvent) -> Void) async throws -> RescueReport
    /// - Parameter look: gets who is in reach, at least twice a second.
    func scan(_ request: ScanRequest, look: @escaping @Sendable (ScanReport) -> Void) async throws -> ScanReport
    func examine(_ request: DoctorRequest) async -> DoctorFacts
    /// Puts a unit on the air and has `body` hold a conversation with it.
    func chat(
        _ request: ChatRequest, _ body: @escaping @Sendable (ChatEnvironment) async throws -> ChatVerdict
    ) async throws -> ChatVerdict
    /// Puts a unit on the air, brings it to its raw prompt and has `body` use it; its program starts again afterwards.
    func console(
        _ request: ConsoleRequest, _ body: @escaping @Sendable (PythonREPL) async throws -> ConsoleVerdict
    ) async throws -> ConsoleVerdict
}

struct RescueRequest: Sendable {
    var radio: RadioSelection
    var inputs: AssetInputs
    var options: FlashOptions
    var stateFolder: String
}

struct ScanRequest: Sendable {
    var adapter: String?
    var listening: Duration
    var stateFolder: String
}

struct DoctorRequest: Sendable {
    var adapter: String?
    var search: AssetSearch
    var stateFolder: String?
}

struct FlashRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var options: FlashOptions
    /// The folder of virtual units, journal and ledger; absolute, it may not exist yet.
    var stateFolder: String
}

struct VerifyRequest: Sendable {
    var unit: UnitSelection
    var inputs: AssetInputs
    var parts: Set<Part>
    /// Compare digests computed on the unit, not just versions.
    var isDeep: Bool
    var stateFolder: String
}

/// The unit a verb works on.
enum UnitSelection: Sendable, Hashable {
    case virtual(VirtualUnit)
    case radio(RadioSelection)

    /// What it is called in a report before it is found.
    var target: ReportTarget {
        switch self {
        case .virtual(let unit): ReportTarget(id: unit.name.description, family: unit.name.family.rawValue)
        case .radio: ReportTarget(id: nil, family: DeviceFamily.monocle.rawValue)
        }
    }
}

/// A unit on the air.
struct RadioSelection: Sendable, Hashable {
    var wish: UnitWish
    /// Such as `hci0`; `nil` is the first one.
    var adapter: String?
}

/// A virtual unit as `--virtual` names it, and the pace of its air.
struct VirtualUnit: Sendable, Hashable {
    var name: VirtualUnitName
    var speed: VirtualSpeed
}

/// What to flash or to compare with; without a bundle, whatever is `nil` comes from the catalogue.
struct AssetInputs: Sendable, Hashable {
    var bundle: String?
    var firmware: String?
    var fpga: String?
    /// The version that the given FPGA image shows when it runs: the image itself does not tell.
    var fpgaVersion: String?
    var scripts: String?
    /// PEM files of public keys: packages may be signed with them, beside the built-in ones, and a bundle must be.
    var trust: [String] = []
    var search: AssetSearch
    /// Development images may go to a unit that is not virtual.
    var allowsDevelopment = false
    /// Whatever is given as an FPGA image is taken for one.
    var allowsAnyFPGAImage = false
}

/// Where the catalogue may be. It is looked for only when a part has no file of its own.
struct AssetSearch: Sendable, Hashable {
    var given: String?
    var environment: [String: String]
    var currentDirectory: String
    var executable: String?

    func locate() throws(CatalogueError) -> AssetCatalogue {
        try AssetCatalogue.locate(
            given: given, environment: environment, currentDirectory: currentDirectory, executable: executable)
    }
}

/// What both reports can tell a supervisor.
protocol RunVerdict: Sendable {
    var passed: Bool { get }
}

extension UnitReport: RunVerdict {}
extension VerifyReport: RunVerdict {}
