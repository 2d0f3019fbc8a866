import Bluetooth
import Support

/// The parts of a Monocle that are provisioned, in the order in which they are.
public enum Part: String, Sendable, CaseIterable, Codable, Comparable {
    case firmware, fpga, scripts

    public static func < (left: Part, right: Part) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// What `flash` may do to a unit.
public struct FlashOptions: Sendable {
    public var parts: Set<Part> = Set(Part.allCases)
    /// Write parts that are current already.
    public var force = false
    /// Probe and plan, change nothing.
    public var dryRun = false
    /// Accept a firmware older than the unit's (the bootloader itself refuses one).
    public var allowDowngrade = false
    /// Below this charge in percent nothing is erased.
    public var minimumBattery = 20

    public init() {}
}

/// What happens during one unit's run. The library never prints: a renderer draws these.
public enum RunEvent: Sendable {
    case stage(Stage)
    /// `overall` is 0…1 over the whole job, weighted by the expected seconds of each stage; bytes are of the current stage.
    case progress(stage: Stage, overall: Double, bytesDone: Int, bytesTotal: Int)
    /// Something the operator should know: pacing slowed down, a retry, a resumed transfer.
    case notice(String)
    case probed(UnitIdentity)
    case step(StepReport)
}

public enum Stage: String, Sendable, CaseIterable {
    case connect, probe, preflight, bootloader, firmware, restart, erase, fpga, commit, scripts, proof
}

/// What a unit said of itself.
public struct UnitIdentity: Sendable, Equatable {
    public var address: DeviceAddress
    /// Untrusted text.
    public var name: String
    public var firmware: String?
    public var fpga: String?
    public var scripts: String?
    public var batteryPercent: Int?

    public init(
        address: DeviceAddress, name: String, firmware: String? = nil, fpga: String? = nil, scripts: String? = nil,
        batteryPercent: Int? = nil
    ) {
        self.address = address
        self.name = name
        self.firmware = firmware
        self.fpga = fpga
        self.scripts = scripts
        self.batteryPercent = batteryPercent
    }
}

/// What a part was proved by.
public enum PartProof: String, Sendable {
    /// What the unit says of itself: all that there is for firmware, which cannot be read back.
    case version
    /// Digests of every byte, computed on the unit.
    case digest
}

public struct StepReport: Sendable, Equatable {
    public enum Action: String, Sendable { case updated, transferred, current, skipped, failed, planned }

    public var part: Part
    public var action: Action
    public var from: String?
    public var to: String?
    /// Bytes of the image, not of the air.
    public var bytes: Int
    public var seconds: Double

    public init(part: Part, action: Action, from: String?, to: String?, bytes: Int = 0, seconds: Double = 0) {
        self.part = part
        self.action = action
        self.from = from
        self.to = to
        self.bytes = bytes
        self.seconds = seconds
    }

    /// `nil` for what was not proved.
    public var proof: PartProof? {
        switch action {
        case .updated, .current: part == .firmware ? .version : .digest
        case .transferred, .skipped, .failed, .planned: nil
        }
    }
}

/// The verdict on one unit after `flash`.
public struct UnitReport: Sendable {
    public var identity: UnitIdentity
    public var family: String
    public var steps: [StepReport]
    /// How the unit's program has shown that it lives; `nil` where that was not asked for, or did not come.
    public var program: ProgramProof?
    /// What had to be done to the unit on the way, in order.
    public var recoveries: [Recovery]
    /// `nil` when the unit is proved.
    public var error: Diagnosis?
    public var passed: Bool { error == nil }

    public init(
        identity: UnitIdentity, family: String, steps: [StepReport], program: ProgramProof? = nil, recoveries: [Recovery] = [],
        error: Diagnosis?
    ) {
        self.identity = identity
        self.family = family
        self.steps = steps
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
        /// With `--deep`: files and folders that do no harm, such as `notes.txt is not part of the set`.
        public var extras: [String] = []

        public init(expected: String, actual: String?, matches: Bool, differences: [String] = []) {
            self.expected = expected
            self.actual = actual
            self.matches = matches
            self.differences = differences
        }
    }

    public var identity: UnitIdentity
    public var family: String
    /// Parts that were not asked for are absent.
    public var findings: [Part: Finding]
    /// With `--deep`: how the unit's program has shown that it lives.
    public var program: ProgramProof?
    /// What had to be done to the unit on the way, in order.
    public var recoveries: [Recovery] = []
    public var error: Diagnosis?
    public var passed: Bool { error == nil && findings.values.allSatisfy(\.matches) }

    public init(identity: UnitIdentity, family: String, findings: [Part: Finding], error: Diagnosis?) {
        self.identity = identity
        self.family = family
        self.findings = findings
        self.error = error
    }
}
