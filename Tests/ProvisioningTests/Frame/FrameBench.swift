import Bluetooth
import DFU
import Foundation
import FrameFamily
import Provisioning
import ScriptBundle
import Support
import TestSupport
import Testing

@testable import VirtualDevices

/// A virtual Frame on a bench of simulated time with a host that keeps its bonds, and small assets.
struct FrameBench: Sendable {
    static let firmwareVersion = "v26.300.1200"
    private static let key = Result { try SigningKey.generate() }

    let root: URL
    let bonds = BondStore()
    var faults = FaultPlan()
    var factory = FrameFirmware.v25_080

    init() { root = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-frame-\(UUID().uuidString)") }

    /// The same unit before another host.
    init(sharing other: FrameBench) { root = other.root }

    func remove() { try? FileManager.default.removeItem(at: root) }

    /// Too large to stand behind the old one: an image that is not is laid over files and bond first.
    static let wholeSize = 300_000

    static func assets(firmware size: Int? = wholeSize, scripts: ScriptSet? = nil) throws -> AssetSet {
        AssetSet(firmware: try size.map { try firmware(size: $0) }, scripts: try scripts ?? telling())
    }

    static func firmware(version: String = firmwareVersion, size: Int = wholeSize) throws -> FirmwareAsset {
        var generator = SeededGenerator(seed: 7)
        var image = (0..<size).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        image.replaceSubrange(1000..<1014, with: [0] + Array(version.utf8) + [0])
        let key = try key.get()
        let packet = try InitPacketBuilder(image: image, firmwareVersion: 0, target: .frame).signed(by: key)
        let package = try DFUPackage(bytes: try DFUPackageWriter(image: image, initPacket: packet).archive())
        return try .init(package: package, version: nil, target: .frame, trusting: [key.trusted(as: "test")])
    }

    /// Any bytes that a comment can have: line ends of all kinds, lines of 511, 512 and 513 bytes, an end without one.
    static let oddModule: [UInt8] = {
        var bytes = Array("local M = { name = \"odd\" }\r\n--[==[\n\n".utf8)
        for count in [511, 512, 513, 1024, 0, 0, 3] { bytes += Array(repeating: UInt8(ascii: "x"), count: count) + [0x0A] }
        return bytes + Array(0...255) + Array("\n]==]\nreturn M -- \"\\\u{1}\u{3}\u{4}".utf8)
    }()

    /// A program that tells its version at its start and when it is asked.
    static func telling(padding: Int = 0) throws -> ScriptSet {
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
            """ + "\n--" + String(repeating: "p", count: padding))
    }

    static func set(_ main: String) throws -> ScriptSet {
        try ScriptSet(
            files: [.init(name: "odd.lua", bytes: oddModule), .init(name: "main.lua", bytes: Array(main.utf8))], family: .frame)
    }

    func folder() throws -> UnitFolder { try UnitFolder.frame(root: root, name: "bench", firmware: factory) }

    /// Puts a file on the unit while it is off.
    func leave(_ content: String, as name: String) throws {
        try folder().put(Array(content.utf8), at: #require(FramePath(Array(name.utf8))))
    }

    /// The unit forgets its bond while it is off.
    func unpairUnit() throws { try folder().save(FrameBond()) }

    /// Another host made the bond that the unit has.
    func bondElsewhere() throws { try folder().save(FrameBond(key: Array(repeating: 7, count: FrameBond.keyLength))) }

    /// Puts the unit on the air in simulated time and runs `body`. What `body` leaves behind is the unit's folder.
    func play<Value: Sendable>(
        _ body: @escaping @Sendable (VirtualCentral, VirtualUnit) async throws -> Value
    ) async throws -> Value {
        var configuration = FrameConfiguration(python: try TestTools.require(TestTools.python, "the Python of .venv"))
        let coordinates = try Self.key.get().publicCoordinates
        configuration.trustedKeys.append(Array(coordinates.prefix(32).reversed()) + Array(coordinates.dropFirst(32).reversed()))
        configuration.faults = faults
        let air = VirtualAir(time: .simulated())
        let unit = try VirtualUnit.frame(folder: try folder(), configuration: configuration, air: air)
        let bonds = bonds
        return try await air.time.run {
            try await withVirtualUnit(unit) { try await body(VirtualCentral(air: air, bonds: bonds), unit) }
        }
    }

    func flash(
        _ assets: AssetSet, options: JobOptions = JobOptions(), report: @escaping @Sendable (JobEvent) -> Void = { _ in }
    ) async throws -> UnitReport {
        try await play { central, unit in
            try await ProvisioningJob(family: .frame, central: central, address: unit.address, assets: assets, options: options)
                .run(report: report)
        }
    }

    func verify(_ assets: AssetSet, isDeep: Bool = true) async throws -> VerifyReport {
        try await play { central, unit in
            try await VerifyJob(family: .frame, central: central, address: unit.address, assets: assets, isDeep: isDeep).run { _ in }
        }
    }
}
