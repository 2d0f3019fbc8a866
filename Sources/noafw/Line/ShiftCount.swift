import Bluetooth
import Ledger
import Support

/// What a shift at the line has come to.
struct ShiftCount: Sendable, Hashable {
    private(set) var passed = 0
    private(set) var failed = 0
    /// Runs that tell nothing of their unit: the station's, the radio's or an input's fault.
    private(set) var others = 0
    /// Of the units that were run for the first time, those that passed.
    private(set) var firstPass = Share(0, of: 0)
    private var known: Set<DeviceAddress> = []

    /// - Parameter error: `nil` for a unit that passed.
    mutating func note(_ unit: DeviceAddress, _ error: Diagnosis?) {
        guard error == nil || error?.isOfUnit == true else {
            others += 1
            return
        }
        if error == nil { passed += 1 } else { failed += 1 }
        guard known.insert(unit).inserted else { return }
        firstPass.total += 1
        if error == nil { firstPass.count += 1 }
    }

    /// `shift: 41 runs, 39 passed, 2 failed; first-pass yield 95.1 % of 41`
    var text: String {
        let runs = passed + failed + others
        let beside = others > 0 ? ", \(others) not the unit's fault" : ""
        let yield = firstPass.value.map { "; first-pass yield \(Format.plain(($0 * 1000).rounded() / 10)) % of \(firstPass.total)" } ?? ""
        return "shift: \(runs) \(runs == 1 ? "run" : "runs"), \(passed) passed, \(failed) failed\(beside)\(yield)"
    }
}
