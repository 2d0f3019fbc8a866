import Foundation
import TestSupport
import Testing

@testable import FrameFamily

/// What is sent to a Frame is Lua, and asks for nothing that the oldest firmware which is known does not have.
@Suite(.enabled(if: TestTools.mayRunLua, "Lua is missing")) struct FrameSentCodeTests {
    /// Of frame-codebase at v24.149 (`lua_libraries`).
    private static let names: Set<Substring> = [
        "frame.FIRMWARE_VERSION", "frame.battery_level", "frame.update", "frame.sleep", "frame.bluetooth.receive_callback",
        "frame.imu.tap_callback", "frame.microphone.stop", "frame.file.open", "frame.file.remove", "frame.file.rename",
        "frame.file.listdir", "frame.file.mkdir", "frame.file",
        // max_length, send and is_connected.
        "frame.bluetooth", "frame.bluetooth.max_length",
        // auto, capture, read, and by version image_ready, power_save and wake.
        "frame.camera", "frame.time.utc",
    ]

    @Test func onlyKnownNamesAreUsed() {
        #expect(FrameConsole.sentCode.count > 5)
        for code in FrameConsole.sentCode {
            let used = Set(code.matches(of: /\bframe(?:\.\w+)+/).map(\.output))
            #expect(used.subtracting(Self.names).isEmpty, "\(used.subtracting(Self.names))")
            // `write` and its like are methods of files and strings; these libraries are not there.
            #expect(code.firstMatch(of: /\b(io|os|package)\./) == nil, "\(code)")
        }
    }

    @Test func allOfItIsLua() throws {
        let folder = try TemporaryFolder()
        let compiler = try TestTools.require(TestTools.luac, "luac5.4")
        for (index, code) in FrameConsole.sentCode.enumerated() {
            let file = folder.url.appendingPathComponent("code\(index).lua")
            try Data(code.utf8).write(to: file)
            let run = try runProgram(compiler, ["-p", file.path])
            #expect(run.status == 0, "\(run.output)")
        }
    }
}
