import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices
@testable import VirtualUnitServer

/// The unit as a radio bridge sees it: messages in, messages out.
private struct Bridge: Sendable {
    let messages: Inbox<BridgeMessage>
    let answers: Inbox<UnitMessage>
    let clock: SessionClock
    static let receive = "6e400002-b5a3-f393-e0a9-e50e24dcca9e"
    static let transmit = "6e400003-b5a3-f393-e0a9-e50e24dcca9e"
    static let controlPoint = "8ec90001-f315-4f60-9fb8-838830daea50"

    /// What comes next of those the filter gives a value for; everything else is passed over.
    func await<Value>(_ what: String, _ filter: (UnitMessage) -> Value?) async throws -> Value {
        while let answer = try await answers.next(before: clock.deadline(in: .seconds(30)), on: clock) {
            if let value = filter(answer) { return value }
        }
        throw LinkError.timedOut(what)
    }

    func awaitAdvertisement() async throws -> (address: String, name: String, mtu: Int, table: [ServiceDescription]) {
        try await self.await("an advertisement") {
            if case .advertise(let address, let name, _, _, let mtu, _, let table) = $0 { (address, name, mtu, table) } else { nil }
        }
    }

    /// - Returns: the MTU of the link.
    func connect(_ link: Int, mtu: Int = 517) async throws -> Int {
        messages.deliver(.connect(link: link, mtu: mtu))
        return try await self.await("the link") { if case .connected(link, let mtu) = $0 { mtu } else { nil } }
    }

    func send(_ text: String) { messages.deliver(.command(characteristic: Self.receive, value: HexBytes(Array(text.utf8)))) }

    /// Collects notifications until the text ends so.
    func read(until ending: String) async throws -> String {
        var text = ""
        while !text.hasSuffix(ending) {
            let bytes = try await self.await("output ending in \(ending), after \(text)") { message -> [UInt8]? in
                if case .notify(_, let value) = message { value.bytes } else { nil }
            }
            text += String(decoding: bytes, as: UTF8.self)
        }
        return text
    }

    func enterRawREPL() async throws {
        messages.deliver(.subscribe(characteristic: Self.transmit, isOn: true))
        send("\u{3}\u{3}\u{1}")
        _ = try await read(until: "raw REPL; CTRL-B to exit\r\n>")
    }

    /// The ATT error of a write with response.
    func write(_ bytes: [UInt8], to characteristic: String, id: Int) async throws -> UInt8? {
        messages.deliver(.write(id: id, characteristic: characteristic, value: HexBytes(bytes)))
        return try await self.await("the answer to a write") { message -> UInt8?? in
            if case .written(id, let error) = message { .some(error) } else { nil }
        }
    }
}

private func withServer(mtu: Int = 256, _ body: @escaping @Sendable (Bridge, DeviceAddress) async throws -> Void) async throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-server-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    var configuration = UnitConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
    configuration.largestMTU = mtu
    configuration.linkSetUp = .zero
    let air = VirtualAir(time: .simulated())
    let unit = try VirtualUnit.monocle(folder: try UnitFolder.monocle(root: root, name: "served"), configuration: configuration, air: air)
    let bridge = Bridge(messages: Inbox(), answers: Inbox(), clock: air.time.clock)
    try await air.time.run {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await UnitServer(unit: unit, air: air) { bridge.answers.deliver($0) }.run(bridge.messages) }
            group.addTask { try await body(bridge, unit.address) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}

@Suite struct UnitServerTests {
    @Test func aCentralReachesPython() async throws {
        try await withServer { bridge, address in
            let shown = try await bridge.awaitAdvertisement()
            #expect(shown.address == address.description)
            #expect(shown.name == "monocle")
            #expect(shown.mtu == 256)
            #expect(shown.table == MonocleAttributes.table.services.map(ServiceDescription.init))
            #expect(try await bridge.connect(1) == 256)
            try await bridge.enterRawREPL()
            bridge.send("print(6*7)\u{4}")
            #expect(try await bridge.read(until: "\u{4}>") == "OK42\r\n\u{4}\u{4}>")
        }
    }

    @Test func theBootloaderIsAnotherDevice() async throws {
        try await withServer { bridge, address in
            _ = try await bridge.awaitAdvertisement()
            _ = try await bridge.connect(1)
            try await bridge.enterRawREPL()
            bridge.send("import update;update.micropython()\u{4}")
            let shown = try await bridge.awaitAdvertisement()
            #expect(shown.address == address.bootloader.description)
            #expect(shown.name == "DfuTarg")
            #expect(shown.mtu == 247)
            // The central believes in the first link until its supervision timeout, and has a second one by then.
            #expect(try await bridge.connect(2) == 247)
            let isTimeout = try await bridge.await("the first link's end") { message -> Bool? in
                if case .gone(1, let isTimeout) = message { isTimeout } else { nil }
            }
            #expect(isTimeout)
            #expect(try await bridge.write([6, 1], to: Bridge.controlPoint, id: 1) == 0xFD)
            bridge.messages.deliver(.subscribe(characteristic: Bridge.controlPoint, isOn: true))
            #expect(try await bridge.write([6, 1], to: Bridge.controlPoint, id: 2) == nil)
            bridge.messages.deliver(.subscribe(characteristic: Bridge.controlPoint, isOn: false))
            #expect(try await bridge.write([6, 1], to: Bridge.controlPoint, id: 3) == 0xFD)
        }
    }

    @Test func aSmallMTUHoldsForBothIdentities() async throws {
        try await withServer(mtu: 64) { bridge, _ in
            #expect(try await bridge.awaitAdvertisement().mtu == 64)
            #expect(try await bridge.connect(1, mtu: 23) == 23)
            try await bridge.enterRawREPL()
            bridge.send("import bluetooth;print(bluetooth.max_length())\u{4}")
            #expect(try await bridge.read(until: "\u{4}>").hasPrefix("OK20\r\n"))
            bridge.send("import update;update.micropython()\u{4}")
            // A payload that is a multiple of 4.
            #expect(try await bridge.awaitAdvertisement().mtu == 63)
        }
    }

    @Test func aCutLinkEndsByTimeoutAndTheUnitComesBack() async throws {
        try await withServer { bridge, address in
            _ = try await bridge.awaitAdvertisement()
            _ = try await bridge.connect(7)
            let start = bridge.clock.now
            bridge.messages.deliver(.cutLink)
            #expect(try await bridge.awaitAdvertisement().address == address.description)
            let isTimeout = try await bridge.await("the end") { message -> Bool? in
                if case .gone(7, let isTimeout) = message { isTimeout } else { nil }
            }
            #expect(isTimeout)
            #expect(start.duration(to: bridge.clock.now) >= .seconds(2))
            // What was sent into the dead link is lost, and harms nobody.
            bridge.send("print(1)\u{4}")
            #expect(try await bridge.connect(8) == 256)
        }
    }

    @Test func aBridgeThatConnectsToASilentUnitIsRefused() async throws {
        try await withServer { bridge, _ in
            _ = try await bridge.awaitAdvertisement()
            bridge.messages.deliver(.cutPower)
            bridge.messages.deliver(.connect(link: 1, mtu: 517))
            let link = try await bridge.await("a refusal") { message -> Int? in
                if case .refused(let link, _) = message { link } else { nil }
            }
            #expect(link == 1)
        }
    }
}

@Suite struct MessageFrameTests {
    @Test func messagesSurviveTheStream() throws {
        let messages: [BridgeMessage] = [
            .connect(link: 3, mtu: 247), .write(id: 9, characteristic: "a", value: HexBytes([0, 0xFF])), .disconnect, .cutPower,
        ]
        let stream = try messages.flatMap { try MessageFrames.encode($0) }
        var frames = MessageFrames()
        var received: [BridgeMessage] = []
        for byte in stream {
            for body in try frames.receive([byte]) { received.append(try MessageFrames.decode(BridgeMessage.self, body)) }
        }
        #expect(received == messages)
        var whole = MessageFrames()
        #expect(try whole.receive(stream).count == messages.count)
    }

    @Test func theFormIsTheDocumentedOne() throws {
        let body = #"{"command":{"characteristic":"e570","value":"0a0B"}}"#
        #expect(
            try MessageFrames.decode(BridgeMessage.self, Array(body.utf8)) == .command(characteristic: "e570", value: HexBytes([10, 11])))
        #expect(try MessageFrames.encode(UnitMessage.taken) == [0, 0, 0, 12] + Array(#"{"taken":{}}"#.utf8))
    }

    @Test func aLengthBeyondTheLimitEndsTheStream() {
        var frames = MessageFrames()
        #expect(throws: MessageFrames.Failure.tooLong(0x0100_0000)) { try frames.receive([1, 0, 0, 0]) }
    }

    @Test(arguments: [
        "", "{}", #"{"fly":{}}"#, #"{"command":{"characteristic":"a","value":"0"}}"#, #"{"command":{"characteristic":"a","value":"zz"}}"#,
        #"{"command":{"characteristic":"a","value":"\#(String(repeating: "00", count: 513))"}}"#,
    ])
    func aBodyThatIsNoMessageIsRefused(body: String) {
        #expect(throws: MessageFrames.Failure.unreadable) { try MessageFrames.decode(BridgeMessage.self, Array(body.utf8)) }
    }
}
