import Bluetooth
import DFU
import ScriptBundle
import Support

/// One family of units: who they are, and how they are provisioned. A folder in `Families` holds the value and what it is made of;
/// nothing else knows a family's name.
public struct Family: Sendable {
    public let id: FamilyID
    /// `nil` for an advertisement that is not one of its units'.
    public let recognise: @Sendable (Advertisement) -> UnitMode?
    /// `nil` for units that are found and named, and never written to.
    public let provisioning: ProvisioningRules?
    /// How one unit is written to once it is said where it answers over a network; `nil` for a family without.
    public let network: NetworkProvisioning?

    public init(
        id: FamilyID, recognise: @escaping @Sendable (Advertisement) -> UnitMode?, provisioning: ProvisioningRules? = nil,
        network: NetworkProvisioning? = nil
    ) {
        self.id = id
        self.recognise = recognise
        self.provisioning = provisioning
        self.network = network
    }

    /// The same for the one unit at a place; unchanged where the family knows none.
    public func reached(at place: @escaping NetworkPlace) -> Family {
        guard let network else { return self }
        return Family(id: id, recognise: recognise, provisioning: network.rules(place), network: network)
    }

    /// None for a family whose units are never written to.
    public var components: [Component] { provisioning?.components ?? [] }
    public var bootloader: BootloaderRules? { provisioning?.bootloader }
}

/// Where a unit answers over a network, such as `http://192.168.1.20`; asked whenever it is reached.
public typealias NetworkPlace = @Sendable () throws -> String

/// How a unit that takes what it gets over a network is brought up to date and verified. Many may have the same name there: each unit is
/// written to only once it is said where it answers.
public struct NetworkProvisioning: Sendable {
    /// Where a unit that is the only one answers.
    public let usualPlace: String
    let rules: @Sendable (@escaping NetworkPlace) -> ProvisioningRules

    public init(usualPlace: String, rules: @escaping @Sendable (@escaping NetworkPlace) -> ProvisioningRules) {
        (self.usualPlace, self.rules) = (usualPlace, rules)
    }
}

/// How a family's units are brought up to date and verified.
public struct ProvisioningRules: Sendable {
    /// In the order in which they are brought up to date.
    public let components: [Component]
    /// `nil` for units that have no bootloader which takes firmware over the air.
    public let bootloader: BootloaderRules?
    /// `nil` for units without a program made of scripts.
    public let scripts: ScriptFamily?
    /// What the application asks of a link before it takes a write.
    public let security: LinkSecurity
    /// Throws for a unit that looked like one of the family's on the air, and has the attributes of another's.
    let refuse: @Sendable (any Connection) throws -> Void
    /// `nil` for a family whose units make no bonds.
    public let bondProof: BondProof?
    /// Brings a unit to where it answers, over a link that the caller owns.
    public let open: @Sendable (any Connection, SessionClock, RestoreGuard) async throws -> any UnitConsole
    /// Restarts the unit without its program, whatever that does; `nil` where a unit cannot. The link is gone afterwards.
    public let restartWithoutProgram: (@Sendable (any Connection, SessionClock, RestoreGuard) async throws -> Void)?
    /// Another firmware may have another file system, and then erases all files.
    public let firmwareErasesFiles: Bool
    /// Opens and checks firmware that is one file without a package: its bytes, and the version that the unit will report, if the operator
    /// gave it. `nil` for a family whose firmware comes in packages.
    public let bareFirmware: (@Sendable ([UInt8], String?) throws -> any ComponentAsset)?
    /// Puts right what an earlier job may have left, before the unit's program is started.
    public let tidyUp: @Sendable (UnitLease, JobState) async throws -> Void

    public init(
        components: [Component], bootloader: BootloaderRules? = nil, scripts: ScriptFamily? = nil, security: LinkSecurity = .open,
        refuse: @escaping @Sendable (any Connection) throws -> Void = { _ in },
        bondProof: BondProof? = nil,
        open: @escaping @Sendable (any Connection, SessionClock, RestoreGuard) async throws -> any UnitConsole,
        restartWithoutProgram: (@Sendable (any Connection, SessionClock, RestoreGuard) async throws -> Void)? = nil,
        firmwareErasesFiles: Bool = false,
        bareFirmware: (@Sendable ([UInt8], String?) throws -> any ComponentAsset)? = nil,
        tidyUp: @escaping @Sendable (UnitLease, JobState) async throws -> Void = { _, _ in }
    ) {
        self.components = components
        self.bootloader = bootloader
        self.scripts = scripts
        self.security = security
        self.refuse = refuse
        self.bondProof = bondProof
        self.open = open
        self.restartWithoutProgram = restartWithoutProgram
        self.firmwareErasesFiles = firmwareErasesFiles
        self.bareFirmware = bareFirmware
        self.tidyUp = tidyUp
    }

    /// Connects to a unit's application. One that turns out to be of another family is left before anything is asked of it.
    public func connect(to address: DeviceAddress, over central: any Central, deadline: SessionClock.Instant) async throws -> any Connection
    {
        let connection = try await central.connect(to: address, security: security, deadline: deadline)
        do {
            try refuse(connection)
        } catch {
            await connection.disconnect()
            throw error
        }
        return connection
    }
}

/// What shows that a unit takes this host's bond.
public struct BondProof: Sendable {
    /// Takes writes over an encrypted link alone.
    let characteristic: AttributeID
    /// Changes nothing on a unit.
    let value: [UInt8]
    /// How long a unit may not be written to after it was paired.
    let settling: Duration

    private static let timeout = Duration.seconds(5)

    public init(characteristic: AttributeID, value: [UInt8], settling: Duration) {
        self.characteristic = characteristic
        self.value = value
        self.settling = settling
    }

    /// - Throws: ``LinkError``, when the unit does not take it.
    public func show(over connection: any Connection, clock: SessionClock) async throws {
        if connection.isNewlyBonded { try await clock.sleep(until: clock.deadline(in: settling)) }
        try await connection.write(value, to: characteristic, deadline: clock.deadline(in: Self.timeout))
    }
}

/// The families that a tool knows.
public struct FamilyList: Sendable {
    public let all: [Family]
    /// Those whose units may be written to.
    public let provisioned: [Family]
    /// What is never written to is told apart first.
    private let inRecognition: [Family]

    public init(_ all: [Family]) {
        self.all = all
        provisioned = all.filter { $0.provisioning != nil }
        inRecognition = all.filter { $0.provisioning == nil } + provisioned
    }

    public subscript(_ id: FamilyID) -> Family? { all.first { $0.id == id } }

    public var scripts: [ScriptFamily] { all.compactMap { $0.provisioning?.scripts } }

    /// What units of these families hold, in the order in which it is brought up to date.
    public var components: [Component] { Set(all.flatMap(\.components)).sorted() }

    /// Of all families' firmware.
    public var vendorKeys: [TrustedKey] { all.compactMap { $0.bootloader?.vendorKey } }

    /// - Returns: `nil` for an advertisement of anything else.
    public func recognise(_ advertisement: Advertisement) -> DiscoveredUnit? {
        for family in inRecognition {
            guard let mode = family.recognise(advertisement) else { continue }
            return DiscoveredUnit(family.id, mode, advertisement, isSupported: family.provisioning != nil)
        }
        return nil
    }
}
