import Bluetooth
import Provisioning
import Support

/// The line's course at one adapter: performs what ``LineWatch`` asks for.
struct LineRun: Sendable {
    typealias Work = @Sendable (FleetUnit, DiscoveredUnit, any Central, _ serial: String?) async throws -> UnitReport

    private static let look = Duration.milliseconds(250)
    private static let forgetting = Duration.seconds(5)

    let central: any Central
    let rules: LineWatch.Rules
    let request: LineRequest
    /// The address that the ledger has for a serial number.
    let boundAddress: @Sendable (String) async -> String?
    let work: Work
    /// Takes the unit away that is done, or left alone.
    let leave: @Sendable () -> Void
    let events: LiveServices.Events

    private struct Course {
        var watch: LineWatch
        var results: ScanResults
        var rollout: RolloutGuard
        /// It lies here and waits for its serial number.
        var unnumbered: DiscoveredUnit?
        var isDrained = false
        var strangers = UnsupportedUnits()
        var entries: [FleetEntry<UnitReport>] = []
    }

    /// - Throws: ``LinkError`` or the radio's own when it cannot listen; `CancellationError` before a unit was worked on.
    func run() async throws -> FleetReport<UnitReport> {
        let clock = central.clock
        var course = Course(
            watch: LineWatch(rules: rules, at: clock.now), results: noResults, rollout: RolloutGuard(limits: request.limits.guarded))
        tell(request.serials == nil ? .waiting : .asking)
        do {
            while course.watch.state != .drained {
                for action in try await listen(&course) { try await perform(action, &course) }
                try Task.checkCancellation()
            }
        } catch is CancellationError where !course.entries.isEmpty {
        } catch where !course.entries.isEmpty {
            // What the shift has come to is not lost with its radio.
            return FleetReport(entries: course.entries, stop: diagnose(error))
        }
        return FleetReport(entries: course.entries, stop: course.rollout.stop?.diagnosis)
    }

    private func tell(_ place: PlaceEvent, _ unit: DiscoveredUnit? = nil) {
        events(RunEvent(unit: unit.map { FleetUnit($0) }, time: central.clock.now, content: .place(place)))
    }

    private var noResults: ScanResults {
        let allowed = rules.allowed ?? []
        return ScanResults(of: .supported, wanting: { allowed.contains($0.address) })
    }

    /// Until something is to be done. A serial number is for the unit that is heard after it was scanned: another one may lie here by then.
    private func listen(_ course: inout Course) async throws -> [LineWatch.Action] {
        let clock = central.clock
        var actions: [LineWatch.Action] = []
        try await central.listen(until: clock.deadline(in: .forever), every: Self.look) { sighting in
            let now = clock.now
            if let sighting {
                course.watch.heard(at: now)
                course.results.note(sighting, at: now)
            }
            course.results.expire(at: now)
            for unit in course.strangers.note(course.results.units) {
                events(.notice(unit.leftAlone))
                leave()
            }
            if request.drain.isAsked { actions += drain(&course, now) }
            actions += course.watch.look(course.results.units, at: now)
            return !actions.isEmpty || (course.unnumbered.map { sighting.isOf($0) } == true && request.serials?.held != nil)
        }
        if actions.isEmpty, let unit = course.unnumbered, let serial = request.serials?.held {
            course.unnumbered = nil
            actions += await number(unit, serial, &course)
        }
        return actions
    }

    private func drain(_ course: inout Course, _ now: SessionClock.Instant) -> [LineWatch.Action] {
        guard !course.isDrained else { return [] }
        course.isDrained = true
        tell(.draining)
        let actions = course.watch.drain()
        guard course.unnumbered != nil else { return actions }
        course.unnumbered = nil
        return actions + course.watch.refused(at: now)
    }

    private func perform(_ action: LineWatch.Action, _ course: inout Course) async throws {
        let clock = central.clock
        switch action {
        case .claim(let unit):
            guard let serials = request.serials else { return try await perform(course.watch.claimed(at: clock.now), &course) }
            if let serial = serials.held { return try await perform(await number(unit, serial, &course), &course) }
            course.unnumbered = unit
            tell(.asking)
        case .run(let unit): try await perform(try await workOn(unit, &course), &course)
        case .showAgain(let unit, let verdict):
            tell(.metAgain(before: verdict.time.duration(to: clock.now)), unit)
            if request.repeatsPassed { return try await perform(course.watch.again(at: clock.now), &course) }
            // It was this unit's, not the next one's.
            if let serial = request.serials?.held {
                request.serials?.drop()
                events(.notice(LineText.unused(serial)))
            }
        case .several(let units):
            course.unnumbered = nil
            tell(.several(units.map { "\($0.address)" }))
        case .unknownBootloader(let unit): events(.notice(LineText.stranger(unit)))
        case .free:
            course.unnumbered = nil
            tell(request.serials != nil && request.serials?.held == nil ? .asking : .waiting)
        case .silent(let time): events(.notice(LineText.silent(time)))
        case .drained: break
        }
    }

    private func perform(_ actions: [LineWatch.Action], _ course: inout Course) async throws {
        for action in actions { try await perform(action, &course) }
    }

    /// - Returns: what follows; nothing where another number is wanted.
    private func number(_ unit: DiscoveredUnit, _ serial: String, _ course: inout Course) async -> [LineWatch.Action] {
        if !request.records.rebindsSerial, let bound = await boundAddress(serial), bound != "\(unit.address)" {
            request.serials?.drop()
            tell(.refused(SerialRefusal.bound(serial, address: bound).diagnosis))
            course.unnumbered = unit
            tell(.asking)
            return []
        }
        return course.watch.claimed(at: central.clock.now)
    }

    private func workOn(_ found: DiscoveredUnit, _ course: inout Course) async throws -> [LineWatch.Action] {
        let clock = central.clock
        let unit = FleetUnit(found)
        let serial = request.serials?.held
        request.serials?.begin()
        let start = clock.now
        events(RunEvent(unit: unit, time: start, content: .started(adapter: "", serial: serial)))
        var entry: FleetEntry<UnitReport>
        var isCancelled = false
        do {
            entry = FleetEntry(unit: unit, report: try await work(unit, found, central, serial))
        } catch {
            isCancelled = error is CancellationError
            entry = FleetEntry(unit: unit, result: UnitResult(error, stop: request.records.stop))
        }
        entry.seconds = start.duration(to: clock.now).inSeconds
        course.entries.append(entry)
        request.serials?.end(passed: entry.result.passed)
        events(RunEvent(unit: unit, time: clock.now, content: .ended(entry.result, seconds: entry.seconds)))
        leave()
        if isCancelled { throw CancellationError() }
        await forget(found)
        // What was heard before is old.
        course.results = noResults
        return note(entry, &course)
    }

    private func note(_ entry: FleetEntry<UnitReport>, _ course: inout Course) -> [LineWatch.Action] {
        let hadStop = course.rollout.stop != nil
        course.rollout.note(entry.result)
        let now = central.clock.now
        var actions = course.watch.finished(LineVerdict(error: entry.error, time: now), at: now)
        if let stop = course.rollout.stop, !hadStop {
            events(.notice(stop.diagnosis.message))
            actions += drain(&course, now)
        }
        return actions
    }

    /// bluetoothd keeps every unit that was ever connected (BlueZ, `src/device.c`); a line sees thousands.
    private func forget(_ unit: DiscoveredUnit) async {
        guard let adapter = central as? any AdapterCentral else { return }
        for address in Set([unit.address, unit.advertisedAddress]) {
            _ = try? await adapter.forgetUnlessBonded(address, deadline: central.clock.deadline(in: Self.forgetting))
        }
    }
}

extension Advertisement? {
    /// In its application or in its bootloader.
    fileprivate func isOf(_ unit: DiscoveredUnit) -> Bool { self?.address == unit.address || self?.address == unit.address.bootloader }
}
