import Bluetooth
import Foundation
import Support

/// A robot: OpenBot's sketch in what surrounds it, without an interpreter.
struct RobotModel: UnitModel {
    static let family = "openbot"
    /// Behind the two bytes of a collision's code, whatever the stack holds: rubbish that is no UTF-8.
    private static let strayBytes = 6

    private let folder: UnitFolder
    private let body: RobotBody
    private let recorder: MotorRecorder
    private let clock: SessionClock
    private var generator: SeededGenerator
    private var started = Duration.zero
    /// `nil` while the chip is off or tests its lamps.
    private var firmware: RobotFirmware?
    private var world: RobotWorld
    private var lastPass: UInt32 = 0
    /// The library keeps it across links (BLE2902).
    private var isNotifying = false
    private(set) var nextDeadline: Duration?

    init(folder: UnitFolder, configuration: UnitConfiguration, recorder: MotorRecorder, clock: SessionClock) throws {
        (self.folder, self.recorder, self.clock) = (folder, recorder, clock)
        let state = try folder.loadRobot()
        body = RobotBody.ofUnit(named: state.body)
        world = RobotWorld(body: body, surroundings: state.surroundings)
        generator = SeededGenerator(seed: configuration.faults.seed)
    }

    mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws {
        started = unit.now
        world = RobotWorld(body: body, surroundings: world.surroundings)
        nextDeadline = unit.now + .milliseconds(body.bootMilliseconds)
    }

    mutating func stop(_ cause: UnitPlatform.StopCause) {
        settle(at: clock.now.offset)
        (firmware, nextDeadline, isNotifying) = (nil, nil, false)
        // What the sketch did: without power every motor stands.
        recorder.save(to: folder.motors)
        recorder.note(RobotFirmware.Motors(), at: clock.now.offset)
        try? folder.saveRobot(world.surroundings)
    }

    mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {
        guard case .surroundings(let what, let value) = input else { return }
        settle(at: unit.now)
        let time = milliseconds(unit.now)
        firmware?.sample(world.pins.voltage, passes: Int(time &- lastPass))
        lastPass = time
        switch what {
        case "obstacle": world.surroundings.obstacle = value
        case "battery": world.surroundings.battery = value ?? 0
        case "bumper": world.surroundings.bumper = Int(value ?? 0)
        default: return
        }
        try folder.saveRobot(world.surroundings)
        schedule(unit)
    }

    mutating func radioChanged(on unit: inout UnitPlatform) throws {
        guard firmware != nil else { return }
        settle(at: unit.now)
        let isConnected = unit.link != nil
        if isConnected, firmware?.isConnected == false, isNotifying { unit.link?.subscriptions.insert(RobotAttributes.transmit) }
        isNotifying = isConnected ? unit.isSubscribed(RobotAttributes.transmit) : isNotifying
        firmware?.isConnected = isConnected
        nextDeadline = Self.nextPass(after: unit.now, since: started)
    }

    mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
        settle(at: unit.now)
        let time = milliseconds(unit.now)
        for byte in value {
            guard let (answer, panic) = firmware?.receive(byte, at: time) else { return nil }
            if let answer { notify(answer, on: &unit) }
            guard panic == nil else {
                unit.reset(.crash)
                return nil
            }
        }
        schedule(unit)
        return nil
    }

    mutating func advance(on unit: inout UnitPlatform) throws {
        guard let wasOn = firmware else { return boot(on: &unit) }
        settle(at: unit.now)
        let now = milliseconds(unit.now)
        var generator = generator
        let actions = firmware?.pass(at: now, world.pins, passes: Int(now &- lastPass)) {
            (0..<Self.strayBytes).map { _ in UInt8.random(in: 0x80...0xBF, using: &generator) }
        }
        (self.generator, lastPass) = (generator, now)
        for action in actions ?? [] {
            switch action {
            case .notify(let bytes): notify(bytes, on: &unit)
            case .ping: world.ping(at: microseconds(unit.now), using: &self.generator)
            case .advertise: unit.startRadio(as: profile(of: unit))
            }
        }
        if let motors = firmware?.motors, motors != wasOn.motors { recorder.note(motors, at: unit.now) }
        schedule(unit)
    }

    private mutating func boot(on unit: inout UnitPlatform) {
        firmware = RobotFirmware(body: body)
        lastPass = milliseconds(unit.now)
        recorder.note(RobotFirmware.Motors(), at: unit.now)
        unit.startRadio(as: profile(of: unit))
        nextDeadline = Self.nextPass(after: unit.now, since: started)
    }

    private func profile(of unit: UnitPlatform) -> PeripheralProfile {
        .openbot(body, address: unit.address, largestMTU: unit.design.configuration.largestMTU)
    }

    /// Longer than the link takes is cut without a word; what the stack has no place for is lost.
    private func notify(_ bytes: [UInt8], on unit: inout UnitPlatform) {
        guard let link = unit.link, unit.freeNotificationPlaces > 0 else { return }
        // The library takes a C string.
        unit.notify(RobotAttributes.transmit, Array(bytes.prefix { $0 != 0 }.prefix(link.link.payloadSize)))
    }

    /// Brings wheels and echoes to now.
    private mutating func settle(at now: Duration) {
        guard let motors = firmware?.motors else { return }
        let time = microseconds(now)
        let slots = world.advance(to: time, motors)
        firmware?.count(left: slots.left, right: slots.right)
        if let length = world.takeEcho(by: time) { firmware?.hear(echoOf: length) }
    }

    private mutating func schedule(_ unit: UnitPlatform) {
        guard let firmware else { return }
        let now = unit.now
        guard !firmware.floods else {
            // A pass takes less than a millisecond.
            nextDeadline = now + .microseconds(500)
            return
        }
        let wait = firmware.idle(from: milliseconds(now), world.pins)
        let next = Self.nextPass(after: now, since: started) + .milliseconds(Int(wait) - 1)
        let echo = world.echoEnd.map { started + .microseconds(Int64($0)) }
        nextDeadline = min(next, echo.map { max(Self.nextPass(after: $0, since: started), now) } ?? next)
    }

    /// The loop takes a millisecond.
    private static func nextPass(after now: Duration, since start: Duration) -> Duration {
        start + .milliseconds((now - start).wholeMicroseconds / 1000 + 1)
    }

    private func microseconds(_ now: Duration) -> UInt64 { UInt64(max(0, (now - started).wholeMicroseconds)) }
    private func milliseconds(_ now: Duration) -> UInt32 { UInt32(truncatingIfNeeded: microseconds(now) / 1000) }
}
