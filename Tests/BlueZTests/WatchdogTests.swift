import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

extension DiscoveryWatchdog {
    /// What it does at that second, while somebody listens.
    fileprivate mutating func step(_ second: Int, isRunning: Bool = true) -> Step? {
        let now = SessionClock.Instant(offset: .seconds(second))
        observe(isRunning: isRunning, isWanted: true, at: now)
        return check(at: now)
    }
}

@Suite struct DiscoveryWatchdogTests {
    private func at(_ seconds: Int) -> SessionClock.Instant { SessionClock.Instant(offset: .seconds(seconds)) }

    @Test func aDiscoveryThatHearsNothingIsRenewedTwiceAndThenGivenUp() {
        var watchdog = DiscoveryWatchdog()
        #expect(watchdog.step(0) == nil && watchdog.rest(from: at(0)) == .seconds(60))
        #expect(watchdog.step(59) == nil && watchdog.rest(from: at(59)) == .seconds(1))
        #expect(watchdog.step(60) == .renew && watchdog.isRenewing)
        #expect(watchdog.step(61, isRunning: false) == nil, "it stops")
        #expect(watchdog.rest(from: at(61)) == nil)
        #expect(watchdog.step(62) == nil, "and starts")
        #expect(watchdog.step(122) == .renew)
        #expect(watchdog.step(123, isRunning: false) == nil)
        #expect(watchdog.step(124) == nil)
        #expect(watchdog.step(184) == .giveUp)
    }

    @Test func withoutALimitItIsRenewedForEver() {
        var watchdog = DiscoveryWatchdog(limits: .unlimited)
        _ = watchdog.step(0)
        for renewal in 1...600 { #expect(watchdog.step(renewal * 60) == .renew) }
        #expect(watchdog.isRenewing, "a discovery that does not start any more is told")
    }

    @Test func whatIsHeardFeedsIt() {
        var watchdog = DiscoveryWatchdog()
        for second in stride(from: 0, through: 600, by: 50) {
            #expect(watchdog.step(second) == nil)
            watchdog.heard(at: at(second))
        }
        #expect(watchdog.step(660) == .renew)
        watchdog.heard(at: at(661))
        #expect(!watchdog.isRenewing)
        for renewal in [721, 781] { #expect(watchdog.step(renewal) == .renew, "both renewals are there again") }
    }

    /// However many of them, one after the other, in a room where nothing is on the air.
    @Test func shortScansOfAQuietRoomAreNotDisturbed() {
        var watchdog = DiscoveryWatchdog()
        for scan in 0..<100 {
            let start = scan * 60
            #expect(watchdog.step(start) == nil)
            #expect(watchdog.step(start + 59) == nil)
            watchdog.observe(isRunning: false, isWanted: false, at: at(start + 59))
        }
    }

    @Test func aPauseForAConnectionIsNoSilence() {
        var watchdog = DiscoveryWatchdog()
        #expect(watchdog.step(0) == nil)
        #expect(watchdog.step(50, isRunning: false) == nil)
        #expect(watchdog.step(500, isRunning: false) == nil)
        #expect(watchdog.step(501) == nil)
        #expect(watchdog.step(560) == nil)
        #expect(watchdog.step(561) == .renew)
    }

    /// A device that passes by is heard once, and may be gone when the next one comes. The end of a discovery is none.
    @Test func aDeviceThatIsFoundOrChangesIsASignOfLife() {
        func isSign(_ member: String, _ body: BusValue...) -> Bool {
            BusMessage(sender: ":1.1", path: "/", interface: "", member: member, errorName: "", body: body).isSignOfLife
        }
        let (device, path) = (BusValue.string(BusName.device), BusValue.objectPath("/org/bluez/hci0/dev_1"))
        #expect(isSign("InterfacesAdded", path, .dictionary([BusName.device: .dictionary([:])])))
        #expect(!isSign("InterfacesAdded", path, .dictionary(["org.bluez.GattService1": .dictionary([:])])))
        #expect(isSign("PropertiesChanged", device, .dictionary(["RSSI": .integer(-60)]), .list([])))
        #expect(!isSign("PropertiesChanged", device, .dictionary([:]), .list([.string("RSSI")])))
        #expect(!isSign("InterfacesRemoved", path, .list([device])))
    }
}

/// The same over a bus: a radio that goes deaf while somebody listens.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct SilentDiscoveryTests {
    private func central(_ station: Station, silence: Duration, _ limits: SilenceLimits = SilenceLimits()) -> BlueZCentral {
        var limits = limits
        limits.patience = silence
        return BlueZCentral(
            adapter: nil, bus: .at(station.bus.address), clock: Station.clock,
            timeouts: .init(list: .seconds(5), first: .milliseconds(300), recovery: .seconds(10), silence: limits))
    }

    /// A line's place may be empty and quiet for hours. The unit that comes then is heard.
    @Test func whereNothingHasToBeOnTheAirTheDiscoveryGoesOn() async throws {
        let station = try await Station()
        let central = central(station, silence: .milliseconds(200), .unlimited)
        let discovery = try await central.discover()
        _ = try await discovery.sightings.next(before: station.soon, on: Station.clock)
        try await station.daemon.tell("deaf", ["on": true])
        try await station.daemon.until(calls: "StartDiscovery", atLeast: 6)
        while discovery.sightings.poll() != nil {}
        try await station.daemon.tell("deaf", ["on": false])
        #expect(try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil)
        await discovery.stop()
        await central.close()
    }

    @Test func aDeafRadioIsToldAfterTwoRestarts() async throws {
        let station = try await Station()
        let central = central(station, silence: .milliseconds(400))
        let discovery = try await central.discover()
        _ = try await discovery.sightings.next(before: station.soon, on: Station.clock)
        try await station.daemon.tell("deaf", ["on": true])
        await #expect(throws: BlueZError.radioHangs("hci0")) {
            while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {}
        }
        let calls = try await station.daemon.state().calls
        #expect(calls["StartDiscovery"] == 3)
        await discovery.stop()
        try await station.daemon.until("discoveries", equals: 0)
        await central.close()
    }

    @Test func aDiscoveryThatRecoversGoesOn() async throws {
        let station = try await Station()
        let central = central(station, silence: .milliseconds(400))
        let discovery = try await central.discover()
        try await station.daemon.tell("deaf", ["on": true])
        try await station.daemon.until(calls: "StartDiscovery", atLeast: 2)
        try await station.daemon.tell("deaf", ["on": false])
        let since = Station.clock.now
        while since.duration(to: Station.clock.now) < .seconds(2) {
            _ = try #require(try await discovery.sightings.next(before: station.soon, on: Station.clock))
        }
        #expect(try await station.daemon.state().calls["StartDiscovery"] == 2)
        await discovery.stop()
        await central.close()
    }

    /// bluetoothd has lost count of its discovery: stopped, it is still in progress.
    @Test func aDiscoveryThatDoesNotStopIsToldAtOnce() async throws {
        let station = try await Station(unit: nil)
        let central = central(station, silence: .milliseconds(400))
        let discovery = try await central.discover()
        try await station.daemon.fail("StartDiscovery", "org.bluez.Error.InProgress", "Operation already in progress")
        await #expect(throws: BlueZError.radioHangs("hci0")) {
            while try await discovery.sightings.next(before: station.soon, on: Station.clock) != nil {}
        }
        await discovery.stop()
        await central.close()
    }
}
