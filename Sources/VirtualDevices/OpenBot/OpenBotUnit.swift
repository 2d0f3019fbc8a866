import Bluetooth
import Foundation
import Support

extension VirtualUnit {
    /// An OpenBot whose body its name chose, as ``UnitFolder/openbot(root:name:)`` says.
    public static func openbot(folder: UnitFolder, configuration: UnitConfiguration, air: VirtualAir) throws -> VirtualUnit {
        try openbot(folder: folder, configuration: configuration, air: air, recorder: MotorRecorder())
    }

    package static func openbot(
        folder: UnitFolder, configuration: UnitConfiguration, air: VirtualAir, recorder: MotorRecorder
    ) throws -> VirtualUnit {
        let clock = air.time.clock
        let design = UnitDesign(family: RobotModel.family, configuration: configuration, advertisingInterval: .milliseconds(30)) {
            try RobotModel(folder: $0, configuration: configuration, recorder: recorder, clock: clock)
        }
        return try VirtualUnit(folder: folder, design: design, air: air)
    }
}

extension UserInput {
    /// Something at so many cm before the sonar; `nil` takes it away.
    public static func obstacle(centimetres: Double?) -> UserInput { .surroundings("obstacle", centimetres) }

    public static func battery(volts: Double) -> UserInput { .surroundings("battery", volts) }

    /// A bumper is pressed and held: `af bf cf lf rf bb lb rb`, anything else is no place of it; `nil` lets go.
    public static func bumper(_ code: String?) -> UserInput {
        .surroundings("bumper", code.map { Double(RobotContact.reading(of: $0)) })
    }
}

extension UnitFolder {
    /// What a robot's folder keeps while it is off.
    struct RobotState: Codable {
        /// The name that chose the body.
        var body: String
        var surroundings = RobotWorld.Surroundings()
    }

    private static let robotLimit = 64 << 10

    private var robot: URL { root.appendingPathComponent("robot.json") }
    /// The duties of the last run.
    var motors: URL { root.appendingPathComponent("motors.csv") }

    /// Opens a robot's folder, or makes a new one there: `mtv`, `rtr_520`, `diy_esp32`, `early` (the sketch of February 2023), else an
    /// RTR_TT2.
    /// - Throws: ``UnitFolderError``, and ``LinkError/busy(_:)`` while another process plays a unit that is not made yet.
    public static func openbot(root: URL, name: String) throws -> UnitFolder {
        try UnitFolder(root: root, name: name, family: RobotModel.family) { folder in
            try replace(folder.robot, with: try JSONEncoder().encode(RobotState(body: name)))
        }
    }

    func loadRobot() throws -> RobotState { try Self.decode(robot, limit: Self.robotLimit) }

    func saveRobot(_ surroundings: RobotWorld.Surroundings) throws {
        var state = try loadRobot()
        guard state.surroundings != surroundings else { return }
        state.surroundings = surroundings
        try Self.replace(robot, with: try JSONEncoder().encode(state))
    }
}

/// The attributes of the sketch.
enum RobotAttributes {
    static let service = AttributeID("61653dc3-4021-4d1e-ba83-8b4eec61d613")
    static let receive = AttributeID("06386c14-86ea-4d71-811c-48f97c58f8c9")
    static let transmit = AttributeID("9bf1103b-834c-47cf-b149-c9e4bcf778a7")

    /// Bluedroid checks permissions and not properties: RX takes requests, too.
    static func table(_ sketch: RobotBody.Sketch) -> GATTTable {
        let receive = switch sketch {
        case .present: GATTCharacteristic(id: receive, properties: [.command], takesRequests: true)
        case .early: GATTCharacteristic(id: receive, properties: [.write])
        }
        return GATTTable(services: [
            GATTService(id: service, characteristics: [GATTCharacteristic(id: transmit, properties: [.notify]), receive])
        ])
    }
}

extension PeripheralProfile {
    /// BlueZ's usual link: 30 ms, and 420 ms until it is given up.
    static func openbot(_ body: RobotBody, address: DeviceAddress, largestMTU: Int) -> PeripheralProfile {
        PeripheralProfile(
            address: address, name: body.deviceName, advertisedServices: [RobotAttributes.service],
            table: RobotAttributes.table(body.sketch),
            pace: LinkPace(interval: .milliseconds(30), eventLength: .milliseconds(15), supervisionTimeout: .milliseconds(420)),
            largestMTU: min(largestMTU, 517), notificationQueue: 10, advertisesByItself: false)
    }
}
