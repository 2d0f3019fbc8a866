import Bluetooth
import Foundation
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// Which units a command line means.
@Suite struct FleetOptionTests {
    private let harness = Harness()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func flash(_ arguments: [String], _ expect: @escaping @Sendable (FlashRequest) throws -> Void) async -> Int32 {
        let services = FakeServices(onFlashFleet: { request, _ in
            try expect(request)
            return FleetReport(entries: [try FleetSample.flashed(1)])
        })
        return await Noafw.execute(in: harness.context(["flash"] + arguments, services: services))
    }

    @Test func everybodyInReachByTwoAdapters() async {
        let code = await flash(
            [
                "--all", "--family", "frame", "--adapter", "hci1", "--adapter", "00:1A:7D:DA:71:13", "--jobs", "3", "--wait", "2.5",
                "--canary", "2", "--stop-after", "0"
            ]
        ) { request in
            #expect(request.fleet.units == .inReach && request.fleet.family == "frame" && request.fleet.jobsPerAdapter == 3)
            #expect(request.fleet.adapters == ["hci1", "00:1A:7D:DA:71:13"] && request.fleet.wait == .seconds(2.5))
            #expect(request.limits?.canary == 2 && request.limits?.stopAfter == 0)
            #expect(request.limits?.guarded.inARow == 0 && request.limits?.guarded.share == nil)
        }
        #expect(code == 0)
    }

    @Test func countedVirtualUnitsHaveNames() async {
        let code = await flash(["--virtual", "monocle", "--virtual", "frame:b", "--count", "3", "--virtual-speed", "max"]) { request in
            guard case .virtual(let names, let speed) = request.fleet.units else { return #expect(Bool(false)) }
            #expect(names.map(\.description) == ["monocle", "monocle:2", "monocle:3", "frame:b", "frame:b-2", "frame:b-3"])
            #expect(speed == .maximum && request.fleet.families.map(\.id) == ["monocle", "frame"])
            #expect(request.limits?.canary == nil && request.limits?.stopAfter == 2 && request.fleet.jobsPerAdapter == 2)
        }
        #expect(code == 0)
    }

    @Test func aListNamesTheUnits() async throws {
        let list = try folder.write("# the bench\r\nc0:00:00:00:00:01 # left\n\n  Frame 4F  \n#C0:00:00:00:00:02\n", to: "units")
        let code = await flash(["--devices", list]) { request in
            guard case .listed(let units) = request.fleet.units else { return #expect(Bool(false)) }
            #expect(units.map(\.selector) == [.address(FleetSample.address(1)), .name("Frame 4F")])
        }
        #expect(code == 0)
    }

    @Test(arguments: [
        ("C0:00:00:00:00:01\n\nc0:00:00:00:00:01\n", "NOA-0042", "lines 1 and 3"), ("a\nb\na", "NOA-0042", "lines 1 and 3"),
        ("# nobody\n \n", "NOA-0044", "names no unit"), (String(repeating: "x", count: 65), "NOA-0041", "line 1"),
        ("a\nb\u{1}c\n", "NOA-0041", "line 2")
    ])
    func aBadListIsRefusedWithItsLines(text: String, code: String, words: String) async throws {
        let list = try folder.write(text, to: "units")
        let status = await Noafw.execute(in: harness.context(["verify", "--devices", list, "--json"]))
        #expect(status == (code == "NOA-0044" ? 69 : 65))
        #expect(harness.diagnostics.contains(code) && harness.diagnostics.contains(words), "\(harness.diagnostics)")
        #expect(try ToolBench.json(harness.output)["verdict"] as? String == "fail")
    }

    @Test func aListIsBounded() throws {
        #expect(throws: DeviceListError.notText(path: "l", line: 2)) { try DeviceList.parse(Array("a\n".utf8) + [0xFF], "l") }
        let many = (0...DeviceList.unitLimit).map { "unit \($0)" }.joined(separator: "\n")
        #expect(throws: DeviceListError.tooMany(path: "l", limit: DeviceList.unitLimit)) { try DeviceList.parse(Array(many.utf8), "l") }
        #expect(
            try DeviceList.parse(Array("\u{FEFF}a\r\nb\r\n".utf8), "l").map(\.description) == ["a", "b"],
            "as an editor of Windows writes it")
        #expect(try DeviceList.parse(Array("a#b".utf8), "l").map(\.description) == ["a#b"], "a name may hold it")
    }

    @Test(arguments: [
        ["flash", "--all", "--device", "x"], ["flash", "--all", "--nearest"], ["flash", "--all", "--virtual", "monocle"],
        ["flash", "--count", "2"],
        ["flash", "--virtual", "monocle", "--count", "0"], ["flash", "--virtual", "monocle", "--count", "1001"],
        ["flash", "--virtual", "monocle", "--virtual", "monocle"],
        ["flash", "--virtual", "monocle:2", "--virtual", "monocle", "--count", "2"],
        ["flash", "--adapter", "hci0", "--adapter", "hci1"], ["flash", "--all", "--adapter", "hci0", "--adapter", "hci0"],
        ["flash", "--jobs", "2"],
        ["flash", "--all", "--jobs", "5"], ["flash", "--all", "--jobs", "0"], ["flash", "--canary", "1"],
        ["flash", "--all", "--canary", "-1"],
        ["flash", "--all", "--wait", "0"], ["flash", "--all", "--wait", "inf"], ["flash", "--all", "--serial", "4711"],
        ["flash", "--serial", "ask"],
        ["verify", "--all", "--canary", "1"], ["verify", "--all", "--csv", "-", "--junit", "-"],
        ["verify", "--all", "--csv", "-", "--events", "-"],
        ["verify", "--expect", "a.zip", "--bundle", "a.zip"], ["flash", "--watch", "--all"], ["flash", "--watch", "--dry-run"],
        ["flash", "--again"], ["flash", "--watch", "--near", "3"], ["flash", "--watch", "--serial-pattern", "a"],
        ["flash", "--watch", "--serial", "12"],
        ["flash", "--watch", "--serial", "ask", "--serial-pattern", "a)("], ["flash", "--adapter", "usb:x"],
        ["flash", "--watch", "--near", "-50", "--devices", "list"], ["flash", "--watch", "--near", "-50", "--virtual", "monocle"],
    ])
    func wrongCommandLinesRunNothing(arguments: [String]) async {
        #expect(await Noafw.execute(in: harness.context(arguments)) == 64)
        #expect(harness.output == "" && harness.diagnostics.hasPrefix("Error: "), "\(harness.diagnostics)")
    }

    /// The verbs that work on one unit wait for it, too.
    @Test func everyVerbWaits() async throws {
        let services = FakeServices(
            onFlash: { request, _ in
                #expect(request.fleet.wait == .seconds(7) && request.fleet.adapters == ["usb:1-1.4"])
                return try Sample.flashed()
            },
            onVerify: { request, _ in
                #expect(request.fleet.wait == .seconds(7))
                return try Sample.verified(scriptsMatch: true)
            },
            onRescue: { request, _ in
                #expect(request.fleet.wait == .seconds(7))
                return RescueReport(fleet: FleetReport(entries: []), heard: StrandedUnits())
            },
            onPair: { request in
                #expect(request.unit.isOne && request.unit.wait == .seconds(7))
                throw UnitSelectionError.none
            })
        #expect(await Noafw.execute(in: harness.context(["flash", "--wait", "7", "--adapter", "usb:1-1.4"], services: services)) == 0)
        #expect(await Noafw.execute(in: harness.context(["verify", "--wait", "7"], services: services)) == 0)
        #expect(await Noafw.execute(in: harness.context(["rescue", "--wait", "7"], services: services)) == 0)
        #expect(await Noafw.execute(in: harness.context(["pair", "--wait", "7"], services: services)) == 69)
        for verb in ["chat", "console"] {
            #expect(await Noafw.execute(in: harness.context([verb, "--help"])) == 0)
        }
        #expect(harness.output.components(separatedBy: "--wait <seconds>").count >= 3)
    }
}
