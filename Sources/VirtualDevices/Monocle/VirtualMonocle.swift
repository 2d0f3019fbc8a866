import Bluetooth
import Foundation
import Support
import Synchronization

/// What a virtual Monocle is made of besides its folder.
public struct MonocleConfiguration: Sendable {
    /// A Python 3 beside which the unit's interpreter stands (`Tools/setup runtime`).
    public var python: String
    /// P-256 public keys the bootloader trusts: 64 bytes each, x then y, big-endian.
    public var trustedKeys: [[UInt8]] = [VendorKeys.monocle]
    /// FPGA images this unit's FPGA can run: version text by SHA-256 in lower-case hexadecimal.
    public var fpgaVersions: [String: String] = [:]
    public var faults = FaultPlan()
    /// ATT payload is at most 253 bytes with the application (MTU 256), 244 with the bootloader.
    public var largestMTU = 256
    /// Link set-up and service discovery, as a host sees them. Zero when a real host does them.
    public var linkSetUp: Duration = .milliseconds(400)

    public init(python: String) { self.python = python }
}

/// The vendor's released FPGA image, known by its digest.
let vendorFPGAVersions = ["951e8f3bb8d4c87a2293b6a12440b8bd2490d163adb6405830dd12bea35ec731": "v23.230.0808"]

/// A Monocle: real MicroPython behind a modelled link, a modelled bootloader, modelled flash. Written from the facts
/// about the device; shares no code with the client.
public final class VirtualMonocle: Sendable {
    public let address: DeviceAddress
    let events = Inbox<UnitEvent>(capacity: 1 << 16)
    private let folder: UnitFolder
    private let configuration: MonocleConfiguration
    private let air: VirtualAir
    private let delivered = Mutex(0)

    /// Packets that have reached the unit so far: what ``FaultPlan/cuts`` counts.
    public var deliveredPackets: Int { delivered.withLock { $0 } }

    public init(folder: UnitFolder, configuration: MonocleConfiguration, air: VirtualAir) throws {
        guard let address = DeviceAddress(try folder.identity().address) else {
            throw UnitFolderError.unreadable(path: folder.root.path + "/unit.json", reason: "it holds no address")
        }
        self.address = address
        self.folder = folder
        self.configuration = configuration
        self.air = air
    }

    /// Plays the unit until cancelled. Throws when the machine cannot play it (no interpreter, no disk).
    public func run() async throws {
        var loop = try MonocleLoop(
            folder: folder, configuration: configuration, air: air, events: events, address: address)
        defer {
            loop.powerDown()
            air.publish(nil, from: events)
        }
        loop.powerOn()
        while true {
            let count = loop.packetCount
            delivered.withLock { $0 = count }
            let now = loop.now
            let deadline = loop.nextDeadline ?? now + .seconds(3600)
            if deadline <= now {
                try loop.advance()
            } else if let event = try await events.next(before: .init(offset: deadline), on: air.time.clock) {
                try loop.handle(event)
            } else {
                try loop.advance()
            }
        }
    }

    /// What this unit answers at most to a central that asks for any MTU.
    func largestMTU(inBootloader: Bool) -> Int {
        let mtu = configuration.largestMTU
        return inBootloader ? SecureBootloader.negotiatedMTU(requested: mtu) : mtu
    }

    /// The words of a command that prints which interpreter a unit would run.
    public static func versionCommand(python: String) -> [String] {
        guard let scripts = try? UnitFolder.scripts() else { return [] }
        return Interpreter.program(python: python, scripts: scripts) + ["--version"]
    }

    /// Does what a person's hand does.
    public func hand(_ event: HandEvent) { events.deliver(.hand(event)) }
}

/// Runs `body` with a virtual Monocle on the air.
public func withVirtualMonocle<Value: Sendable>(
    _ monocle: VirtualMonocle, body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            try await monocle.run()
            return nil
        }
        group.addTask { try await body() }
        defer { group.cancelAll() }
        while let value = try await group.next() {
            if let value { return value }
        }
        throw CancellationError()
    }
}
