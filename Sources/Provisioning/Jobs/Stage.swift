/// A stage and how long it may take.
public struct StageEstimate: Sendable, Equatable, Codable {
    public var stage: Stage
    public var seconds: Double

    public init(_ stage: Stage, seconds: Double) {
        self.stage = stage
        self.seconds = seconds
    }
}

public enum Stage: String, Sendable, CaseIterable, Codable {
    case connect, probe, preflight, bootloader, firmware, restart, erase, fpga, commit, scripts, proof
}
