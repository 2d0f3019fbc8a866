import Bluetooth
import ScriptBundle
import Support

/// A unit's application, which answers questions. What answers belongs to one task.
public protocol UnitConsole: Sendable {
    /// The version of what the unit holds, as it says itself; untrusted, but printable. `nil` while it has none, or none that answers.
    func version(of component: Component) async throws -> String?
    /// What the unit says of itself besides; a battery's charge is asked for before anything is erased.
    func facts() async throws -> [UnitFact]
    /// Restarts the unit and waits until the link is gone.
    func reboot(into mode: UnitMode) async throws
    /// Gets back to where the unit answers, over the same link.
    /// - Parameter isFresh: with a new interpreter, which gives back the heap.
    func recover(isFresh: Bool) async throws
    /// Ends the console and leaves the link to the caller.
    func detach() async -> any Connection
    /// Ends the link.
    func close() async
}

/// A console of a unit that runs a program made of scripts.
public protocol ProgramConsole: UnitConsole {
    /// Everything in the unit's file system, printable.
    func fileNames() async throws -> [String]
    /// The program that a restart without it has left under another name, since it was cut short.
    /// - Parameter putsBack: it gets its own name again.
    /// - Returns: the other name; `nil` where there is no such program.
    func programAside(putsBack: Bool) async throws -> String?
    /// The unit's scripts, as a place to install to.
    func store(for scripts: ScriptSet) -> any ScriptStore
    func startProgram() async throws
    /// What the program has printed already; the rest comes over the link.
    func takePrinted() -> [UInt8]
    /// Starts the program, waits until it has shown that it lives, and looks at the scripts again. Leaves it running.
    /// - Parameter watching: how long it has to run without an error once it is ready.
    /// - Throws: ``ProvisioningError/programChanges(_:)`` and the family's own findings.
    func verifyProgram(of scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification
    /// On the way out of a job that ends early: a unit that was only looked at goes on with its program.
    func restoreProgram() async
}

extension ProgramConsole {
    /// Where all of it comes over the link.
    public func takePrinted() -> [UInt8] { [] }

    /// A family whose firmware leaves files alone need not tell them.
    public func fileNames() async throws -> [String] { [] }

    /// Nor what restarts without touching the program.
    public func programAside(putsBack: Bool) async throws -> String? { nil }
}

/// Where a unit keeps its scripts.
public protocol ScriptStore: Sendable {
    /// What differs on the unit, by digests computed there; empty when it holds the set and nothing else.
    func deepCheck() async throws -> [ScriptDifference]
    /// Throws what ``install(_:report:)`` of the named files would end with before it changes anything: missing room, files too long.
    /// - Parameter isAfterFirmware: the unit gets another firmware first, which may erase its files.
    func check(_ names: Set<String>, isAfterFirmware: Bool) async throws
    /// By what was seen of the link.
    var pace: ScriptPace { get }
    /// Replaces the named files and proves all of them.
    /// - Returns: bytes of files that travelled.
    func install(_ names: Set<String>, report: @Sendable (ScriptEvent) -> Void) async throws -> Int
}

/// How a unit's program has shown that it lives.
public struct ProgramVerification: Sendable, Equatable {
    public enum Sign: String, Sendable, Codable, CaseIterable {
        /// It says so itself over the app's service.
        case announced
        /// It never says so: no error came, the console fell quiet, and the program that runs is of the right version.
        case silent
    }

    public var sign: Sign
    /// Whole seconds from its start that were seen without an error or an end.
    public var seconds: Int

    public init(_ sign: Sign, seconds: Int) { (self.sign, self.seconds) = (sign, seconds) }
}
