import Bluetooth

/// A Frame on the platform: its processor with Lua, its flash with files and bond, its sensors, and what wakes each when.
struct FrameModel: UnitModel {
    static let family = "frame"
    /// In bytes (bluetooth.c).
    static let largestMTU = 247

    enum Timer {
        case applicationReady
    }

    let folder: UnitFolder
    let configuration: FrameConfiguration
    var timers = TimerQueue<Timer>()
    var firmware = FrameFirmware.v25_080
    /// In RAM, as it was read at the start.
    var bond = FrameBond()

    /// Rails, the FPGA's image, camera and display settings (main.c has 0.42 s of fixed waits): then the radio shows the unit.
    private static let bootTime = Duration.milliseconds(1200)

    init(folder: UnitFolder, configuration: FrameConfiguration) {
        self.folder = folder
        self.configuration = configuration
    }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        firmware = FrameFirmware(version: ApplicationImage.versionText(in: image))
        bond = try folder.loadBond()
        timers.add(.applicationReady, at: unit.now + Self.bootTime)
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) { timers.removeAll { _ in true } }

    var nextDeadline: Duration? { timers.nextDeadline }

    mutating func advance(on unit: inout UnitPlatform) throws {
        switch timers.takeDue(at: unit.now) {
        case .applicationReady:
            unit.startRadio(as: .frame(address: unit.address, firmware: firmware, largestMTU: configuration.largestMTU))
        case nil: break
        }
    }

    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? { nil }

    mutating func radioChanged(on unit: inout UnitPlatform) throws {}

    mutating func notificationSent(on unit: inout UnitPlatform) throws {}

    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {}
}
