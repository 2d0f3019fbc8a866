import Bluetooth
import ScriptBundle
import Support

/// A unit's application, which answers questions. One task uses it.
public protocol UnitConsole: Sendable {
    /// The component's version as the unit reports it; untrusted but printable. `nil` if it has none, or does not answer.
    func version(of component: Component) async throws -> String?
    /// Other facts that the unit reports; the battery's charge is needed before an erase.
    func facts() async throws -> [UnitFact]
    /// Of one question and its answer: two connection intervals. `nil` if none was timed.
    var roundTrip: Duration? { get }
    /// Restarts the unit and waits until the link is gone.
    func reboot(into mode: UnitMode) async throws
    /// Makes the unit answer again, over the same link.
    /// - Parameter isFresh: with a new interpreter, which frees the heap.
    func recover(isFresh: Bool) async throws
    /// Ends the console and leaves the link to the caller.
    func detach() async -> any Connection
    func close() async
}

extension UnitConsole {
    /// Optional for a unit whose updates do not depend on it.
    public var roundTrip: Duration? { nil }
}

/// The first answer that is wanted or comes twice in a row, or the last of four: one may have been damaged on its way.
/// - Parameter again: before it is asked once more, for questions that depend on code which the unit has got before.
public func confirmed<Answer: Equatable>(
    _ isWanted: (Answer) -> Bool, again: () async throws -> Void = {}, _ ask: () async throws -> Answer
) async throws -> Answer {
    var answer = try await ask()
    for _ in 1..<4 where !isWanted(answer) {
        let before = answer
        try await again()
        answer = try await ask()
        if answer == before { break }
    }
    return answer
}

/// A console of a unit that runs a program made of scripts.
public protocol ProgramConsole: UnitConsole {
    /// Everything in the unit's file system, printable.
    func fileNames() async throws -> [String]
    /// The program that an interrupted restart without it has left under another name.
    /// - Parameter putsBack: restores its name.
    /// - Returns: the other name; `nil` if there is no such program.
    func programAside(putsBack: Bool) async throws -> String?
    /// The unit's file system, for its owner.
    var files: any UnitFiles { get }
    /// The unit's storage for scripts.
    func store(for scripts: ScriptSet) -> any ScriptStore
    func startProgram() async throws
    /// What the program has printed already; the rest comes over the link.
    func takePrinted() -> [UInt8]
    /// Starts the program, waits until it has shown that it works, and checks the scripts again. Leaves it running.
    /// - Parameter watching: how long it must run without an error once it is ready.
    /// - Throws: ``ProvisioningError/programChanges(_:)`` and the family's own findings.
    func verifyProgram(of scripts: ScriptSet, watching: Duration) async throws -> ProgramVerification
    /// When a job ends early: starts the program again on a unit that was only inspected.
    func restoreProgram() async
}

extension ProgramConsole {
    /// For a family whose output all comes over the link.
    public func takePrinted() -> [UInt8] { [] }

    /// Optional for a family whose firmware keeps files.
    public func fileNames() async throws -> [String] { [] }

    /// Optional for a family that restarts without touching the program.
    public func programAside(putsBack: Bool) async throws -> String? { nil }
}

public protocol ScriptStore: Sendable {
    /// Differences on the unit, by digests computed there; empty if it holds exactly the set.
    func deepCheck() async throws -> [ScriptDifference]
    /// Throws the error with which ``install(_:report:)`` would end before it changes anything: missing space, files too long.
    /// - Parameter isAfterFirmware: the unit gets new firmware first, which may erase its files.
    func check(_ names: Set<String>, isAfterFirmware: Bool) async throws
    /// From the link's measured speed.
    var pace: ScriptPace { get }
    /// Replaces the named files and verifies all files.
    /// - Returns: bytes of files sent.
    func install(_ names: Set<String>, report: @Sendable (ScriptEvent) -> Void) async throws -> Int
}

/// How a unit's program has shown that it works.
public struct ProgramVerification: Sendable, Equatable {
    public enum Sign: String, Sendable, Codable, CaseIterable {
        /// It said so over the app's service.
        case announced
        /// It never says so: there was no error, the console fell quiet, and the running program has the right version.
        case silent
    }

    public var sign: Sign
    /// Whole seconds from its start without an error or an end.
    public var seconds: Int

    public init(_ sign: Sign, seconds: Int) { (self.sign, self.seconds) = (sign, seconds) }
}
