import Bluetooth
import Provisioning
import Support
import Synchronization
import Testing
import VirtualDevices

@testable import noafw

/// A place of a line in simulated time: a test says what lies there, and sees what the line does.
final class LinePlace: Central {
    private struct State {
        var units: [Advertisement] = []
        var listeners: [Int: Inbox<Advertisement>] = [:]
        var count = 0
        var failure: LinkError?
        var worked: [String] = []
        var lines: [String] = []
    }

    private struct Listening: Discovery {
        let sightings: Inbox<Advertisement>
        let end: @Sendable () -> Void
        func stop() async { end() }
    }

    let clock: SessionClock
    let drain = Drain()
    let desk: SerialDesk?
    private let state = Mutex(State())

    init(clock: SessionClock, asksForSerials: Bool) {
        self.clock = clock
        desk = asksForSerials ? SerialDesk(pattern: nil) : nil
    }

    func discover() async throws -> any Discovery {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.count += 1
            let (number, sightings) = (state.count, Inbox<Advertisement>())
            state.listeners[number] = sightings
            return Listening(sightings: sightings) { [weak self] in self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) } }
        }
    }

    func connect(to address: DeviceAddress, security: LinkSecurity, deadline: SessionClock.Instant) async throws -> any Connection {
        throw LinkError.connectFailed(address, reason: "nobody connects here")
    }

    /// Everybody advertises ten times a second.
    func play() async throws {
        while true {
            state.withLock { state in
                for unit in state.units { for listener in state.listeners.values { listener.deliver(unit) } }
            }
            try await wait(0.1)
        }
    }

    func wait(_ seconds: Double) async throws { try await clock.sleep(until: clock.deadline(in: .seconds(seconds))) }

    /// Puts units at the place of those that lay there.
    /// - Parameter name: of an application; another than a unit's is of somebody who goes by.
    func put(_ numbers: [Int], isBootloader: Bool = false, name: String = "monocle") {
        let units = numbers.map { number in
            let address = isBootloader ? FleetSample.address(number).bootloader : FleetSample.address(number)
            return Advertisement(address: address, name: isBootloader ? "DfuTarg" : name, services: [], rssi: -50)
        }
        state.withLock { $0.units = units }
    }

    /// The adapter goes away for good.
    func breakOff() {
        let listeners = state.withLock { state in
            state.failure = LinkError.unavailable("the adapter is gone")
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish(throwing: LinkError.unavailable("the adapter is gone")) }
    }

    func scan(_ serial: String) {
        for answer in desk?.take(Array("\(serial)\r".utf8)) ?? [] { note(RunEvent(unit: nil, content: .place(answer.place))) }
    }

    /// `address serial` of each unit that was worked on.
    var worked: [String] { state.withLock(\.worked) }
    /// What the operator was told.
    var lines: [String] { state.withLock(\.lines) }

    private func note(_ event: RunEvent) {
        let text = switch event.content {
        case .place(.waiting): "waiting"
        case .place(.asking): "asking"
        case .place(.accepted(let serial)): "accepted \(serial)"
        case .place(.refused(let refusal)): refusal.code
        case .place(.several(let units)): "several \(units.count)"
        case .started: "began"
        case .ended(let result, _): "ended \(result.verdict)"
        case .place(.metAgain): "met again"
        case .notice(let text): text
        case .place(.draining): "draining"
        default: "another event: \(event.content)"
        }
        state.withLock { $0.lines.append(text) }
    }

    /// A shift that ends once `body` has returned.
    /// - Parameters:
    ///   - bound: the unit that the ledger has for a serial number.
    ///   - seconds: of the work on a unit.
    ///   - error: what fails each unit.
    static func shift(
        asksForSerials: Bool = false, bound: [String: Int] = [:], rebinds: Bool = false, seconds: Double = 30, error: Diagnosis? = nil,
        _ body: @escaping @Sendable (LinePlace) async throws -> Void
    ) async throws -> (LinePlace, FleetReport<UnitReport>) {
        let time = VirtualTime.simulated()
        let place = LinePlace(clock: time.clock, asksForSerials: asksForSerials)
        let course = place.course(bound, rebinds, seconds, error)
        let report = try await time.run {
            try await withThrowingTaskGroup(of: FleetReport<UnitReport>?.self) { group in
                group.addTask {
                    try await place.play()
                    return nil
                }
                group.addTask {
                    try await body(place)
                    place.drain.end()
                    return nil
                }
                group.addTask { try await course.run() }
                defer { group.cancelAll() }
                while let report = try await group.next() {
                    if let report { return report }
                }
                throw CancellationError()
            }
        }
        return (place, report)
    }

    private func course(_ bound: [String: Int], _ rebinds: Bool, _ seconds: Double, _ error: Diagnosis?) -> LineRun {
        let search = AssetSearch(given: nil, environment: [:], currentDirectory: "/", executable: nil)
        var records = RecordInputs()
        records.rebindsSerial = rebinds
        let request = LineRequest(
            units: UnitSelection(units: .inReach), allowed: nil, threshold: -65, repeatsPassed: false, serials: desk,
            inputs: AssetInputs(search: search), options: JobOptions(), limits: RolloutLimits(stopAfter: 2, seed: 0), records: records,
            stateFolder: "/none", drain: drain)
        return LineRun(
            central: self, rules: LineWatch.Rules(families: ["monocle"]), request: request,
            boundAddress: { serial in bound[serial].map { "\(FleetSample.address($0))" } },
            work: { [self] _, found, _, serial in
                state.withLock { $0.worked.append("\(found.address) \(serial ?? "-")") }
                try await wait(seconds)
                var report = try Sample.flashed(error: error)
                report.identity.address = found.address
                return report
            }, leave: {}, events: { [self] in note($0) })
    }
}
