import Bluetooth
import Foundation
import Provisioning
import Support
import Testing

@testable import noafw

/// Units of a fleet, and what became of them.
enum FleetSample {
    static func address(_ number: Int) -> DeviceAddress {
        let digits = String(number, radix: 16, uppercase: true)
        return DeviceAddress("C0:00:00:00:00:" + (digits.count == 1 ? "0" : "") + digits)!
    }

    static func unit(_ number: Int, family: FamilyID = "monocle") -> FleetUnit {
        FleetUnit(id: "\(address(number))", address: address(number), family: family)
    }

    static let failed = Diagnosis(
        "DFU-0B05", .unitFailed, .unit, "the bootloader says \u{1B}[2Jno", cause: "its firmware is newer",
        remedy: "give a newer package")
    static let radio = Diagnosis(
        "BLE-0001", .tryAgain, .radio, "the link was lost", cause: "the unit is far", remedy: "move it closer")
    static let badFile = Diagnosis(
        "CAT-0001", .badData, nil, "the package is bad", cause: "it is damaged", remedy: "fetch it again")
    static let away = FleetError.notReached(.address(address(9)), listened: .seconds(15)).diagnosis
    static let waiting = FleetError.drained.diagnosis

    static func flashed(_ number: Int, error: Diagnosis? = nil) throws -> FleetEntry<UnitReport> {
        var report = try Sample.flashed(error: error)
        report.identity.address = address(number)
        return FleetEntry(unit: unit(number), report: report, seconds: 51.3, adapter: "hci0")
    }

    static func entry<Report>(_ number: Int, _ result: UnitResult, seconds: Double = 0) -> FleetEntry<Report> {
        FleetEntry(unit: unit(number), result: result, seconds: seconds)
    }

    static func verified(_ number: Int, _ comparison: Comparison) throws -> FleetEntry<ComparedReport> {
        try verified(number, [:], comparison)
    }

    static func verified(
        _ number: Int, _ actual: [Component: String?], differences: [String] = [], _ comparison: Comparison
    ) throws -> FleetEntry<ComparedReport> {
        var report = VerifyReport(
            identity: UnitIdentity(address: address(number), name: "monocle"), family: "monocle", findings: [:], error: nil)
        for component in FamilyList.supported.components {
            let expected = component == .scripts ? Sample.scriptsDigest : "v26.001.0000"
            report.findings[component] = .init(
                expected: expected, actual: actual[component] ?? expected, differences: component == .fpga ? differences : [])
        }
        return FleetEntry(unit: unit(number), report: comparison.compare(report, unit: ["--device", "\(address(number))"]), seconds: 5.2)
    }
}
