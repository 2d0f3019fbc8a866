import Support

/// A robot's report: a notification is one message, without an end of line.
public enum RobotMessage: Sendable, Hashable {
    case features(RobotFeatures)
    /// V.
    case voltage(Double)
    /// Turns a minute. The sign is the command's, whatever the wheels do.
    case wheels(left: Double, right: Double)
    /// cm.
    case sonar(Int)
    case bumper(Bumper)
    case unknown([UInt8])

    /// The sketch's buffer has 60 bytes.
    private static let limit = 60

    public init(_ bytes: [UInt8]) {
        guard bytes.count <= Self.limit, let header = bytes.first, let message = Self.read(header, bytes.dropFirst()) else {
            self = .unknown(Array(bytes.prefix(Self.limit)))
            return
        }
        self = message
    }

    private static func read(_ header: UInt8, _ rest: ArraySlice<UInt8>) -> RobotMessage? {
        // The two bytes of a collision's code have no end: random memory follows.
        if header == UInt8(ascii: "b") {
            guard rest.count >= 2 else { return nil }
            return .bumper(Bumper(code: PrintableText.ascii(String(decoding: rest.prefix(2), as: UTF8.self))))
        }
        guard let text = String(validating: rest, as: UTF8.self) else { return nil }
        let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }.filter { $0?.isFinite ?? true }
        switch (header, numbers.count) {
        case (UInt8(ascii: "f"), _): return RobotFeatures(text).map { .features($0) }
        case (UInt8(ascii: "v"), 1): return numbers[0].flatMap { (0...100).contains($0) ? .voltage($0) : nil }
        case (UInt8(ascii: "s"), 1): return Int(text).flatMap { (0...100_000).contains($0) ? .sonar($0) : nil }
        case (UInt8(ascii: "w"), 2):
            guard let left = numbers[0], let right = numbers[1], max(abs(left), abs(right)) <= 1e6 else { return nil }
            return .wheels(left: left, right: right)
        default: return nil
        }
    }
}

/// Where a robot was hit.
public struct Bumper: Sendable, Hashable {
    public enum Side: Sendable { case front, back }

    /// `af bf cf lf rf bb lb rb ??`: all, both, centre, left, right of the front; both, left, right of the back; unknown. Printable.
    public let code: String

    init(code: String) { self.code = code }

    /// `nil` for an unknown place.
    public var side: Side? {
        switch code {
        case "af", "bf", "cf", "lf", "rf": .front
        case "bb", "lb", "rb": .back
        default: nil
        }
    }

    public var words: String {
        switch code {
        case "af": "the whole front"
        case "bf": "both sides of the front"
        case "cf": "the centre of the front"
        case "lf": "the left front"
        case "rf": "the right front"
        case "bb": "both sides of the back"
        case "lb": "the left back"
        case "rb": "the right back"
        default: "an unknown place"
        }
    }
}

/// A robot's answer to `f`. Owners rename bodies and switch features: unknown ones are kept.
public struct RobotFeatures: Sendable, Hashable {
    public enum Feature: String, Sendable, CaseIterable {
        case voltage = "v", indicators = "i", sonar = "s", bumper = "b", frontWheels = "wf", backWheels = "wb", middleWheels = "wm"
        case frontLights = "lf", backLights = "lb", statusLEDs = "ls"

        public var words: String {
            switch self {
            case .voltage: "voltage"
            case .indicators: "indicators"
            case .sonar: "sonar"
            case .bumper: "bumper"
            case .frontWheels: "front wheels"
            case .backWheels: "back wheels"
            case .middleWheels: "middle wheels"
            case .frontLights: "front lights"
            case .backLights: "back lights"
            case .statusLEDs: "status LEDs"
            }
        }
    }

    /// Printable.
    public let body: String
    /// In the order of the answer; printable.
    public let tokens: [String]

    /// - Parameter text: follows the `f`; without a colon after the last token the answer was cut.
    init?(_ text: String) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map { PrintableText.ascii(String($0)) }
        guard parts.count >= 2, parts.removeLast().isEmpty, let body = parts.first, !body.isEmpty else { return nil }
        (self.body, tokens) = (body, parts.dropFirst().filter { !$0.isEmpty })
    }

    public func has(_ feature: Feature) -> Bool { tokens.contains(feature.rawValue) }

    public var hasLights: Bool { has(.frontLights) || has(.backLights) }
    public var hasWheels: Bool { has(.frontWheels) || has(.backWheels) || has(.middleWheels) }
    public var known: [Feature] { tokens.compactMap(Feature.init) }
    public var unknown: [String] { tokens.filter { Feature(rawValue: $0) == nil } }

    public var limits: VoltageLimits? { VoltageLimits.byBody[body] }
}

/// A body's battery, in V. The sketch prints them only on its serial port.
public struct VoltageLimits: Sendable, Hashable {
    public let least: Double
    /// Too low to drive.
    public let low: Double
    public let full: Double

    fileprivate static let byBody = [
        "RTR_TT2": three, "RTR_520": three, "DIY_ESP32": three, "MTV": VoltageLimits(least: 17, low: 20, full: 24),
    ]
    private static let three = VoltageLimits(least: 6, low: 9, full: 12.6)

    /// As in OpenBot's app for Android.
    public func percent(_ volts: Double) -> Int { Int((min(max((volts - low) / (full - low), 0), 1) * 100).rounded()) }
}
