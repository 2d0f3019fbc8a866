import Bluetooth
import Support
import Synchronization

/// One unit, owned by one task from inspection to record. A link is made when a step needs one, and kept until the unit leaves,
/// since a new link costs seconds. What the unit has reported is kept until it restarts.
public final class UnitLease: Sendable {
    private static let bootloaderGoesTimeout = Duration.seconds(10)

    private struct State {
        var console: (any UnitConsole)?
        var versions: [Component: String?] = [:]
        var facts: [UnitFact]?
        var wasLinked = false
    }

    let locator: UnitLocator
    /// Each link begins with a restart without the unit's program, if the family can do that, and whatever ran before is not
    /// asked.
    private let leavesOutProgram: Bool
    private let wanted: [Component: String]
    /// For all links.
    public let restoreGuard = RestoreGuard()
    private let state = Mutex(State())

    /// - Parameter wanted: versions that are believed at once.
    init(_ locator: UnitLocator, leavesOutProgram: Bool = false, wanted: [Component: String] = [:]) {
        (self.locator, self.leavesOutProgram, self.wanted) = (locator, leavesOutProgram, wanted)
    }

    public var family: FamilyID { locator.family }
    private var rules: ProvisioningRules { locator.rules }
    public var address: DeviceAddress { locator.address }
    public var clock: SessionClock { locator.clock }

    /// Whether there is a link; a connected unit does not advertise.
    var hasLink: Bool { state.withLock { $0.console != nil } }

    /// Of the link in hand, in seconds; a unit that was not asked yet has the usual one.
    public var connectionInterval: Double { (state.withLock { $0.console }?.roundTrip).map { $0 / .seconds(2) } ?? 0.015 }

    /// Why a unit is not seen.
    func absence() -> ProvisioningError { state.withLock(\.wasLinked) ? .unitGone(address) : .unitNotFound(address) }

    public func console() async throws -> any UnitConsole {
        if let console = state.withLock({ $0.console }) { return console }
        if leavesOutProgram { try await restartWithoutProgram() }
        return try await open()
    }

    private func open() async throws -> any UnitConsole {
        let connection = try await locator.connect(.application)
        state.withLock { $0.wasLinked = true }
        do {
            let console = try await rules.open(connection, clock, restoreGuard)
            state.withLock { $0.console = console }
            return console
        } catch {
            await connection.disconnect()
            throw error
        }
    }

    /// - Throws: ``ProvisioningError/noConsole(_:)`` for a unit without a program.
    func program() async throws -> any ProgramConsole {
        guard let console = try await console() as? any ProgramConsole else { throw ProvisioningError.noConsole(family) }
        return console
    }

    /// - Throws: ``ProvisioningError/noConsole(_:)`` for a unit without MicroPython.
    func python() async throws -> any PythonConsole {
        guard let console = try await console() as? any PythonConsole else { throw ProvisioningError.noConsole(family) }
        return console
    }

    /// Asked between two restarts of the unit, and after ``forget(_:)``, until it is the wanted one or comes twice.
    public func version(of component: Component) async throws -> String? {
        if let known = state.withLock({ $0.versions[component] }) { return known }
        let console = try await console()
        let version = try await confirmed({ $0 == wanted[component, default: ""] }) { try await console.version(of: component) }
        state.withLock { $0.versions[component] = .some(version) }
        return version
    }

    public func identity() async throws -> UnitIdentity {
        var identity = UnitIdentity(address: address, name: family.rawValue)
        for component in rules.components { identity.versions[component] = try await version(of: component) }
        if let known = state.withLock({ $0.facts }) {
            identity.facts = known
        } else {
            let facts = try await console().facts()
            identity.facts = facts
            state.withLock { $0.facts = facts }
        }
        return identity
    }

    public func forget(_ component: Component) { state.withLock { $0.versions[component] = nil } }
    func forgetFacts() { state.withLock { $0.facts = nil } }

    private func forgetAll() { state.withLock { ($0.versions, $0.facts) = ([:], nil) } }

    /// Restarts the unit and waits until it is seen again.
    /// - Throws: ``ProvisioningError/staysInApplication``, ``ProvisioningError/doesNotReturn``.
    public func reboot(into mode: UnitMode) async throws {
        try await console().reboot(into: mode)
        forgetAll()
        await end()
        guard try await locator.find([mode]) != nil else {
            throw mode == .bootloader ? ProvisioningError.staysInApplication : .doesNotReturn
        }
    }

    /// Runs `body` on a link to the bootloader, then waits for the unit to leave it.
    func withBootloader<Value: Sendable>(_ body: (any Connection) async throws -> Value) async throws -> Value {
        forgetAll()
        return try await locator.withConnection(.bootloader) { connection in
            let value = try await body(connection)
            try? await connection.waitUntilGone(deadline: clock.deadline(in: Self.bootloaderGoesTimeout))
            return value
        }
    }

    /// The link to a unit that waits at its prompt; `nil` without one.
    public var connection: (any Connection)? { (state.withLock { $0.console } as? any PromptConsole)?.connection }

    /// - Returns: what the program has printed already.
    public func startProgram() async throws -> [UInt8] {
        let console = try await program()
        try await console.startProgram()
        return console.takePrinted()
    }

    /// Gives away the link, with the unit ready to answer and its program stopped; `nil` without one.
    public func handOver() async -> (any Connection)? {
        let console = state.withLock { state in
            defer { state.console = nil }
            return state.console
        }
        return await console?.detach()
    }

    /// Ends the link, if any: the unit resets, or is no longer needed.
    public func end() async {
        let console = state.withLock { state in
            defer { state.console = nil }
            return state.console
        }
        await console?.close()
    }

    /// Prepares the unit to be asked again. The next question reports what fails here.
    func apply(_ remedy: Remedy) async throws {
        forgetAll()
        let console = state.withLock { $0.console }
        do {
            switch (remedy, console) {
            case (.interrupt, let console?): try await console.recover(isFresh: false)
            case (.softReset, _?) where leavesOutProgram && rules.restartWithoutProgram != nil: await end()
            case (.softReset, let console?): try await console.recover(isFresh: true)
            case (.safeMode, _):
                await end()
                if !leavesOutProgram { try await restartWithoutProgram() }
            case (.reconnect, _), (_, nil): await end()
            }
        } catch {
            try Task.checkCancellation()
            await end()
        }
    }

    private func restartWithoutProgram() async throws {
        guard let restart = rules.restartWithoutProgram else { return }
        try await locator.withConnection(.application) { try await restart($0, clock, restoreGuard) }
        guard try await locator.find([.application]) != nil else { throw ProvisioningError.doesNotReturn }
    }

    /// To return from a restart, and to be reached.
    private static let returnTimeout = Duration.seconds(6)

    /// Ends early: a unit that was only inspected continues its program. If it was restarted without its program, or was being
    /// recovered without a link when cancelled, it gets a link for that.
    public func abandon() async {
        if !hasLink, restoreGuard.owesStart, restoreGuard.hasLeftOut || Task.isCancelled {
            await clock.shielded(for: Task.isCancelled ? Self.returnTimeout : UnitLocator.connectTimeout) { [self] in _ = try await open() }
        }
        await (state.withLock { $0.console } as? any ProgramConsole)?.restoreProgram()
        await end()
    }
}
