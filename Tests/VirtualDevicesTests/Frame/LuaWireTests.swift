import TestSupport
import Testing
@testable import VirtualDevices

struct LuaWireTests {
    @Test func aRequestComesWholeHoweverItIsCut() throws {
        let bytes = Array("send 7\na\nb 1\nc".utf8)
        for cut in 0..<bytes.count {
            var wire = LuaWire()
            #expect(try wire.receive(bytes[..<cut]) == nil)
            #expect(try wire.receive(bytes[cut...]) == .init(name: "send", payload: Array("a\nb 1\nc".utf8)))
            #expect(try wire.receive(Array("time 0\n".utf8)) == .init(name: "time", payload: []))
        }
    }

    @Test(arguments: [
        "\n", "send\n", "send x\n", "send -1\n", "send 9999999\n", "a b c\n", "send 1\nxy",
        String(repeating: "x", count: 65), "send " + String(repeating: "0", count: 64) + "\n",
    ])
    func whatIsNoRequestIsRefused(text: String) {
        var wire = LuaWire()
        #expect(throws: LuaWire.Garbled.self) { try wire.receive(Array(text.utf8)) }
    }

    @Test func interruptsGoBeforeTheReply() {
        let bytes = LuaWire.encode(.text("5"), after: [.data([0x11, 0x0A]), .tap, .breakSignal])
        #expect(bytes == Array("E data 2\n\u{11}\nE tap 0\nE break 0\nR ok 1\n5".utf8))
        #expect(LuaWire.encode(.none) == Array("R nil 0\n".utf8))
        #expect(LuaWire.encode(.refusal("busy")) == Array("R error 4\nbusy".utf8))
    }
}
