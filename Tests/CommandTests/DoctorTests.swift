import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

@testable import noafw

@Suite struct DoctorTests {
    private typealias Adapter = DoctorFacts.Bluetooth.Adapter

    private let harness = Harness()

    private static func facts(_ change: (inout DoctorFacts.Bluetooth) -> Void = { _ in }) -> DoctorFacts {
        var bluetooth = DoctorFacts.Bluetooth(
            processID: 812, version: "5.66", adapters: [adapter("hci0")])
        bluetooth.kernel.timing = .init(leastInterval: 30, mostInterval: 50, supervision: 420)
        change(&bluetooth)
        return DoctorFacts(
            bluetooth: bluetooth, state: .success(.init(folder: "/home/op/.local/state/noafw", freeBytes: 5_000_000_000)),
            catalogue: .success(.init(description: "/line: firmware v23.248.0754", isDevelopment: false)),
            interpreters: [
                .init(name: "monocle", path: "/line/.venv/bin/monocle-python", version: "MicroPython 1.29.0"),
                .init(name: "frame", path: "/line/.venv/bin/frame-lua", version: "Lua 5.4.6"),
            ],
            luac: .init(name: "luac5.4", path: "luac5.4", version: "Lua 5.4.4"))
    }

    private static func adapter(_ name: String, isPowered: Bool = true, isDiscovering: Bool = false, connected: [String] = []) -> Adapter {
        Adapter(
            name: name, address: "00:1A:7D:DA:71:13", isPowered: isPowered, isDiscovering: isDiscovering, connected: connected)
    }

    private static func finding(_ category: Diagnosis.Category) -> DoctorFacts.Finding {
        .init(diagnosis: Diagnosis(
            "BLZ-0001", category, .station, "no answer", cause: "-", remedy: "log in"))
    }

    private func doctor(_ facts: DoctorFacts) async -> Int32 {
        await Noafw.execute(in: harness.context(["doctor"], services: FakeServices(onExamine: { _ in facts })))
    }

    private func checks(_ change: (inout DoctorFacts.Bluetooth) -> Void) -> [String: DoctorCheck] {
        Dictionary(DoctorCheck.all(Self.facts(change)).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func aSoundMachine() async {
        #expect(await doctor(Self.facts()) == 0)
        #expect(
            harness.output == """
                ok    bus               this user may talk to bluetoothd
                ok    bluetoothd        5.66, running, process 812
                ok    adapter           hci0 00:1A:7D:DA:71:13, powered
                ok    rfkill            not blocked
                ok    link              interval 30-50 ms, supervision 420 ms (a line needs 2000 ms: docs/hardware.md); the MTU is negotiated with each unit
                ok    clients           nobody else uses the adapter
                ok    remembered        no unit without a bond
                ok    state             /home/op/.local/state/noafw, 5000 MB free
                ok    catalogue         /line: firmware v23.248.0754
                ok    virtual-monocle   MicroPython 1.29.0 in /line/.venv/bin/monocle-python
                ok    virtual-frame     Lua 5.4.6 in /line/.venv/bin/frame-lua
                ok    luac              Lua 5.4.4, luac5.4

                first this machine is ready: wake a unit, then run noafw scan

                """)
    }

    /// What stands before is the cause of what stands behind.
    @Test func theEndSaysWhatToDoFirst() async throws {
        var facts = Self.facts {
            $0.adapters = [Self.adapter("hci0", isPowered: false)]
            $0.blocks = [.init(name: "hci0", by: "by software")]
        }
        #expect(DoctorAdvice(DoctorCheck.all(facts)).first.hasPrefix("rfkill: rfkill unblock bluetooth"))
        #expect(await doctor(facts) == 69)
        let words = harness.output.split(separator: "\n").suffix(2)
        #expect(words.first?.hasPrefix("first rfkill: ") == true)
        #expect(words.last == "else  without a radio, noafw flash --virtual monocle shows how it works")
        facts = Self.facts()
        facts.catalogue = .success(.init(description: "", isDevelopment: true))
        #expect(DoctorAdvice(DoctorCheck.all(facts)).first.contains("or go on with noafw scan"))
        let document = DoctorDocument(DoctorCheck.all(facts))
        #expect(document.first?.hasPrefix("catalogue: run: noafw assets fetch") == true && DoctorDocument([], error: Sample.failure).first == nil)
    }

    @Test func everythingWrongHasItsFix() {
        var facts = Self.facts {
            $0.version = "5.55"
            $0.adapters = [Self.adapter("hci0", isPowered: false, isDiscovering: true, connected: ["headphones"])]
            $0.adapters[0].remembered = 6400
            $0.blocks = [.init(name: "hci0", by: "by software")]
        }
        facts.interpreters[1].version = nil
        facts.luac.version = nil
        let checks = DoctorCheck.all(facts)
        #expect(checks.map(\.status) == [.ok, .warn, .fail, .fail, .ok, .warn, .warn, .ok, .ok, .ok, .warn, .warn])
        #expect(checks.filter { $0.status != .ok }.allSatisfy { $0.fix != nil })
    }

    /// Without bluetoothd the kill switches and the installed version are still told.
    @Test(arguments: [
        (false, .unavailable, 69, "bus"), (true, .permission, 77, "bus"), (false, .permission, 77, "bus"),
        (true, .unavailable, 69, "bluetoothd"), (true, .tryAgain, 75, "bluetoothd"),
    ] as [(Bool, Diagnosis.Category, Int32, String)])
    func theObstacleIsOneLineAndTheRestIsTold(isBusReachable: Bool, category: Diagnosis.Category, code: Int32, name: String) async {
        let facts = Self.facts {
            $0 = .init(isBusReachable: isBusReachable, blockingError: Self.finding(category), version: "5.66")
            $0.blocks = [.init(name: "hci0", by: "by software")]
        }
        #expect(await doctor(facts) == code)
        #expect(harness.output.contains("fail  \(name.padded(to: 16))  no answer"))
        #expect(harness.output.contains("fix: log in"))
        #expect(harness.output.contains("fail  rfkill            hci0 is blocked by software"))
        #expect(harness.output.contains("5.66 is installed"))
        #expect(!harness.output.contains("adapter  "))
    }

    @Test func theFirstFailureGivesTheExitCode() async {
        var facts = Self.facts { $0.blockingError = Self.finding(.permission) }
        facts.state = .failure(.init(diagnosis: CommandError.noStateFolder.diagnosis))
        #expect(await doctor(facts) == 77)
    }

    @Test func wantedAdapterIsLookedFor() {
        let missing = checks { $0.wanted = "hci7" }["adapter"]
        #expect(missing?.status == .fail && missing?.detail == "no hci7; there is hci0")
        let none = checks { $0.adapters = [] }["adapter"]
        #expect(none?.status == .fail && none?.detail == "none")
    }

    /// Every verb takes the first adapter that is on.
    @Test func theAdapterThatWouldBeTakenIsJudged() {
        let change = { (facts: inout DoctorFacts.Bluetooth) in
            facts.adapters = [Self.adapter("hci0", isPowered: false, connected: ["headphones"]), Self.adapter("hci1")]
        }
        let chosen = checks(change)
        #expect(chosen["adapter"]?.status == .ok && chosen["adapter"]?.detail.hasPrefix("hci1 ") == true)
        #expect(chosen["clients"]?.status == .ok, "whoever uses the other adapter does no harm")
        let wanted = checks {
            change(&$0)
            $0.wanted = "hci0"
        }
        #expect(wanted["adapter"]?.status == .fail && wanted["clients"]?.status == .warn)
    }

    @Test(arguments: [
        ("hci0", nil, [("hci0", false), ("hci1", true)], .warn), ("hci0", "hci0", [("hci0", false), ("hci1", true)], .fail),
        ("hci0", nil, [("hci0", false)], .fail), ("dell-bluetooth", nil, [("hci1", true)], .warn),
        ("dell-bluetooth", nil, [], .fail), ("hci0", nil, [], .fail),
    ] as [(String, String?, [(String, Bool)], DoctorCheck.Status)])
    func aBlockCountsWhereItStopsTheAdapter(
        blocked: String, wanted: String?, adapters: [(String, Bool)], status: DoctorCheck.Status
    ) {
        let found = checks {
            $0.wanted = wanted
            $0.adapters = adapters.map { Self.adapter($0.0, isPowered: $0.1) }
            $0.blocks = [.init(name: blocked, by: "by software")]
        }
        #expect(found["rfkill"]?.status == status)
        #expect(found["rfkill"]?.fix != nil)
    }

    @Test func anAdapterWithShortPacketsIsAWarning() {
        let link = checks {
            $0.kernel.version = "4.0"
            $0.kernel.sendsLongPackets = false
        }["link"]
        #expect(link?.status == .warn && link?.detail.hasPrefix("Bluetooth 4.0, short packets only, interval 30-50 ms") == true)
        #expect(checks { $0.kernel = AdapterCapabilities() }["link"]?.status == .ok)
    }

    @Test(arguments: ["hci1", "00:1a:7d:da:71:14", "usb:1-1.4"]) func theAdapterMayBeNamedInThreeWays(wanted: String) {
        let found = checks {
            $0.wanted = wanted
            $0.adapters.append(Adapter(name: "hci1", address: "00:1A:7D:DA:71:14", isPowered: true, isDiscovering: false, usbPort: "1-1.4"))
        }
        #expect(found["adapter"]?.detail == "hci1 00:1A:7D:DA:71:14, usb:1-1.4, powered")
    }

    @Test func adaptersThatShareAnAddressFail() {
        let twins = { (facts: inout DoctorFacts.Bluetooth) in
            facts.adapters = [Self.adapter("hci0"), Self.adapter("hci1")]
            facts.adapters[0].twins = ["hci1"]
            facts.adapters[1].twins = ["hci0"]
        }
        let refused = checks(twins)["adapter"]
        #expect(refused?.status == .fail && refused?.detail.contains("share one address (hci0, hci1)") == true)
        let third = checks {
            twins(&$0)
            $0.adapters.append(Adapter(name: "hci2", address: "00:1A:7D:DA:71:14", isPowered: true, isDiscovering: false))
        }
        #expect(third["adapter"]?.status == .ok, "one with an address of its own is taken")
    }

    /// bluetoothd 5.66 passes over an adapter that has another one's address.
    @Test func anAdapterThatIsNotShownIsAWarning() {
        let found = checks { $0.hidden = ["hci1"] }["adapter"]
        #expect(found?.status == .warn && found?.detail.hasSuffix("bluetoothd does not show hci1") == true && found?.fix != nil)
    }

    @Test func leftoversAreCounted() {
        #expect(checks { $0.adapters[0].remembered = 1 }["remembered"]?.detail == "1 unit without a bond")
        let many = checks { $0.adapters[0].remembered = 500 }["remembered"]
        #expect(many?.status == .warn && many?.detail == "500 units without a bond" && many?.fix != nil)
    }

    @Test(arguments: [
            (420.0, nil, " (a line needs 2000 ms"), (2000.0, nil, "supervision 2000 ms;"),
            (nil, 420.0, "420 ms by main.conf (a line needs 2000 ms"),
        (nil, 2000.0, "2000 ms by main.conf;"), (nil, nil, "needs root"),
    ] as [(Double?, Double?, String)])
    func theSupervisionTimeoutIsTold(kernel: Double?, configured: Double?, text: String) {
        let link = checks {
            $0.kernel.timing = kernel.map { .init(leastInterval: 30, mostInterval: 50, supervision: $0) }
            $0.settings.supervision = configured
        }["link"]
        #expect(link?.status == .ok && link?.detail.contains(text) == true, "\(link?.detail ?? "")")
    }

    @Test(arguments: [
        ("[LE]\nConnectionSupervisionTimeout=200\n", 2000), ("[General]\nConnectionSupervisionTimeout=200\n", nil),
        ("[LE]\n#ConnectionSupervisionTimeout=200\n", nil), ("[LE]\n ConnectionSupervisionTimeout = 42 \n[GATT]\n", 420),
        ("[LE]\nConnectionSupervisionTimeout=lots\n", nil), ("", nil),
    ] as [(String, Double?)])
    func mainConfSetsIt(text: String, supervision: Double?) throws {
        let folder = try TemporaryFolder()
        try folder.write(text, to: "main.conf")
        #expect(DaemonSettings(of: "\(folder.path)/main.conf").supervision == supervision)
        #expect(DaemonSettings(of: "/nonexistent").supervision == nil)
    }

    /// As Linux 6.1 writes them.
    @Test(
        arguments: [("LE: ff 79 01 00 00 00 00 00", true), ("LE: 1f 00 00 00 00 00 00 00", false), ("LE:", nil), ("", nil)]
            as [(String, Bool?)])
    func theKernelTellsOfTheAdapter(features: String, isLong: Bool?) throws {
        let folder = try TemporaryFolder()
        let files = [
            "conn_min_interval": "24\n", "conn_max_interval": "40\n", "supervision_timeout": "42\n", "hci_version": "9\n",
            "features": " 0: 00 00 00 00 60 00 00 80\n\(features)\n",
        ]
        for (name, text) in files { try folder.write(text, to: "hci0/\(name)") }
        let view = AdapterCapabilities(of: "hci0", in: folder.path)
        #expect(view.timing == .init(leastInterval: 30, mostInterval: 50, supervision: 420))
        #expect(view.version == "5.0" && view.sendsLongPackets == isLong)
        #expect(AdapterCapabilities(of: "hci1", in: folder.path) == AdapterCapabilities())
    }

    /// On this machine, whatever it has: a line for everything, and JSON that a script can read.
    @Test func theRealOneRuns() async throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let run = try bench.run(["doctor", "--json"])
        let document = try ToolBench.json(run.output)
        #expect(document["schema"] as? String == "noafw.doctor/1")
        let checks = try #require(document["checks"] as? [[String: Any]])
        #expect(checks.count >= 4)
        let names = checks.compactMap { $0["name"] as? String }
        #expect(
            Set(names).isSuperset(of: ["bus", "bluetoothd", "rfkill", "state", "catalogue", "virtual-monocle", "virtual-frame", "luac"]))
        // A reader of the document finds each by its name.
        #expect(Set(names.filter { $0 != "adapter" && $0 != "link" }).count == names.count { $0 != "adapter" && $0 != "link" })
    }
}

@Suite(.enabled(if: TestTools.mayRunMicroPython && TestTools.mayRunLua, "MicroPython or Lua is missing: run Tools/setup tests"))
struct InterpreterFactTests {
    private func facts(_ environment: [String: String]) async -> DoctorFacts {
        let search = AssetSearch(
            given: TestTools.root.path, environment: environment, currentDirectory: TestTools.root.path, executable: nil)
        return await DoctorFacts.gather(DoctorRequest(adapter: nil, search: search, stateFolder: nil, clock: .continuous))
    }

    @Test func theyAreTriedNotOnlyFound() async throws {
        let sound = await facts(["NOAFW_LUAC": try TestTools.require(TestTools.luac, "luac"), "PATH": "/usr/bin:/bin"])
        #expect(sound.interpreters.map(\.name) == ["monocle", "frame", "openbot", "keyboard"])
        #expect(sound.interpreters[0].version?.hasPrefix("MicroPython 1.") == true)
        #expect(sound.interpreters[1].version?.contains("Lua 5.4") == true)
        #expect(sound.luac.version?.hasPrefix("Lua 5.4") == true)
    }

    @Test func aProgramThatDoesNotRunThemIsNone() async {
        let broken = await facts(["NOAFW_PYTHON": "/bin/false", "NOAFW_LUAC": "/bin/false", "PATH": "/usr/bin:/bin"])
        #expect(broken.interpreters.allSatisfy { $0.version == nil } && broken.luac.version == nil)
    }
}
