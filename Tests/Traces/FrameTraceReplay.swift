import Bluetooth
import Foundation
import Support
import VirtualDevices

/// Plays what a Frame's own firmware was recorded to answer to the virtual one, in simulated time, and compares what comes.
struct FrameTraceReplay: Sendable {
    /// What became of a session's line, or of a whole sequence.
    struct Outcome: Sendable {
        var firmware: String
        /// The text that was written, or the sequence's name.
        var name: String
        var number: Int?
        var difference: String?
        var key: String { number.map { "\($0) \(name)" } ?? name }
        var isLeftOut: Bool { difference != nil && FrameTraceReplay.leftOut[key] != nil }
    }

    private static let service = "5475-a6a4-654c-8431f6ad49c4"
    private static let receive = AttributeID("7a230002-\(service)")
    private static let transmit = AttributeID("7a230003-\(service)")
    /// As it was when it was recorded.
    private static let settling = Duration.milliseconds(1300)
    private static let pace = Duration.milliseconds(90)
    private static let ending = Duration.milliseconds(150)
    /// So long a session's line may take.
    private static let patience = Duration.seconds(12)
    private static let quiet = Duration.milliseconds(250)

    private let course: FrameTraceFile.Course
    private let unit: VirtualUnit
    private let air: VirtualAir
    private let bonds = BondStore()
    private var connection: (any Connection)?
    private var output = Inbox<[UInt8]>()
    private var isGone = false

    private var clock: SessionClock { air.time.clock }

    /// - Parameter python: beside which the unit's interpreter stands.
    static func replay(_ file: FrameTraceFile, python: String) async throws -> [Outcome] {
        var outcomes: [Outcome] = []
        for course in file.courses { outcomes += try await replay(course, python: python) }
        return outcomes
    }

    private static func replay(_ course: FrameTraceFile.Course, python: String) async throws -> [Outcome] {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-trace-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        let folder = try UnitFolder.frame(root: root, name: "trace", firmware: FrameFirmware(version: course.firmware))
        var configuration = UnitConfiguration(python: python)
        configuration.linkSetUp = .zero
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualUnit.frame(folder: folder, configuration: configuration, air: air)
        let replay = FrameTraceReplay(course: course, unit: unit, air: air)
        return try await air.time.run {
            try await withVirtualUnit(unit) {
                var replay = replay
                return try await replay.outcomes()
            }
        }
    }

    private init(course: FrameTraceFile.Course, unit: VirtualUnit, air: VirtualAir) {
        (self.course, self.unit, self.air) = (course, unit, air)
    }

    private mutating func outcomes() async throws -> [Outcome] {
        try await connect()
        try await pass(Self.settling)
        // What the start says.
        _ = try await take()
        if let name = course.name {
            return [Outcome(firmware: course.firmware, name: name, difference: try await playSequence())]
        }
        var outcomes: [Outcome] = []
        for (step, number) in zip(course.steps, course.numbers) {
            guard case .write(let write) = step.action else { continue }
            let difference = try await playLine(write, step)
            outcomes.append(Outcome(firmware: course.firmware, name: write.text, number: number, difference: difference))
        }
        return outcomes
    }

    // MARK: - Comparing

    private mutating func playLine(_ write: FrameTraceFile.Write, _ step: FrameTraceFile.Step) async throws -> String? {
        try await send(write.bytes)
        var seen = try await collect(expecting: step.expected.count)
        var expected = step.expected
        if let afterBreak = step.afterBreak {
            try await send([3])
            seen += try await collect(expecting: afterBreak.count)
            expected += afterBreak
        }
        if step.isGone { try await awaitEnd() }
        let wasGone = isGone
        if step.restarts, !isGone {
            try await send([4])
            try await pass(Self.settling)
            _ = try await take()
        }
        if isGone {
            try await connect()
            try await pass(Self.settling)
            _ = try await take()
        }
        return Self.difference(seen, expected, wasGone, step.isGone)
    }

    private mutating func playSequence() async throws -> String? {
        var seen: [String] = [], expected: [String] = [], wantsEnd = false
        for step in course.steps {
            try await perform(step.action)
            seen += try await take()
            expected += step.expected
            wantsEnd = wantsEnd || step.isGone
        }
        // A client notices some time after it.
        if wantsEnd, !isGone { try await awaitEnd() }
        return Self.difference(seen, expected, isGone, wantsEnd)
    }

    private static func difference(_ seen: [String], _ expected: [String], _ isGone: Bool, _ wantsEnd: Bool) -> String? {
        let texts = seen.map(withoutAddresses)
        if texts != expected { return "\(texts) instead of \(expected)" }
        if isGone != wantsEnd { return isGone ? "the link ended" : "the link lives" }
        return nil
    }

    private static func withoutAddresses(_ text: String) -> String {
        text.replacing(#/0x[0-9a-f]{6,16}/#, with: "PTR")
    }

    // MARK: - Playing

    private mutating func perform(_ action: FrameTraceFile.Action) async throws {
        switch action {
        case .write(let write):
            try await send(write.bytes)
            try await pass(Self.pace)
        case .wait(let duration): try await pass(duration)
        case .tap:
            unit.stimulate(.tap(.A))
            try await pass(Self.pace)
        case .disconnect:
            await connection?.disconnect()
            connection = nil
        case .connect: try await connect()
        case .end: try await pass(Self.ending)
        }
    }

    private mutating func connect() async throws {
        let central = VirtualCentral(air: air, bonds: bonds)
        let deadline = clock.deadline(in: .seconds(20))
        let connection = try await central.connect(to: unit.address, security: .bonded, deadline: deadline)
        output = try await connection.subscribe(to: Self.transmit, deadline: deadline)
        self.connection = connection
        isGone = false
    }

    private mutating func send(_ bytes: [UInt8]) async throws {
        do {
            try await connection?.write(bytes, to: Self.receive, deadline: clock.deadline(in: .seconds(5)))
        } catch is LinkError {
            isGone = true
        }
    }

    private func pass(_ duration: Duration) async throws { try await clock.sleep(until: clock.deadline(in: duration)) }

    private mutating func awaitEnd() async throws {
        try? await connection?.waitUntilGone(deadline: clock.deadline(in: Self.patience))
        _ = try await take()
    }

    /// What has come.
    private mutating func take() async throws -> [String] {
        var texts: [String] = []
        while let text = try await next(before: clock.now) { texts.append(text) }
        return texts
    }

    /// The notifications of a line, and what comes soon after.
    private mutating func collect(expecting count: Int) async throws -> [String] {
        var texts: [String] = []
        while let text = try await next(before: clock.deadline(in: texts.count < count ? Self.patience : Self.quiet)) { texts.append(text) }
        return texts
    }

    private mutating func next(before deadline: SessionClock.Instant) async throws -> String? {
        guard !isGone, connection != nil else { return nil }
        do {
            return try await output.next(before: deadline, on: clock).map {
                String(String.UnicodeScalarView($0.map { Unicode.Scalar($0) }))
            }
        } catch is LinkError {
            isGone = true
            return nil
        }
    }
}

extension FrameTraceReplay {
    /// What is not compared, by its number and what was written, or the sequence's name: what the recording's stand-ins for the hardware
    /// decided, or the host.
    static let leftOut: [String: String] = [
        "301 print(frame.GIT_TAG)": "names the commit that the recording was built from",
        "561 f:close()": "Lua's collector met a lost handle first: the exact heap",
        "562 \(listing)": "follows from 561: the file was not closed",
        "563 g=frame.file.open(\"op.txt\") h=frame.file.open(\"op.txt\") print(#h:read())": "follows from 561: the file is empty",
        "gc open file": "Lua's collector meets the lost handle at another time: the exact heap",
    ]

    private static let listing =
        "local t={} for _,e in ipairs(frame.file.listdir(\"/\")) do t[#t+1]=e.name..\":\"..e.size..\":\"..e.type end "
        + "print(table.concat(t,\" \"))"
}
