import Bluetooth
import DFU
import ScriptBundle
import Support

/// A family of units: how they are recognised and provisioned. A folder in `Families` holds the value and its parts; no other
/// code knows a family's name.
public struct Family: Sendable {
    public let id: FamilyID
    /// `nil` for an advertisement of any other device.
    public let recognise: @Sendable (Advertisement) -> UnitMode?
    /// `nil` for units that are found and named but never written to.
    public let provisioning: ProvisioningRules?
    /// How one unit is written to once its address on a network is known; `nil` for a family without.
    public let network: NetworkProvisioning?
    /// `nil` for a family whose units are away for the usual reasons.
    public let absence: Absence?
    /// How units that are never written to over the air get their firmware, in an operator's words; `nil` if unknown.
    public let insteadOfFlash: String?

    public init(
        id: FamilyID, recognise: @escaping @Sendable (Advertisement) -> UnitMode?, provisioning: ProvisioningRules? = nil,
        network: NetworkProvisioning? = nil, absence: Absence? = nil, insteadOfFlash: String? = nil
    ) {
        self.id = id
        self.recognise = recognise
        self.provisioning = provisioning
        self.network = network
        self.absence = absence
        self.insteadOfFlash = insteadOfFlash
    }

    /// The same for the one unit at a place; unchanged where the family knows none.
    public func reached(at place: @escaping NetworkPlace) -> Family {
        guard let network else { return self }
        return Family(
            id: id, recognise: recognise, provisioning: network.rules(place), network: network, absence: absence,
            insteadOfFlash: insteadOfFlash)
    }

    /// Empty for a family whose units are never written to.
    public var components: [Component] { provisioning?.components ?? [] }
    public var bootloader: BootloaderRules? { provisioning?.bootloader }
}

/// Why a unit is usually not found, and what helps.
public struct Absence: Sendable {
    let cause: String
    let remedy: String

    public init(cause: String, remedy: String) { (self.cause, self.remedy) = (cause, remedy) }
}

/// Where a unit answers over a network, such as `http://192.168.1.20`; asked whenever it is reached.
public typealias NetworkPlace = @Sendable () throws -> String

/// How a unit that takes what it gets over a network is brought up to date and verified. Many may have the same name there: each unit is
/// written to only once it is said where it answers.
public struct NetworkProvisioning: Sendable {
    /// Where a unit that is the only one answers.
    public let usualPlace: String
    /// Whether a text can be such a place.
    public let isPlace: @Sendable (String) -> Bool
    let rules: @Sendable (@escaping NetworkPlace) -> ProvisioningRules

    public init(
        usualPlace: String, isPlace: @escaping @Sendable (String) -> Bool,
        rules: @escaping @Sendable (@escaping NetworkPlace) -> ProvisioningRules
    ) {
        (self.usualPlace, self.isPlace, self.rules) = (usualPlace, isPlace, rules)
    }
}

/// How a family's units are brought up to date and verified.
public struct ProvisioningRules: Sendable {
    /// In update order.
    public let components: [Component]
    /// `nil` without a bootloader that accepts firmware over the air.
    public let bootloader: BootloaderRules?
    /// `nil` without a program made of scripts.
    public let scripts: ScriptFamily?
    /// What the application requires of a link before it accepts writes.
    public let security: LinkSecurity
    /// Throws for a unit that advertises like this family but has another's attributes.
    let refuse: @Sendable (any Connection) throws -> Void
    /// `nil` for a family whose units do not bond.
    public let bondProof: BondProof?
    /// Brings a unit to where it answers, over a link that the caller owns.
    public let open: @Sendable (any Connection, SessionClock, RestoreGuard) async throws -> any UnitConsole
    /// Restarts the unit without its program, whatever that does; `nil` if the family cannot. The link is lost afterwards.
    public let restartWithoutProgram: (@Sendable (any Connection, SessionClock, RestoreGuard) async throws -> Void)?
    /// New firmware may have a different file system, which erases all files.
    public let firmwareErasesFiles: Bool
    /// Repairs what an earlier job may have left, before the unit's program is started.
    public let tidyUp: @Sendable (UnitLease, JobState) async throws -> Void

    public init(
        components: [Component], bootloader: BootloaderRules? = nil, scripts: ScriptFamily? = nil, security: LinkSecurity = .open,
        refuse: @escaping @Sendable (any Connection) throws -> Void = { _ in },
        bondProof: BondProof? = nil,
        open: @escaping @Sendable (any Connection, SessionClock, RestoreGuard) async throws -> any UnitConsole,
        restartWithoutProgram: (@Sendable (any Connection, SessionClock, RestoreGuard) async throws -> Void)? = nil,
        firmwareErasesFiles: Bool = false,
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
        self.tidyUp = tidyUp
    }

    /// Connects to a unit's application. If the unit turns out to belong to another family, the link ends before anything is
    /// asked.
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

/// A write that proves that a unit accepts this host's bond.
public struct BondProof: Sendable {
    /// Accepts writes only over an encrypted link.
    let characteristic: AttributeID
    /// Changes nothing on a unit.
    let value: [UInt8]
    /// How long after pairing a unit must not be written to.
    let settling: Duration

    private static let timeout = Duration.seconds(5)

    public init(characteristic: AttributeID, value: [UInt8], settling: Duration) {
        self.characteristic = characteristic
        self.value = value
        self.settling = settling
    }

    /// - Throws: ``LinkError`` if the unit does not accept it.
    public func show(over connection: any Connection, clock: SessionClock) async throws {
        if connection.isNewlyBonded { try await clock.sleep(until: clock.deadline(in: settling)) }
        try await connection.write(value, to: characteristic, deadline: clock.deadline(in: Self.timeout))
    }
}

public struct FamilyList: Sendable {
    public let all: [Family]
    /// Families whose units may be written to.
    public let provisioned: [Family]
    /// Families that are never written to are recognised first.
    private let inRecognition: [Family]

    public init(_ all: [Family]) {
        self.all = all
        provisioned = all.filter { $0.provisioning != nil }
        inRecognition = all.filter { $0.provisioning == nil } + provisioned
    }

    public subscript(_ id: FamilyID) -> Family? { all.first { $0.id == id } }

    public var scripts: [ScriptFamily] { all.compactMap { $0.provisioning?.scripts } }

    /// The components of these families, in update order.
    public var components: [Component] { Set(all.flatMap(\.components)).sorted() }

    /// The keys for all families' firmware.
    public var vendorKeys: [TrustedKey] { all.compactMap { $0.bootloader?.vendorKey } }

    /// - Returns: `nil` for an advertisement of anything else.
    public func recognise(_ advertisement: Advertisement) -> DiscoveredUnit? {
        for family in inRecognition {
            guard let mode = family.recognise(advertisement) else { continue }
            return DiscoveredUnit(
                family: family.id, mode: mode, advertisedAddress: advertisement.address, name: advertisement.name ?? "",
                rssi: advertisement.rssi, isSupported: family.provisioning != nil, insteadOfFlash: family.insteadOfFlash)
        }
        return nil
    }
}

extension AssetContent {
    public init(
        files: [ScriptSet.File], name: String, family: Family, isUnchecked: Bool = false, keys: @escaping () throws -> [TrustedKey]
    ) {
        self.init(
            files: files, name: name, hardware: family.id.rawValue, target: family.bootloader?.target,
            language: family.provisioning?.scripts, isUnchecked: isUnchecked, keys: keys)
    }
}
