import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// What a program reads from `sys.stdin` (micropython, `shared/runtime/sys_stdio_mphal.c`), and how long the processor takes.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct UnitInputTests {
    private static func send(_ bytes: [UInt8], to terminal: Terminal) async throws {
        let channel = try await terminal.connection.openChannel(to: Terminal.receive, deadline: terminal.clock.deadline(in: .seconds(1)))
        for start in stride(from: 0, to: bytes.count, by: terminal.connection.payloadSize) {
            let packet = Array(bytes[start..<min(bytes.count, start + terminal.connection.payloadSize)])
            try await channel.send(packet, deadline: terminal.clock.deadline(in: .seconds(5)))
        }
        await channel.close()
    }

    /// Starts code that reads, sends it bytes, and returns what it prints.
    private func feed(_ code: String, _ bytes: [UInt8]) async throws -> String {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            try await terminal.send(code + "\u{4}")
            try await central.clock.sleep(until: central.clock.deadline(in: .milliseconds(300)))
            try await Self.send(bytes, to: terminal)
            return try await terminal.read(until: "\u{4}>", patience: .seconds(5))
        }
    }

    @Test func stdinGivesRawBytes() async throws {
        let bytes = (0...UInt8.max).filter { $0 != 0x03 && $0 != 0x1C }
        let code = "import sys\nb=bytearray(254)\nprint(sys.stdin.readinto(b),[i for i in range(254)if b[i]!=(i+(i>2)+(i>26))])"
        let answer = try await feed(code, bytes)
        // 0x0D became 0x0A.
        #expect(answer == "OK254 [12]\r\n\u{4}\u{4}>")
        let part = try await feed("import sys\nb=bytearray(9)\nprint(sys.stdin.readinto(b,4),b)", [1, 2, 4, 5])
        #expect(part == "OK4 bytearray(b'\\x01\\x02\\x04\\x05\\x00\\x00\\x00\\x00\\x00')\r\n\u{4}\u{4}>")
    }

    @Test func anInterruptIsDataWhenItIsOff() async throws {
        let code = "import sys,micropython\nb=bytearray(3)\nmicropython.kbd_intr(-1)\nsys.stdin.readinto(b)\nprint(b)"
        #expect(try await feed(code, [7, 3, 8]) == "OKbytearray(b'\\x07\\x03\\x08')\r\n\u{4}\u{4}>")
        #expect(try await feed("import sys\nsys.stdin.readinto(bytearray(3))", [7, 3]).contains("KeyboardInterrupt"))
    }

    /// It drains the ring, so a sender needs no credit while it reads.
    @Test func aReaderIsNeverOverrun() async throws {
        let code = "import sys\nb=bytearray(6000)\nsys.stdin.readinto(b)\nprint(sum(b))"
        #expect(try await feed(code, [UInt8](repeating: 9, count: 6000)) == "OK54000\r\n\u{4}\u{4}>")
    }

    /// What a reader leaves behind reaches the prompt: an error in it makes commands of data.
    @Test func theRestReachesThePrompt() async throws {
        let answer = try await feed("import sys\nsys.stdin.readinto(bytearray(2))\nraise ValueError", Array("abprint(6*7)\u{4}".utf8))
        #expect(answer.contains("ValueError"))
        #expect(answer.hasSuffix("OK42\r\n\u{4}\u{4}>") || !answer.contains("42"))
    }

    /// Output leaves in a wait only: a helper that prints and computes on is not heard.
    @Test func outputWaitsForAWait() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            try await terminal.send("print('early')\nfor i in range(200000):pass\u{4}")
            let start = central.clock.now
            #expect(try await terminal.read(until: "early\r\n", patience: .seconds(20)).contains("early"))
            #expect(start.duration(to: central.clock.now) > .seconds(1))
        }
    }

    /// A page of the flash takes two programs and 2.44 ms; Python's work takes time by what it is.
    @Test(arguments: [
        ("import update\nd=bytes(256)\nf=update.Fpga.write", "f(d)", 2.4...3.2),
        ("b=bytes(range(250))*4\nT=[b'ab']*256", "[T[v]for v in b]", 12.0...30.0),
        ("b=bytes(range(250))*4", "b.replace(b'a',b'bc')", 1.0...4.0),
        ("import gc", "gc.collect()", 0.7...6.0),
        ("", "pass", 0.0...1.0),
    ])
    func workTakesTime(setup: String, work: String, milliseconds: ClosedRange<Double>) async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run(setup + "\nimport time\nt=time.ticks_ms()\nfor i in range(8):" + work + "\nprint(time.ticks_ms()-t)")
            let answer = try await terminal.run("t=time.ticks_ms()\nfor i in range(16):" + work + "\nprint(time.ticks_ms()-t)")
            let spent = try #require(Double(answer.split(separator: "\n")[0].trimmingCharacters(in: .whitespaces))) / 16
            #expect(milliseconds.contains(spent), "\(spent) ms")
        }
    }
}
