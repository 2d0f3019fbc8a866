import Bluetooth
import Foundation
import KeyboardFamily
import MonocleFamily
import Provisioning
import Support
import TestSupport
import Testing

@testable import VirtualDevices

/// A Monocle in reach has the same service as a keyboard: no command of one reaches the other.
@Suite struct NeighbourTests {
    /// Something with the attributes of a Monocle that answers to any name, and counts what it is sent.
    private struct Lookalike: UnitModel {
        let name: String
        let folder: UnitFolder
        var nextDeadline: Duration?

        mutating func start(_ image: [UInt8], on unit: inout UnitPlatform) throws { nextDeadline = unit.now }
        mutating func stop(_ cause: UnitPlatform.StopCause) { nextDeadline = nil }
        mutating func sense(_ input: UserInput, on unit: inout UnitPlatform) throws {}

        mutating func advance(on unit: inout UnitPlatform) throws {
            nextDeadline = nil
            unit.startRadio(as: PeripheralProfile(
                address: unit.address, name: name, advertisedServices: [MonocleAttributes.replService], table: MonocleAttributes.table,
                pace: LinkPace(eventLength: .milliseconds(15), supervisionTimeout: .seconds(2)), largestMTU: 256, notificationQueue: 2))
        }

        mutating func write(_ value: [UInt8], to characteristic: AttributeID, on unit: inout UnitPlatform) throws -> UInt8? {
            try UnitFolder.replace(folder.root.appendingPathComponent("written"), with: value)
            return nil
        }
    }

    private func lookalike(_ name: String, _ root: TemporaryFolder, _ air: VirtualAir) throws -> VirtualUnit {
        let folder = try UnitFolder(root: root.url.appendingPathComponent("other"), name: "other", family: "other") { _ in }
        return try VirtualUnit(
            folder: folder, design: UnitDesign(family: "other", makeModel: { Lookalike(name: name, folder: $0) }), air: air)
    }

    @Test(arguments: ["monocle", "IOS-Keyboard"]) func theAttributesDecide(name: String) async throws {
        let root = try TemporaryFolder()
        try await KeyboardBench().run { bench in
            let other = try lookalike(name, root, bench.air)
            try await withVirtualUnit(other) {
                try await bench.wait(.seconds(1))
                await #expect(throws: KeyboardError.otherAttributes(other.address)) {
                    _ = try await TypingSession(address: other.address, central: bench.central).type([.enter])
                }
                _ = try await bench.session().type([.enter])
            }
        }
        #expect(!FileManager.default.fileExists(atPath: root.path("other/written")), "a Monocle was sent a key")
    }

    @Test func theNameSelects() async throws {
        let root = try TemporaryFolder()
        try await KeyboardBench().run { bench in
            let monocle = try lookalike("monocle", root, bench.air)
            try await withVirtualUnit(monocle) {
                try await bench.wait(.seconds(1))
                let finder = UnitFinder(central: bench.central, families: FamilyList([.monocle, .keyboard]))
                for (family, address) in [(FamilyID.keyboard, bench.address), (.monocle, monocle.address)] {
                    #expect(try await finder.find(.only, families: [family], known: []).address == address)
                }
                for (family, other) in [(FamilyID.keyboard, monocle.address), (.monocle, bench.address)] {
                    await #expect(throws: UnitSelectionError.self) {
                        _ = try await finder.find(.address(other), families: [family], known: [])
                    }
                }
            }
        }
    }
}
