import Assistant
import Bluetooth
import Foundation
import OpenAI
import Provisioning
import Support
import TestSupport
import Testing
import VirtualDevices

@testable import noafw

/// From the verification to the conversation over one link.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct LiveChatUnitTests {
    private struct Bench: Sendable {
        let unit: StationUnit
        let device: VirtualDevices.VirtualUnit
        let files: URL
        let folder: String
        var clock: SessionClock { unit.central.clock }

        func chat(_ assistant: AssistantChoice = .echo) throws -> LiveChatUnit {
            let search = AssetSearch(
                given: TestTools.root.path, environment: [:], currentDirectory: TestTools.root.path, executable: nil)
            let selection = UnitSelection(units: .virtual([VirtualUnitName(family: unit.family.id, name: "held")], .maximum))
            let request = ChatRequest(
                unit: selection, inputs: AssetInputs(search: search), stateFolder: folder, assistant: assistant)
            return LiveChatUnit(
                unit: unit, support: try #require(unit.support.chat), rules: try #require(unit.family.provisioning), request: request,
                services: LiveServices(), recorder: nil, notices: HeldNotices { _ in })
        }

        func pause(_ duration: Duration) async throws { try await clock.sleep(until: clock.deadline(in: duration)) }

        func isAlive() async throws -> Bool {
            let file = files.appendingPathComponent("alive.txt")
            try await pause(.milliseconds(500))
            let before = try? Data(contentsOf: file)
            try await pause(.milliseconds(500))
            return try before != nil && before != Data(contentsOf: file)
        }
    }

    private static let main = """
        import time
        while True:
            with open("alive.txt", "w") as file:
                file.write(str(time.ticks_ms()))
            time.sleep_ms(50)
        """

    private static func with(
        _ support: SupportedFamily, _ body: @escaping @Sendable (Bench) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let root = folder.url.appendingPathComponent("unit")
        let air = VirtualAir(time: .simulated())
        let configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        let device: VirtualDevices.VirtualUnit
        if support.family.id == "frame" {
            device = try .frame(folder: .frame(root: root, name: "held"), configuration: configuration, air: air)
        } else {
            device = try .monocle(folder: .monocle(root: root, name: "held"), configuration: configuration, air: air)
            try Data(main.utf8).write(to: root.appendingPathComponent("files/main.py"))
        }
        let unit = StationUnit(support: support, central: VirtualCentral(air: air), address: device.address)
        let bench = Bench(unit: unit, device: device, files: root.appendingPathComponent("files"), folder: folder.path)
        try await air.time.run {
            try await withVirtualUnit(device) {
                try await bench.pause(.seconds(2))
                try await body(bench)
            }
        }
    }

    /// Begins the conversation.
    /// - Returns: what is known of the unit when its program runs; `nil` where the conversation was cancelled first, after `limit`.
    private static func begin(_ chat: LiveChatUnit, cancelledAfter limit: Duration = .seconds(60)) async throws -> UnitStatus? {
        let connected = Inbox<UnitStatus>()
        let clock = chat.unit.central.clock
        _ = try await chat.converse { environment in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await environment.converse(Inbox()) { if case .connected(let status) = $0 { connected.deliver(status) } }
                }
                if let status = try await connected.next(before: clock.deadline(in: limit), on: clock) { connected.deliver(status) }
                group.cancelAll()
                _ = await group.nextResult()
            }
            return ChatVerdict()
        }
        return connected.poll()
    }

    /// Firmware, battery and scripts are known, and the prompt is proven: a Monocle gets 6 packets instead of 11, a Frame 3 instead of 18.
    @Test(arguments: [(SupportedFamily.monocle, 5), (.frame, 15)])
    func nothingIsAskedTwice(support: SupportedFamily, saved: Int) async throws {
        try await Self.with(support) { bench in
            let verified = try bench.chat()
            _ = try await verified.compareVersions { _ in }
            let verifiedFrom = bench.device.deliveredPackets
            let status = try #require(try await Self.begin(verified))
            let asked = bench.device.deliveredPackets
            #expect(try await Self.begin(try bench.chat()) == status, "without a verification")
            let (held, fresh) = (asked - verifiedFrom, bench.device.deliveredPackets - asked)
            #expect(status.firmware != nil && status.batteryPercent == 80)
            #expect(fresh - held >= saved, "\(held) packets over the verified link, \(fresh) over a new one")
        }
    }

    /// From the first moment of the conversation to the start.
    @Test func cancelledBeforeTheStartItRunsOn() async throws {
        try await Self.with(.monocle) { bench in
            var count = 0
            while true {
                let chat = try bench.chat()
                _ = try await chat.compareVersions { _ in }
                let status = try await Self.begin(chat, cancelledAfter: .milliseconds(count * (TestRange.isFull ? 5 : 20)))
                #expect(try await bench.isAlive(), "cancelled at step \(count)")
                if status != nil { break }
                count += 1
            }
            #expect(count > 3)
        }
    }

    @Test func withoutAResponderItRunsOn() async throws {
        try await Self.with(.monocle) { bench in
            var settings = AssistantSettings()
            settings.certificateFile = "/no/certificates.pem"
            let chat = try bench.chat(.server(settings))
            _ = try await chat.compareVersions { _ in }
            await #expect(throws: AssistantError.self) { try await Self.begin(chat) }
            await chat.release()
            #expect(try await bench.isAlive())
        }
    }

    @Test func anUpdateThatDoesNotBeginLeavesTheProgramRunning() async throws {
        try await Self.with(.monocle) { bench in
            let chat = try bench.chat()
            _ = try await chat.compareVersions { _ in }
            await #expect(throws: CancellationError.self) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.cancelAll()
                    group.addTask { _ = try await chat.update([.scripts]) { _ in } }
                    try await group.waitForAll()
                }
            }
            await chat.release()
            #expect(try await bench.isAlive())
        }
    }
}
