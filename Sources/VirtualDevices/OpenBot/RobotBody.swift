/// A body of OpenBot's sketch (`openbot.ino`): what its firmware was compiled with.
struct RobotBody: Sendable {
    /// As the answer to `f` has them, in its order.
    enum Feature: String, Sendable {
        case voltage = "v", indicators = "i", sonar = "s", bumper = "b", wheelsFront = "wf", wheelsBack = "wb", wheelsMiddle = "wm"
        case lightsFront = "lf", lightsBack = "lb", status = "ls"
    }

    /// Which sketch the body runs.
    enum Sketch: Sendable {
        /// Since April 2023.
        case present
        /// Of February 2023: another name, writes with response alone, a shorter line, and no answer to `f` over Bluetooth.
        case early
    }

    let name: String
    let features: [Feature]
    let ticksPerTurn: Int
    /// Turns a minute with full duty and a full battery.
    let topSpeed: Double
    var sketch = Sketch.present

    static let tt2 = RobotBody(name: "RTR_TT2", features: fitted, ticksPerTurn: 20, topSpeed: 250)
    static let rtr520 = RobotBody(name: "RTR_520", features: fitted, ticksPerTurn: 209, topSpeed: 530)
    static let mtv = RobotBody(name: "MTV", features: [.wheelsFront, .wheelsBack, .wheelsMiddle], ticksPerTurn: 616, topSpeed: 178)
    static let diyESP32 = RobotBody(
        name: "DIY_ESP32", features: [.voltage, .indicators, .sonar, .wheelsFront], ticksPerTurn: 20, topSpeed: 250)
    static let early = RobotBody(name: "RTR_TT2", features: fitted, ticksPerTurn: 20, topSpeed: 250, sketch: .early)

    private static let fitted: [Feature] = [
        .voltage, .indicators, .sonar, .bumper, .wheelsFront, .wheelsBack, .lightsFront, .lightsBack, .status,
    ]
    private static let byUnitName = ["mtv": mtv, "rtr_520": rtr520, "diy_esp32": diyESP32, "early": early]

    /// The body of a unit with this name, of which there may be several: `mtv`, `mtv-2`.
    static func ofUnit(named name: String) -> RobotBody {
        byUnitName[name.lowercased().prefix { $0 != "-" }.description] ?? tt2
    }

    func has(_ feature: Feature) -> Bool { features.contains(feature) }

    var hasLights: Bool { has(.lightsFront) || has(.lightsBack) }
    /// Of one side.
    var wheels: Int { features.count { [.wheelsFront, .wheelsBack, .wheelsMiddle].contains($0) } }
    /// In bytes, with the terminating zero.
    var lineBuffer: Int { sketch == .early ? 32 : 60 }
    /// The name for the air.
    var deviceName: String { sketch == .early ? "Openbot BLE" : "OpenBot: \(name)" }
    /// The test of the indicators' lamps at the start, 3 × 0.5 s.
    var bootMilliseconds: Int { has(.indicators) ? 1500 : 0 }
    var featureAnswer: String { "f\(name):" + features.map { $0.rawValue + ":" }.joined() }
}
