import Bluetooth
import Support

/// What a conversation needs from a family.
public struct ChatSupport: Sendable {
    /// Makes the app protocol for a conversation.
    public let makeRelay: @Sendable () -> any AppRelay
    public let makeStarter: @Sendable (SessionClock) -> ProgramStarter

    public init(makeRelay: @escaping @Sendable () -> any AppRelay, makeStarter: @escaping @Sendable (SessionClock) -> ProgramStarter) {
        (self.makeRelay, self.makeStarter) = (makeRelay, makeStarter)
    }
}

/// Starts the unit's program over a new link, at the beginning and whenever it is silent.
///
/// Calls `willStart` once, right before the start: earlier output of the program is dropped.
public typealias ProgramStarter = @Sendable (any Connection, _ willStart: () -> Void) async throws -> StartedProgram

public struct StartedProgram: Sendable {
    public var status: UnitStatus
    /// What the program has printed already; the rest comes as ``AppRelay/console``.
    public var printed: [UInt8]

    public init(status: UnitStatus, printed: [UInt8] = []) { (self.status, self.printed) = (status, printed) }
}

/// Known about a unit when its program runs. Untrusted text.
public struct UnitStatus: Sendable, Hashable {
    public var batteryPercent: Int?
    public var firmware: String?
    public var scripts: String?

    public init(batteryPercent: Int? = nil, firmware: String? = nil, scripts: String? = nil) {
        (self.batteryPercent, self.firmware, self.scripts) = (batteryPercent, firmware, scripts)
    }

    /// - Parameter answer: firmware, battery and scripts, a line each.
    package init(answer: some Collection<UInt8>) {
        let lines = PrintableText.of(answer.prefix(1000), keepingLines: true).split(separator: "\n", omittingEmptySubsequences: false)
        func line(_ index: Int) -> String? { index < lines.count && !lines[index].isEmpty ? String(lines[index]) : nil }
        let battery = line(1).flatMap { Int($0) }.flatMap { (0...100).contains($0) ? $0 : nil }
        self.init(batteryPercent: battery, firmware: line(0), scripts: line(2))
    }
}
