import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import BlueZ

/// Which adapter is meant.
@Suite struct AdapterChoiceTests {
    private static let address = DeviceAddress("00:1A:7D:DA:71:13")!

    private func adapter(_ number: Int, last octet: UInt8, isPowered: Bool = true, port: String? = nil) -> AdapterObject {
        AdapterObject(
            path: "/org/bluez/hci\(number)", address: DeviceAddress(octets: [0, 0x1A, 0x7D, 0xDA, 0x71, octet])!, isPowered: isPowered,
            usbPort: port)
    }

    @Test(arguments: [
        ("hci0", .kernelName("hci0")), ("hci12", .kernelName("hci12")), ("00:1A:7D:DA:71:13", .address(address)),
        ("00:1a:7d:da:71:13", .address(address)), ("usb:1-1.4", .usbPort("1-1.4")), ("usb:3-2", .usbPort("3-2")),
        ("usb:1-1.4:1.0", .usbPort("1-1.4")),
    ] as [(String, AdapterSelector)])
    func aTextNamesAnAdapter(text: String, selector: AdapterSelector) {
        #expect(AdapterSelector(text) == selector)
        #expect(AdapterSelector(selector.description) == selector)
    }

    @Test(arguments: ["", "hci", "hci1234", "HCI0", "usb:", "usb:1", "usb:1-1..4", "usb:1-1/../..", "usb:1-1.4 ", "00:1A:7D:DA:71", "/hci0"]
    )
    func anythingElseNamesNone(text: String) {
        #expect(AdapterSelector(text) == nil)
    }

    @Test func portsAreReadFromTheKernelsLinks() throws {
        let folder = try TemporaryFolderOfLinks([
            "hci0": "../../../1-1.4:1.0", "hci1": "../../usb3/3-2/3-2:1.1", "hci2": "../../../serial0-0",
        ])
        let ports = AdapterPorts(folder: folder.path)
        #expect(ports.kernelNames == ["hci0", "hci1", "hci2"])
        #expect(["hci0", "hci1", "hci2", "hci3"].map(ports.port) == ["1-1.4", "3-2", nil, nil])
    }

    @Test func theFirstThatIsOnIsTakenUnlessOneIsNamed() {
        let choice = AdapterChoice([adapter(1, last: 2, port: "1-2"), adapter(0, last: 1, isPowered: false)])
        #expect(choice.find(nil) == .chosen(choice.adapters[1]))
        #expect(choice.find(.kernelName("hci0")) == .chosen(choice.adapters[0]))
        #expect(choice.find(.address(DeviceAddress("00:1A:7D:DA:71:02")!)) == .chosen(choice.adapters[1]))
        #expect(choice.find(.usbPort("1-2")) == .chosen(choice.adapters[1]))
        #expect(choice.find(.usbPort("1-3")) == .none)
        let off = AdapterChoice([adapter(0, last: 1, isPowered: false), adapter(1, last: 2, isPowered: false)])
        #expect(off.find(nil) == .chosen(off.adapters[0]))
        #expect(AdapterChoice([]).find(nil) == .none)
        #expect(choice.usable.map(\.kernelName) == ["hci1"])
    }

    /// Whatever names them, as bluetoothd keeps what it knows by the address.
    @Test(arguments: [.kernelName("hci0"), .kernelName("hci1"), .address(address), .usbPort("1-2")] as [AdapterSelector])
    func twoThatShareAnAddressAreRefused(selector: AdapterSelector) {
        let twins = [adapter(0, last: 0x13, isPowered: false), adapter(1, last: 0x13, port: "1-2")]
        guard case .shared(let adapters) = AdapterChoice(twins).find(selector) else { Issue.record("not refused"); return }
        #expect(BlueZError.shared(adapters) == .adaptersShareAddress("hci0, hci1"))
        #expect(AdapterChoice(twins).usable.isEmpty)
        let third = AdapterChoice(twins + [adapter(2, last: 1)])
        #expect(third.find(nil) == .chosen(third.adapters[2]), "one with an address of its own is there")
        #expect(third.usable.map(\.kernelName) == ["hci2"])
    }
}

/// Several adapters below one bluetoothd.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct AdapterTests {
    private static let first = "00:1A:7D:DA:71:01", second = "00:1A:7D:DA:71:02"

    /// With a second adapter beside it.
    private func station() async throws -> Station {
        let station = try await Station(adapter: ["address": Self.first])
        try await station.daemon.tell("adapter", ["name": "hci1", "address": Self.second])
        return station
    }

    private func central(_ selector: AdapterSelector?, on station: Station, ports: AdapterPorts = AdapterPorts()) -> BlueZCentral {
        BlueZCentral(
            adapter: selector, bus: .at(station.bus.address), clock: Station.clock,
            timeouts: .init(list: .seconds(5), first: .milliseconds(300), recovery: .seconds(10)), ports: ports)
    }

    private func path(of selector: AdapterSelector?, on station: Station) async throws -> String {
        let central = central(selector, on: station)
        let (_, adapter) = try await central.station(before: station.soon)
        await central.close()
        return adapter.path
    }

    @Test func anAddressIsFoundBehindAnyNumber() async throws {
        let station = try await station()
        #expect(try await path(of: .address(DeviceAddress(Self.second)!), on: station) == "/org/bluez/hci1")
        #expect(try await path(of: .kernelName("hci1"), on: station) == "/org/bluez/hci1")
        #expect(try await path(of: nil, on: station) == "/org/bluez/hci0")
        await #expect(throws: BlueZError.noAdapter("usb:1-1.4")) { _ = try await path(of: .usbPort("1-1.4"), on: station) }
    }

    /// Both are plugged in again, and get each other's number: the one that was meant is used on.
    @Test(arguments: [.kernelName("hci0"), .address(DeviceAddress("00:1A:7D:DA:71:01")!)] as [AdapterSelector])
    func anAdapterKeepsItsMeaningWhenItIsNumberedAnew(selector: AdapterSelector) async throws {
        let station = try await station()
        let central = central(selector, on: station)
        let connection = try await central.connect(to: Station.address, deadline: station.soon)
        for name in ["hci0", "hci1"] { try await station.daemon.tell("remove_adapter", ["adapter": name]) }
        try await connection.waitUntilGone(deadline: station.soon)
        try await station.daemon.tell("adapter", ["name": "hci0", "address": Self.second])
        try await station.daemon.tell("adapter", ["name": "hci1", "address": Self.first])
        let renewed = try await central.connect(to: Station.address, deadline: station.soon)
        try await renewed.write([1], to: Station.receive, deadline: station.soon)
        let (session, adapter) = try await central.station(before: station.soon)
        #expect(adapter.kernelName == "hci1" && adapter.address.description == Self.first)
        #expect(session.read { $0.links.keys.allSatisfy { $0.hasPrefix("/org/bluez/hci1/") } })
        await renewed.disconnect()
        await central.close()
        try await station.daemon.until("connected", equals: 0)
    }

    /// bluetoothd tells that the unit is gone before it tells that the adapter is: what begins in between is on the old one.
    @Test(arguments: [nil, .kernelName("hci0"), .address(DeviceAddress("00:1A:7D:DA:71:01")!)] as [AdapterSelector?])
    func anAdapterThatIsTakenOutWhileTheUnitIsSoughtIsAwaited(selector: AdapterSelector?) async throws {
        let station = try await Station(unit: nil, adapter: ["address": Self.first])
        let central = central(selector, on: station)
        async let connection = central.connect(to: Station.address, deadline: station.soon)
        try await station.daemon.until("discoveries", equals: 1)
        try await station.daemon.tell("remove_adapter", ["adapter": "hci0"])
        try await station.daemon.tell("adapter", ["name": "hci1", "address": Self.first])
        try await station.addUnit(["adapter": "hci1"])
        await (try connection).disconnect()
        await central.close()
        try await station.daemon.until("connected", equals: 0)
    }

    @Test func adaptersThatShareAnAddressAreRefusedAndThatIsTold() async throws {
        let station = try await Station(adapter: ["address": Self.first])
        try await station.daemon.tell("adapter", ["name": "hci1", "address": Self.first])
        for selector in [nil, .kernelName("hci1"), .address(DeviceAddress(Self.first)!)] as [AdapterSelector?] {
            await #expect(throws: BlueZError.adaptersShareAddress("hci0, hci1")) { _ = try await path(of: selector, on: station) }
        }
        await #expect(throws: BlueZError.adaptersShareAddress("hci0, hci1")) {
            _ = try await AdapterObject.usable(
                bus: .at(station.bus.address), clock: Station.clock, before: Station.clock.deadline(in: .seconds(1)))
        }
        #expect(try await station.daemon.state().calls["StartDiscovery"] == nil)
    }

    @Test func usableAdaptersAreListed() async throws {
        let station = try await station()
        try await station.daemon.tell("adapter", ["name": "hci2", "address": "00:1A:7D:DA:71:03", "powered": false])
        let folder = try TemporaryFolderOfLinks(["hci1": "../../../1-1.4:1.0"])
        let found = try await AdapterObject.usable(
            bus: .at(station.bus.address), clock: Station.clock, ports: AdapterPorts(folder: folder.path), before: station.soon)
        #expect(found.map(\.kernelName) == ["hci0", "hci1"])
        #expect(found.map(\.usbPort) == [nil, "1-1.4"])
        #expect(found.map(\.selector.description) == [Self.first, Self.second])
        func named(_ selectors: [AdapterSelector]) async throws -> [String] {
            try await AdapterObject.usable(
                named: selectors, bus: .at(station.bus.address), clock: Station.clock, before: Station.clock.deadline(in: .seconds(1))
            ).map(\.kernelName)
        }
        #expect(try await named([.kernelName("hci1"), .address(DeviceAddress(Self.first)!)]) == ["hci1", "hci0"])
        await #expect(throws: BlueZError.adapterOff("hci2")) { _ = try await named([.kernelName("hci0"), .kernelName("hci2")]) }
        await #expect(throws: BlueZError.noAdapter("hci7")) { _ = try await named([.kernelName("hci7")]) }
        await #expect(throws: BlueZError.adapterNotShown("hci3")) {
            let folder = try TemporaryFolderOfLinks(["hci3": "../../../1-1.4:1.0"])
            _ = try await self.central(.kernelName("hci3"), on: station, ports: AdapterPorts(folder: folder.path)).station(
                before: station.soon)
        }
        let central = central(.usbPort("1-1.4"), on: station, ports: AdapterPorts(folder: folder.path))
        #expect(try await central.station(before: station.soon).1.kernelName == "hci1")
        await central.close()
    }

    /// bluetoothd's news of it may still be on its way.
    private func expect(_ count: Int, linksOf central: BlueZCentral, _ station: Station) async throws {
        let (session, adapter) = try await central.station(before: station.soon)
        try await session.wait(for: "\(count) links", before: station.soon) { $0.mirror.linkCount(on: adapter.path) == count ? () : nil }
        #expect(try await central.linkCount(before: station.soon) == count)
    }

    @Test func linksAreCountedWhoeverMadeThem() async throws {
        let station = try await station()
        let one = central(.kernelName("hci0"), on: station), other = central(.kernelName("hci1"), on: station)
        #expect(try await one.linkCount(before: station.soon) == 0)
        let connection = try await one.connect(to: Station.address, deadline: station.soon)
        try await station.daemon.tell("foreign_link", ["address": "C0:FF:EE:00:00:77"])
        try await station.daemon.tell("foreign_link", ["address": "C0:FF:EE:00:00:78", "adapter": "hci1"])
        try await expect(2, linksOf: one, station)
        try await expect(1, linksOf: other, station)
        await connection.disconnect()
        try await expect(1, linksOf: one, station)
        await one.close()
        await other.close()
    }

    /// Turning from one adapter to another, it asks for what it did not hear of the second one.
    @Test func whatAnAdapterHeardBeforeItsTurnIsAsked() async throws {
        let station = try await station()
        let central = central(nil, on: station)
        #expect(try await central.linkCount(before: station.soon) == 0)
        try await station.daemon.tell("foreign_link", ["address": "C0:FF:EE:00:00:78", "adapter": "hci1"])
        let (session, _) = try await central.station(before: station.soon)
        try await station.daemon.tell("power", ["on": false])
        try await session.wait(for: "the adapter to be off", before: station.soon) { state in
            state.mirror.adapters["/org/bluez/hci0"]?.isPowered == false ? () : nil
        }
        #expect(try await central.linkCount(before: station.soon) == 1)
        await central.close()
    }

    @Test func aUnitIsForgottenAfterItsRunUnlessItIsBonded() async throws {
        let station = try await Station()
        let path = "/org/bluez/hci0/dev_C0_FF_EE_00_00_01"
        let connection = try await station.connect()
        #expect(try await !station.central.forgetUnlessBonded(Station.address, deadline: station.soon), "it is connected")
        await connection.disconnect()
        try await station.daemon.tell("know", ["address": "C0:FF:EE:00:00:02", "paired": true])
        #expect(try await station.central.forgetUnlessBonded(Station.address, deadline: station.soon))
        #expect(try await !station.central.forgetUnlessBonded(Station.address, deadline: station.soon))
        #expect(try await !station.central.forgetUnlessBonded(DeviceAddress("C0:FF:EE:00:00:02")!, deadline: station.soon))
        #expect(try await station.daemon.state().removed == [path])
        try await station.expectNothingLeft()
    }
}

/// A folder like /sys/class/bluetooth, gone with its owner.
final class TemporaryFolderOfLinks {
    let path: String

    init(_ targets: [String: String]) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-ports-\(UUID().uuidString)").path
        for (name, target) in targets {
            try FileManager.default.createDirectory(atPath: "\(path)/\(name)", withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)/device", withDestinationPath: target)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
