import Foundation

/// The sketch itself: its variables, and one pass of its loop. Time is that of its own clock, since the chip started.
///
/// A line is read when it comes, by the Bluetooth stack's task, and changes variables at once; motors and reports follow in the loop.
struct RobotFirmware: Sendable {
    enum Action: Sendable, Equatable {
        case notify([UInt8])
        /// The sonar's trigger.
        case ping
        case advertise
    }

    /// What a panic of the chip was.
    enum Panic: Sendable, Equatable { case missingField, overrun }

    /// Signed duties of the motors, as they are written: the sketch clamps nothing.
    struct Motors: Sendable, Equatable {
        var left: Int32 = 0
        var right: Int32 = 0
        /// Both inputs of each bridge are high.
        var isBraking = false
    }

    struct Lamps: Sendable, Equatable {
        var left = false
        var right = false
        var front: Int32 = 0
        var back: Int32 = 0
        var status: [UInt8: Bool] = [:]
    }

    static let stopDistance: UInt32 = 10
    static let lostDistance: UInt32 = 300
    private static let leastSonarInterval: UInt32 = 18
    private static let indicatorInterval: UInt32 = 500
    private static let stallMilliseconds: UInt32 = 500
    private static let samples = 10
    private static let voltsAStep = Float(3.3 / 4095 as Double)

    let body: RobotBody
    private(set) var motors = Motors()
    private(set) var lamps = Lamps()
    /// Of the line `c`.
    private(set) var control: (left: Int32, right: Int32) = (0, 0)
    var isConnected = false

    private var reader: RobotLineReader
    private var wasConnected = false
    private var stallEnd: UInt32?
    /// Something may follow in the next pass.
    private var isChanged = true

    private var heartbeatInterval = UInt32.max, heartbeatTime: UInt32 = 0
    private var sonarInterval: UInt32 = 1000, sonarTime: UInt32 = 0
    private var isSonarSent = false, hasEcho = false
    private var echoMicroseconds: UInt32 = 0
    private var distance = UInt32.max
    private var voltageInterval: UInt32 = 1000, voltageTime: UInt32 = 0
    private var voltages: [Int] = []
    private var nextVoltage = 0
    private var wheelInterval: UInt32 = 1000, wheelTime: UInt32 = 0
    private var ticks: (left: Int32, right: Int32) = (0, 0)
    private var indicators: (left: Int32, right: Int32) = (0, 0), indicatorTime: UInt32 = 0
    private var bumperInterval: UInt32 = 750, bumperTime: UInt32 = 0
    private var contact: RobotContact?

    init(body: RobotBody) {
        self.body = body
        reader = RobotLineReader(size: body.lineBuffer)
    }

    /// A byte that was written to RX.
    mutating func receive(_ byte: UInt8, at now: UInt32) -> (answer: [UInt8]?, panic: Panic?) {
        switch reader.take(byte) {
        case .more: return (nil, nil)
        case .overrun: return (nil, .overrun)
        case .line(let header, let bytes):
            isChanged = true
            if header == UInt8(ascii: "f") {
                return (isConnected && body.sketch == .present ? Array(body.featureAnswer.utf8) : nil, nil)
            }
            return (nil, perform(header, RobotFields(bytes), at: now) ? nil : .missingField)
        }
    }

    /// - Returns: `false` for a field that is missing: `atoi(NULL)`.
    private mutating func perform(_ header: UInt8, _ line: RobotFields, at now: UInt32) -> Bool {
        let interval = UInt32(bitPattern: line.number)
        switch header {
        case UInt8(ascii: "h"): (heartbeatInterval, heartbeatTime) = (interval, now)
        case UInt8(ascii: "w"): wheelInterval = interval
        case UInt8(ascii: "v") where body.has(.voltage): voltageInterval = interval
        case UInt8(ascii: "s") where body.has(.sonar): sonarInterval = interval
        case UInt8(ascii: "b") where body.has(.bumper): bumperInterval = interval
        case UInt8(ascii: "c"):
            guard let (left, right) = pair(line) else { return false }
            control = (left, right)
        case UInt8(ascii: "i") where body.has(.indicators):
            guard let (left, right) = pair(line) else { return false }
            // `bool`: whatever is not 0.
            indicators = (left == 0 ? 0 : 1, right == 0 ? 0 : 1)
        case UInt8(ascii: "l") where body.hasLights:
            guard let (front, back) = pair(line) else { return false }
            (lamps.front, lamps.back) = (front, back)
        case UInt8(ascii: "n") where body.has(.status):
            let fields = line.fields
            guard fields.count > 1, let led = fields[0].first else { return false }
            if "ygb".utf8.contains(led) { lamps.status[led] = RobotFields.number(fields[1]) != 0 }
        default: break
        }
        return true
    }

    private func pair(_ line: RobotFields) -> (Int32, Int32)? {
        let fields = line.fields
        return fields.count > 1 ? (RobotFields.number(fields[0]), RobotFields.number(fields[1])) : nil
    }

    /// An echo ended.
    mutating func hear(echoOf microseconds: UInt32) { (echoMicroseconds, hasEcho, isChanged) = (microseconds, true, true) }

    /// Slots of the encoders that have passed. They count only under a command, and by its sign, whatever the wheels do.
    mutating func count(left: Int, right: Int) {
        ticks.left &+= control.left.signum() &* Int32(truncatingIfNeeded: left)
        ticks.right &+= control.right.signum() &* Int32(truncatingIfNeeded: right)
    }

    /// What the loop reads at its pins.
    struct Pins: Sendable {
        /// Of 12 bits each.
        var bumper = 0
        var voltage = 0
    }

    /// One pass of the loop.
    /// - Parameter passes: since the last one that was played, of which the others change nothing.
    /// - Parameter stray: what stands in memory behind the code of a collision.
    mutating func pass(at now: UInt32, _ pins: Pins, passes: Int, stray: () -> [UInt8]) -> [Action] {
        var actions: [Action] = []
        isChanged = false
        guard settleLink(at: now, &actions) else { return [] }
        if body.has(.sonar), distance <= Self.stopDistance, control.left > 0, control.right > 0 { control = (0, 0) }
        if now &- heartbeatTime >= heartbeatInterval { control = (0, 0) }
        if body.has(.bumper), pins.bumper > RobotContact.noise, contact == nil { collide(pins.bumper, at: now, stray, &actions) }
        if contact?.allows(control.left, control.right) ?? true { motors = Motors(left: control.left, right: control.right) }
        sample(pins.voltage, passes: max(passes, 1))
        if body.has(.sonar) { listen(at: now, &actions) }
        if body.has(.indicators), now &- indicatorTime >= Self.indicatorInterval {
            lamps.left = indicators.left > 0 ? !lamps.left : lamps.back > 0
            lamps.right = indicators.right > 0 ? !lamps.right : lamps.back > 0
            indicatorTime = now
        }
        if contact != nil, now &- bumperTime >= bumperInterval {
            (contact, bumperTime, indicators, isChanged) = (nil, now, (0, 0), true)
        }
        report(at: now, &actions)
        return actions
    }

    /// - Returns: `false` while the loop sleeps after a disconnect, with the motors as they were.
    private mutating func settleLink(at now: UInt32, _ actions: inout [Action]) -> Bool {
        if let end = stallEnd {
            guard Int32(bitPattern: now &- end) >= 0 else { return false }
            (stallEnd, wasConnected) = (nil, isConnected)
            actions.append(.advertise)
        } else if wasConnected, !isConnected {
            stallEnd = now &+ Self.stallMilliseconds
            return false
        }
        if isConnected { wasConnected = true }
        return true
    }

    private mutating func collide(_ reading: Int, at now: UInt32, _ stray: () -> [UInt8], _ actions: inout [Action]) {
        let hit = RobotContact(reading: reading)
        (contact, bumperTime, control) = (hit, now, (0, 0))
        motors = Motors(left: 0, right: 0, isBraking: true)
        if body.has(.indicators) { (indicators, indicatorTime) = ((1, 1), now &- Self.indicatorInterval) }
        // The code has two bytes and no terminating zero.
        send(Array("b\(hit.code)".utf8) + stray(), &actions)
    }

    /// What so many passes read at the battery's pin.
    mutating func sample(_ voltage: Int, passes: Int) {
        for _ in 0..<min(passes, Self.samples) {
            if voltages.count < Self.samples { voltages.append(voltage) } else { voltages[nextVoltage] = voltage }
            nextVoltage = (nextVoltage + 1) % Self.samples
        }
    }

    private mutating func listen(at now: UInt32, _ actions: inout [Action]) {
        if !isSonarSent, hasEcho {
            // cm a µs.
            distance = UInt32(Float(echoMicroseconds) * 0.01715)
            send("s\(distance)", &actions)
            (isSonarSent, isChanged) = (true, true)
        }
        guard now &- sonarTime >= max(sonarInterval, Self.leastSonarInterval) else { return }
        if !isSonarSent, !hasEcho {
            distance = Self.lostDistance
            send("s\(distance)", &actions)
        }
        (sonarTime, isSonarSent, hasEcho, echoMicroseconds) = (now, false, false, 0)
        actions.append(.ping)
    }

    private mutating func report(at now: UInt32, _ actions: inout [Action]) {
        if body.has(.voltage), now &- voltageTime >= voltageInterval {
            let mean = Float(voltages.reduce(0, +)) / Float(voltages.count)
            send("v" + Self.decimal(mean * Self.voltsAStep * 4), &actions)
            voltageTime = now
        }
        if now &- wheelTime >= wheelInterval {
            let factor = Float(60.0 * 1000.0 / Double(now &- wheelTime) / Double(body.ticksPerTurn))
            let (left, right) = (Float(ticks.left) * factor, Float(ticks.right) * factor)
            ticks = (0, 0)
            send("w\(Self.decimal(left / Float(body.wheels))),\(Self.decimal(right / Float(body.wheels)))", &actions)
            wheelTime = now
        }
    }

    private func send(_ text: String, _ actions: inout [Action]) { send(Array(text.utf8), &actions) }
    private func send(_ bytes: [UInt8], _ actions: inout [Action]) { if isConnected { actions.append(.notify(bytes)) } }

    /// Two decimals, as Arduino's `String` writes a `float`.
    private static func decimal(_ value: Float) -> String {
        guard value.isFinite else { return value.isNaN ? "nan" : value < 0 ? "-inf" : "inf" }
        return String(format: "%.2f", Double(value))
    }

    /// Milliseconds from now until a pass that reads these pins may change something, at least 1.
    func idle(from now: UInt32, _ pins: Pins) -> UInt32 {
        if let stallEnd { return max(1, stallEnd &- now) }
        guard !isChanged else { return 1 }
        func left(_ interval: UInt32, _ since: UInt32) -> UInt32 { now &- since >= interval ? 1 : max(1, interval - (now &- since)) }
        var waits = [left(wheelInterval, wheelTime)]
        if control != (0, 0) { waits.append(left(heartbeatInterval, heartbeatTime)) }
        if body.has(.voltage) { waits.append(left(voltageInterval, voltageTime)) }
        if body.has(.sonar) { waits.append(left(max(sonarInterval, Self.leastSonarInterval), sonarTime)) }
        if body.has(.indicators) { waits.append(left(Self.indicatorInterval, indicatorTime)) }
        let isPressed = body.has(.bumper) && pins.bumper > RobotContact.noise
        if contact != nil || isPressed { waits.append(contact == nil ? 1 : left(bumperInterval, bumperTime)) }
        return waits.min() ?? 1
    }

    /// Reports without an interval follow each other in every pass, of which there are several in a millisecond.
    var floods: Bool { wheelInterval == 0 || (body.has(.voltage) && voltageInterval == 0) }
}
