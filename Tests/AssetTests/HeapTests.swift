import Bluetooth
import Foundation
import Support
import TestSupport
import Testing

/// The scripts' share of the small heap (`-X heapsize`).
@Suite(.enabled(if: TestTools.mayRunMicroPython, "MicroPython is missing: run Tools/setup tests"))
struct HeapTests {
    @Test func aLongConversationLeavesTheHeapAsItWas() async throws {
        // The collector may take an old number on the stack for a reference to the last page: some runs keep one, and no more.
        let short = min(try await Self.freeBytes(afterMessages: 10), try await Self.freeBytes(afterMessages: 40))
        let long = try await Self.freeBytes(afterMessages: 400)
        // Room for a host that interrupts and uploads, and no growth but for the odd fragment.
        #expect(short > 23 * 1024)
        #expect(long > short - 512, "\(short) bytes free at first, \(long) at the end")
    }

    /// Asks, gets so many pieces of answers, and then looks at the heap through the REPL.
    private static func freeBytes(afterMessages count: Int) async throws -> Int {
        let free = FreeBytes()
        try await ConversationTests.withPhone { bench, phone in
            let complaints = try await phone.connection.subscribe(
                to: Phone.terminal, deadline: phone.clock.deadline(in: .seconds(2)))
            try await ConversationTests.ask(bench, phone)
            for number in 0..<count {
                if number.isMultiple(of: 40) {
                    try await phone.send("pin:", "\(number)")
                    _ = try await phone.next()
                }
                try await phone.send("res:", "piece \(number) of an answer with \u{201C}quotes\u{201D} and more words, ")
                try await bench.pause(.milliseconds(120))
            }
            try await phone.send("pin:", "last")
            _ = try await phone.next()
            try await phone.send("res:", "the end")
            try await bench.waitForLines(["the end"])
            #expect(try await complaints.next(before: phone.clock.deadline(in: .seconds(1)), on: phone.clock) == nil)
            await free.set(try await measure(phone, bench))
        }
        return await free.value
    }

    private actor FreeBytes {
        var value = 0
        func set(_ new: Int) { value = new }
    }

    private static func measure(_ phone: Phone, _ bench: Bench) async throws -> Int {
        let limit = phone.clock.deadline(in: .seconds(2))
        let repl = try await phone.connection.subscribe(to: Phone.terminal, deadline: limit)
        let channel = try await phone.connection.openChannel(
            to: AttributeID("6e400002-b5a3-f393-e0a9-e50e24dcca9e"), deadline: limit)
        try await channel.send([3, 3, 1], deadline: limit)
        try await bench.pause(.seconds(1))
        let question = "import gc\ngc.collect()\nprint('free',gc.mem_free())\u{4}"
        try await channel.send(Array(question.utf8), deadline: phone.clock.deadline(in: .seconds(1)))
        var answer = ""
        while let piece = try await repl.next(before: phone.clock.deadline(in: .seconds(2)), on: phone.clock) {
            answer += String(decoding: piece, as: UTF8.self)
        }
        let free = answer.firstMatch(of: /free ([0-9]+)/).flatMap { Int($0.1) }
        return try #require(free, "\(answer)")
    }
}
