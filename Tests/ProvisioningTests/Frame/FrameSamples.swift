import DFU
import Foundation
import FrameFamily
import Provisioning
import ScriptBundle
import Testing

@testable import VirtualDevices

/// Small assets for a Frame.
enum FrameSamples {
    /// Too large to stand behind the old one: an image that is not is laid over files and bond first.
    static let wholeSize = 300_000

    static func assets(firmware size: Int? = wholeSize, scripts: ScriptSet? = nil) throws -> AssetSet {
        AssetSet(try size.map { try Bench.firmware(size: $0, number: 0, target: .frame) }, try scripts ?? telling())
    }

    /// Any bytes that a comment can have: line ends of all kinds, lines of 511, 512 and 513 bytes, an end without one.
    static let oddModule: [UInt8] = {
        var bytes = Array("local M = { name = \"odd\" }\r\n--[==[\n\n".utf8)
        for count in [511, 512, 513, 1024, 0, 0, 3] { bytes += Array(repeating: UInt8(ascii: "x"), count: count) + [0x0A] }
        return bytes + Array(0...255) + Array("\n]==]\nreturn M -- \"\\\u{1}\u{3}\u{4}".utf8)
    }()

    /// A program that tells its version at its start and when it is asked.
    /// - Parameter hasZeros: bytes of 0, at which firmware before v24.255 cuts a write off (frame-codebase, `file.c`).
    static func telling(padding: Int = 0, hasZeros: Bool = true) throws -> ScriptSet {
        try set("""
            require("odd")
            local asked = false
            local function tell() pcall(frame.bluetooth.send, "\\x18" .. ARGPT_VERSION) end
            frame.bluetooth.receive_callback(function(data) if data == "\\x17" then asked = true end end)
            tell()
            while true do
                if asked then asked = false tell() end
                frame.sleep(0.05)
            end
            """ + "\n--" + String(repeating: "p", count: padding), odd: hasZeros ? oddModule : oddModule.filter { $0 != 0 })
    }

    static func set(_ main: String, odd: [UInt8] = oddModule) throws -> ScriptSet {
        try ScriptSet(
            files: [.init(name: "odd.lua", bytes: odd), .init(name: "main.lua", bytes: Array(main.utf8))], family: .frame)
    }
}

// MARK: - What is done to a Frame that is off

extension Bench {
    func frameFolder() throws -> UnitFolder { try UnitFolder.frame(root: root, name: "bench") }

    func leave(_ content: String, as name: String) throws {
        try frameFolder().put(Array(content.utf8), at: #require(FramePath(Array(name.utf8))))
    }

    func makeFolder(_ name: String) throws {
        let path = try #require(FramePath(Array(name.utf8)))
        try FileManager.default.createDirectory(atPath: try frameFolder().host(path), withIntermediateDirectories: true)
    }

    /// The unit forgets its bond.
    func unpairUnit() throws { try frameFolder().save(FrameBond()) }

    /// Another host made the bond that the unit has.
    func bondElsewhere() throws { try frameFolder().save(FrameBond(key: Array(repeating: 7, count: FrameBond.keyLength))) }
}
