import Bluetooth
import Support
import Testing

@testable import BlueZ

/// The mirror and the discovery, event by event, without a bus.
@Suite struct MirrorTests {
    static let adapter = "/org/bluez/hci0"
    static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
    static let characteristic = device + "/service000a/char000c"

    static func deviceProperties(_ more: [String: BusValue] = [:]) -> [String: BusValue] {
        ["Address": .string("C0:FF:EE:00:00:01"), "Adapter": .objectPath(adapter)].merging(more) { $1 }
    }

    static func loaded(_ more: [String: BusValue] = [:]) -> ObjectMirror {
        var mirror = ObjectMirror()
        _ = mirror.load([
            adapter: .dictionary([BusName.adapter: .dictionary(["Address": .string("00:11:22:33:44:55"), "Powered": .boolean(true)])]),
            device: .dictionary([BusName.device: .dictionary(deviceProperties(more))]),
            characteristic: .dictionary([BusName.characteristic: .dictionary(["UUID": .string("fe59"), "MTU": .integer(247)])]),
        ])
        return mirror
    }

    @Test func loadsAndLooksUp() throws {
        let mirror = Self.loaded()
        #expect(mirror.adapters[Self.adapter]?.kernelName == "hci0")
        #expect(mirror.device(try #require(DeviceAddress("C0:FF:EE:00:00:01")), on: Self.adapter)?.path == Self.device)
        #expect(mirror.characteristic(AttributeID("FE59"), of: Self.device)?.mtu == 247)
        #expect(mirror.characteristic(AttributeID("fe59"), of: Self.device + "0") == nil)
    }

    @Test func ofTwoAlikeTheFirstIsMeant() {
        var mirror = Self.loaded()
        for path in ["/service000b/char000c", "/service0009/char000c"] {
            _ = mirror.add(Self.device + path, [BusName.characteristic: .dictionary(["UUID": .string("fe59")])])
        }
        #expect(mirror.characteristic(AttributeID("fe59"), of: Self.device)?.path == Self.device + "/service0009/char000c")
    }

    /// Before 5.65 bluetoothd does not say whether a key is kept.
    @Test(arguments: [
        (["Paired": false], true), (["Paired": false, "Bonded": false], true), (["Paired": true], false),
        (["Paired": true, "Bonded": false], false), (["Bonded": true], false), (["Connected": true], false), ([:], true),
    ] as [([String: Bool], Bool)])
    func noKeyAndNoLinkIsForgotten(properties: [String: Bool], mayBeForgotten: Bool) {
        #expect(Self.loaded(properties.mapValues { .boolean($0) }).devices[Self.device]?.mayBeForgotten == mayBeForgotten)
    }

    /// Or what an operator has stopped would start again.
    @Test func aRequestStartsNoService() {
        #expect(!BusRequest.bluez(BusName.device, "Connect", at: Self.device).startsService)
    }

    /// In a dictionary, too.
    @Test func anIntegerIsOnlyRead() {
        #expect(BusRequest.bus("GetId", .dictionary(["a": .integer(1)])).makeMessage() == nil)
    }

    /// The exchange may end after the tables are there.
    @Test func theMTUIsTheLastOne() {
        var mirror = Self.loaded()
        _ = mirror.change(Self.characteristic, BusName.characteristic, ["MTU": .integer(185)], invalidated: [])
        #expect(mirror.characteristics[Self.characteristic]?.mtu == 185)
    }

    @Test func aLinkThatEndsIsReportedOnce() {
        var mirror = Self.loaded(["Connected": .boolean(true), "ServicesResolved": .boolean(true)])
        let off: [String: BusValue] = ["Connected": .boolean(false)]
        #expect(mirror.change(Self.device, BusName.device, off, invalidated: []) == [
            .linkLost(device: Self.device, reason: "the unit or the air ended it")
        ])
        #expect(mirror.devices[Self.device]?.areServicesResolved == false)
        #expect(mirror.change(Self.device, BusName.device, off, invalidated: []).isEmpty)
    }

    @Test func removedDeviceTakesItsTableAndLinkAlong() {
        var mirror = Self.loaded(["Connected": .boolean(true)])
        #expect(mirror.remove(Self.device, [BusName.device]) == [
            .linkLost(device: Self.device, reason: "bluetoothd removed the device"), .deviceRemoved(device: Self.device),
        ])
        #expect(mirror.characteristics.isEmpty)
    }

    @Test func adapterThatGoesTakesLinksAndDiscoveriesAlong() {
        var off = Self.loaded(["Connected": .boolean(true)])
        #expect(off.change(Self.adapter, BusName.adapter, ["Powered": .boolean(false)], invalidated: []) == [
            .adapterLost(adapter: Self.adapter, .adapterOff("hci0")),
            .linkLost(device: Self.device, reason: "the adapter was switched off"),
        ])
        var out = Self.loaded(["Connected": .boolean(true)])
        #expect(out.remove(Self.adapter, [BusName.adapter]).first == .adapterLost(adapter: Self.adapter, .noAdapter("hci0")))
        #expect(out.devices.isEmpty && out.adapters.isEmpty)
    }

    @Test func snapshotWithoutALinkEndsIt() {
        var mirror = Self.loaded(["Connected": .boolean(true)])
        #expect(mirror.load([:]) == [.linkLost(device: Self.device, reason: "the unit or the air ended it")])
    }

    @Test func nothingMalformedIsBelieved() {
        var mirror = Self.loaded()
        let before = mirror.devices
        #expect(mirror.change(Self.device, BusName.device, [
            "RSSI": .string("loud"), "Connected": .integer(1), "Name": .bytes([0]), "UUIDs": .boolean(true),
        ], invalidated: []) == [.advertised(before[Self.device]!, hasRSSI: false)])
        #expect(mirror.devices == before)
        #expect(mirror.add("/x", [BusName.device: .dictionary(["Address": .string("nonsense")])]).isEmpty)
        #expect(mirror.add("/x", [BusName.device: .boolean(true)]).isEmpty)
        #expect(mirror.change("/nowhere", BusName.device, ["Connected": .boolean(true)], invalidated: []).isEmpty)
        _ = mirror.change(Self.characteristic, BusName.characteristic, ["MTU": .integer(5)], invalidated: [])
        #expect(mirror.characteristics[Self.characteristic]?.mtu == 247)
        #expect(mirror.devices == before)
    }

    @Test func theMirrorHasABound() {
        var mirror = ObjectMirror()
        for number in 0..<(ObjectLimits.objects + 10) {
            _ = mirror.add("/d\(number)", [BusName.device: .dictionary(Self.deviceProperties())])
        }
        #expect(mirror.devices.count == ObjectLimits.objects)
    }

    // MARK: Sightings

    private func at(_ milliseconds: Int) -> SessionClock.Instant { SessionClock.Instant(offset: .milliseconds(milliseconds)) }

    private func device(rssi: Int?, name: String? = "monocle") throws -> DeviceObject {
        var device = DeviceObject(path: Self.device, adapterPath: Self.adapter, address: try #require(DeviceAddress("C0:FF:EE:00:00:01")))
        device.rssi = rssi
        device.name = name
        return device
    }

    @Test func onlyAFreshSignalStrengthIsASighting() throws {
        var tracker = SightingTracker()
        #expect(tracker.observe(try device(rssi: -60), hasRSSI: false, at: at(0)) == nil, "a signal strength of before")
        #expect(tracker.observe(try device(rssi: -60), hasRSSI: true, at: at(100))?.rssi == -60)
        #expect(tracker.observe(try device(rssi: -60), hasRSSI: false, at: at(1000)) != nil, "it is still near")
        #expect(tracker.observe(try device(rssi: -60), hasRSSI: false, at: at(10_200)) == nil, "its signal strength has aged")
        #expect(tracker.count == 0)
        #expect(tracker.observe(try device(rssi: nil), hasRSSI: true, at: at(10_300)) == nil)
    }

    @Test func sightingsHaveASpacingButNewsDoNotWait() throws {
        var tracker = SightingTracker()
        #expect(tracker.observe(try device(rssi: -60), hasRSSI: true, at: at(0)) != nil)
        #expect(tracker.observe(try device(rssi: -61), hasRSSI: true, at: at(10)) == nil)
        #expect(tracker.observe(try device(rssi: -61, name: "other"), hasRSSI: true, at: at(20))?.name == "other")
        #expect(tracker.observe(try device(rssi: -62), hasRSSI: true, at: at(120)) != nil)
    }

    // MARK: The discovery

    @Test func discoveryFollowsItsListeners() {
        var machine = DiscoveryMachine()
        #expect(machine.addListener(on: "a") == .start(adapter: "a"))
        #expect(machine.addListener(on: "a") == nil)
        #expect(machine.started(true) == nil)
        #expect(machine.removeListener() == nil)
        #expect(machine.removeListener() == .stop(adapter: "a"))
        #expect(machine.addListener(on: "a") == nil, "the stop is under way")
        #expect(machine.stopped() == .start(adapter: "a"))
    }

    @Test func aStartThatNobodyWantsAnyMoreIsStoppedAfterItsAnswer() {
        var machine = DiscoveryMachine()
        #expect(machine.addListener(on: "a") == .start(adapter: "a"))
        #expect(machine.removeListener() == nil)
        #expect(machine.started(true) == .stop(adapter: "a"))
        #expect(machine.stopped() == nil)
        #expect(machine.isIdle)
    }

    @Test func aDiscoveryMovesToTheAdapterThatIsAskedFor() {
        var machine = DiscoveryMachine()
        #expect(machine.addListener(on: "a") == .start(adapter: "a"))
        #expect(machine.started(true) == nil)
        #expect(machine.addListener(on: "b") == .stop(adapter: "a"))
        #expect(machine.stopped() == .start(adapter: "b"))
    }

    @Test func pausesNestAndEnd() {
        var machine = DiscoveryMachine()
        _ = machine.addListener(on: "a")
        _ = machine.started(true)
        #expect(machine.pause() == .stop(adapter: "a"))
        #expect(machine.pause() == nil)
        #expect(machine.stopped() == nil)
        #expect(machine.resume() == nil)
        #expect(machine.resume() == .start(adapter: "a"))
    }

    @Test func aRefusedStartAndALossLeaveNothing() {
        var machine = DiscoveryMachine()
        _ = machine.addListener(on: "a")
        #expect(machine.started(false) == nil)
        #expect(machine.isIdle && machine.listeners == 0)
        #expect(machine.addListener(on: "a") == .start(adapter: "a"))
        machine.lost()
        #expect(machine.started(true) == nil, "an answer from before the loss")
        #expect(machine.isIdle)
    }
}
