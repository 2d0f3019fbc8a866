/// Where a bumper was hit, by the voltage of its resistors.
struct RobotContact: Sendable, Equatable {
    /// What the reading has to be above, of 4095.
    static let noise = 512
    private static let tolerance = 50
    /// In the order in which the sketch compares them.
    private static let readings = [
        ("af", 3890), ("bf", 3550), ("cf", 3330), ("lf", 3100), ("rf", 2930), ("bb", 2750), ("lb", 2180), ("rb", 2000),
    ]

    let code: String

    init(reading: Int) { code = Self.readings.first { abs($0.1 - reading) <= Self.tolerance }?.0 ?? "??" }

    static func reading(of code: String) -> Int { readings.first { $0.0 == code }?.1 ?? 1200 }

    /// Within the window the motors change only to back away with both sides.
    func allows(_ left: Int32, _ right: Int32) -> Bool {
        switch code.last {
        case "f": left < 0 && right < 0
        case "b": left > 0 && right > 0
        default: false
        }
    }
}
