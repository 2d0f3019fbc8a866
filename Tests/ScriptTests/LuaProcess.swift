import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// Real Lua in a process of its own, with the virtual unit's `frame` table.
final class LuaProcess {
    struct Ended: Error {}
    /// It computes for ever, and asks for nothing.
    struct Stuck: Error {}

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var wire = LuaWire()

    /// - Parameter files: the unit's file system.
    init(files: URL, isEarly: Bool) throws {
        let programs = try FrameHardware.programs()
        process.executableURL = URL(fileURLWithPath: try TestTools.require(TestTools.lua, "lua5.4"))
        process.arguments = [programs.appendingPathComponent("run.lua").path, programs.path, files.path] + (isEarly ? ["early"] : [])
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// What Lua asks next.
    func next() throws -> LuaWire.Request {
        while true {
            guard PollSet.wait(for: [output.fileHandleForReading.fileDescriptor], microseconds: 20_000_000) == [true] else {
                process.terminate()
                throw Stuck()
            }
            let bytes = output.fileHandleForReading.availableData
            guard !bytes.isEmpty else { throw Ended() }
            if let request = try wire.receive(bytes) { return request }
        }
    }

    func reply(_ reply: LuaWire.Reply, after interrupts: [LuaWire.Interrupt]) throws {
        try input.fileHandleForWriting.write(contentsOf: Data(LuaWire.encode(reply, after: interrupts)))
    }

    /// Lua ends when its standard input does.
    func end() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
