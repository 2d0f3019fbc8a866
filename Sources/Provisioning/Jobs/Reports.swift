import Bluetooth
import Support

/// What a unit said of itself.
public struct UnitIdentity: Sendable, Equatable {
    public var address: DeviceAddress
    /// Untrusted text.
    public var name: String
    public var versions: [Component: String]
    /// What its family has to say of it besides.
    public var facts: [UnitFact]

    public init(address: DeviceAddress, name: String, versions: [Component: String] = [:], facts: [UnitFact] = []) {
        (self.address, self.name, self.versions, self.facts) = (address, name, versions, facts)
    }

    /// 0…100; `nil` for a unit that says none.
    public var batteryPercent: Int? { facts.first { $0.name == UnitFact.battery }?.value }
}

/// A figure that a unit gives of itself.
public struct UnitFact: Sendable, Hashable {
    public static let battery = "battery_percent"

    /// As documents have it.
    public let name: String
    public let value: Int
    /// For a person; printable.
    public let words: String

    public init(_ name: String, _ value: Int, words: String) { (self.name, self.value, self.words) = (name, value, words) }

    public static func battery(percent: Int) -> UnitFact { UnitFact(battery, percent, words: "battery \(percent) %") }
}

public struct StepReport: Sendable, Equatable {
    public enum Action: String, Sendable, Codable, CaseIterable { case updated, current, skipped, failed, planned }

    public var component: Component
    public var action: Action
    public var from: String?
    public var to: String?
    /// Bytes of the image, not of the air.
    public var bytes: Int
    public var seconds: Double

    public init(component: Component, action: Action, from: String?, to: String?, bytes: Int = 0, seconds: Double = 0) {
        self.component = component
        self.action = action
        self.from = from
        self.to = to
        self.bytes = bytes
        self.seconds = seconds
    }

    /// `nil` for what was not verified.
    public var evidence: Evidence? {
        switch action {
        case .updated, .current: component.evidence
        case .skipped, .failed, .planned: nil
        }
    }
}

/// The verdict on one unit after `flash`.
public struct UnitReport: Sendable {
    public var identity: UnitIdentity
    public var family: FamilyID
    public var steps: [StepReport]
    /// What was going to be done; `nil` when the unit was not asked.
    public var plan: Plan?
    /// How the unit's program has shown that it lives; `nil` where that was not asked for, or did not come.
    public var program: ProgramVerification?
    /// What had to be done to the unit on the way, in order.
    public var recoveries: [Recovery]
    /// `nil` when the unit is proved.
    public var error: Diagnosis?
    public var passed: Bool { error == nil }

    public init(
        identity: UnitIdentity, family: FamilyID, steps: [StepReport], plan: Plan? = nil, program: ProgramVerification? = nil,
        recoveries: [Recovery] = [],
        error: Diagnosis?
    ) {
        self.identity = identity
        self.family = family
        self.steps = steps
        self.plan = plan
        self.program = program
        self.recoveries = recoveries
        self.error = error
    }
}

/// The verdict on one unit after `verify`.
public struct VerifyReport: Sendable {
    public struct Finding: Sendable, Equatable {
        public var expected: String
        public var actual: String?
        public var matches: Bool
        /// With `--deep`: what differs, such as `page 17 of the FPGA flash` or `main.py: 1 byte differs`.
        public var differences: [String]
        /// One of ``differences`` that says why the unit tells no version, and proves nothing of what it holds.
        public var silence: String?
        /// With `--deep`: files and folders that do no harm, such as `notes.txt is not part of the set`.
        public var extras: [String] = []
        /// With `--deep`: names of files and folders that have to be removed before anything can be repaired.
        public var shadows: [String] = []

        public init(expected: String, actual: String?, differences: [String] = []) {
            self.expected = expected
            self.actual = actual
            matches = expected == actual && differences.isEmpty
            self.differences = differences
        }
    }

    public var identity: UnitIdentity
    public var family: FamilyID
    /// Components that were not asked for are absent.
    public var findings: [Component: Finding]
    /// With `--deep`: how the unit's program has shown that it lives.
    public var program: ProgramVerification?
    /// What had to be done to the unit on the way, in order.
    public var recoveries: [Recovery] = []
    public var error: Diagnosis?
    /// No findings are no verdict.
    public var passed: Bool { error == nil && !findings.isEmpty && findings.values.allSatisfy(\.matches) }

    public init(identity: UnitIdentity, family: FamilyID, findings: [Component: Finding], error: Diagnosis?) {
        self.identity = identity
        self.family = family
        self.findings = findings
        self.error = error
    }
}
