import Bluetooth
import Foundation
import Support

/// The vendor's phone app as it was released (noa-for-ios, `MonocleController.swift`): base64 in one command, then a wait for its answer.
package struct PhoneApp: Sendable {
    package enum Refusal: Error, Hashable { case payloadTooSmall, stuck(chunk: Int) }

    /// The app refuses smaller payloads.
    private static let leastPayload = 101
    /// `update.Fpga.write(ubinascii.a2b_base64(b''))` and its ^D.
    private static let commandByteCount = 45
    private static let success = "OK\u{4}\u{4}>"
    /// Characters that are no answer any more.
    private static let answerLength = 5
    /// Before the chunk that begins another hundredth: for the app's own display.
    private static let displayPause = Duration.milliseconds(20)

    /// The app sends the same chunk for ever.
    private static let mostRepeats = 20

    package let prompt: TextPrompt

    package static func connect(to address: DeviceAddress, _ central: any Central) async throws -> PhoneApp {
        let connection = try await central.connect(to: address, security: .open, deadline: central.clock.deadline(in: .seconds(20)))
        return PhoneApp(prompt: try await TextPrompt(connection, clock: central.clock))
    }

    package init(prompt: TextPrompt) { self.prompt = prompt }

    package func enterRawREPL() async throws {
        try await prompt.send("\u{3}\u{3}\u{1}")
        _ = try await prompt.read(until: "raw REPL; CTRL-B to exit\r\n>", patience: .seconds(5))
    }

    /// - Returns: all up to the next prompt.
    package func ask(_ code: String, patience: Duration = .seconds(5)) async throws -> String {
        try await prompt.send(code + "\u{4}")
        return try await prompt.read(until: "\u{4}>", patience: patience)
    }

    package func eraseFPGA() async throws -> String {
        try await ask("import ubinascii,update,device,bluetooth,fpga;fpga.run(False);update.Fpga.erase()", patience: .seconds(20))
    }

    /// Sends the next chunk when one was answered, and the same again after anything else.
    /// - Parameter patience: lent: the app itself waits for ever.
    /// - Returns: how many chunks went again.
    package func writeFPGA(_ image: [UInt8], patience: Duration) async throws -> Int {
        let payload = prompt.connection.payloadSize
        guard payload >= Self.leastPayload else { throw Refusal.payloadTooSmall }
        let text = Array(Data(image).base64EncodedString().utf8)
        let size = (payload - Self.commandByteCount) / 3 / 4 * 4 * 3
        var (chunk, shown, repeats, inARow) = (0, 0, 0, 0)
        while chunk * size < text.count {
            let share = 100 * chunk * size / text.count
            if share > shown {
                shown = share
                try await prompt.clock.sleep(until: prompt.clock.deadline(in: Self.displayPause))
            }
            let part = String(decoding: text[chunk * size..<min(text.count, (chunk + 1) * size)], as: UTF8.self)
            try await prompt.send("update.Fpga.write(ubinascii.a2b_base64(b'\(part)'))\u{4}")
            if try await isAnswered(within: patience) {
                (chunk, inARow) = (chunk + 1, 0)
            } else {
                (repeats, inARow) = (repeats + 1, inARow + 1)
                guard inARow < Self.mostRepeats else { throw Refusal.stuck(chunk: chunk) }
            }
        }
        return repeats
    }

    private func isAnswered(within patience: Duration) async throws -> Bool {
        do {
            let answer = try await prompt.read(patience: patience) { seen in
                seen.firstRange(of: Array(Self.success.utf8)) != nil || seen.count >= Self.answerLength ? seen.count : nil
            }
            return answer.firstRange(of: Array(Self.success.utf8)) != nil
        } catch is TextPrompt.Silence {
            return false
        }
    }

    /// Newlines are all that the app escapes.
    package func put(_ content: String, as name: String) async throws -> String {
        try await ask("f=open('\(name)','w');f.write('''\(content)''');f.close()")
    }
}
