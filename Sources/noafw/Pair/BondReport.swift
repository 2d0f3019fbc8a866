import Bluetooth
import Provisioning
import Support

struct BondReport: Verdict, Hashable {
    enum Outcome: String, Sendable, Hashable {
        /// There was none.
        case made
        /// There was one, which the unit accepts.
        case kept
        /// This host's side is gone.
        case removed
        /// There was none to remove.
        case absent
    }

    /// The unit's side of the bond.
    enum Unit: Sendable, Hashable {
        case real
        /// noafw can press its cradle's button.
        case virtual
        /// Its bond and its scripts are gone.
        case reset
    }

    /// `nil` for a unit that this station has not worked on.
    var family: FamilyID?
    var address: DeviceAddress
    var outcome: Outcome
    var unit = Unit.real

    var passed: Bool { true }

    func lines(_ style: TextStyle) -> [String] {
        let unit = (family.map { "\($0.rawValue) " } ?? "") + UntrustedText.escape(address.labelled)
        let pass = style.paint("PASS", .good)
        return switch outcome {
        case .made: ["\(pass)  \(unit): bonded now; it accepts writes over the encrypted link"]
        case .kept: ["\(pass)  \(unit): bonded before; it accepts writes over the encrypted link"]
        case .removed: ["\(pass)  \(unit): this host's record of the bond is removed"] + remark(style)
        case .absent: ["\(pass)  \(unit): this host had no record of a bond"] + (self.unit == .reset ? remark(style) : [])
        }
    }

    private func remark(_ style: TextStyle) -> [String] {
        let keeps = "the unit keeps its side and refuses every new pairing, even from this host. To pair it again, "
        let text = switch unit {
        case .real: keeps + LinkError.pairingReset
        case .virtual: keeps + "run the same command with --press-cradle-button; that erases its scripts, too"
        case .reset: "the unit has forgotten its side and its scripts"
        }
        return ["\(style.paint("note:", .careful)) \(text)"]
    }
}

/// The documents `noafw.pair/1` and `noafw.unpair/1`.
struct BondDocument: Encodable, Sendable {
    var schema: String
    var verdict: String
    var address: String?
    var family: String?
    var bond: String?
    var error: Diagnosis?
    @Omitted var unit: String? = nil

    init(_ report: BondReport?, of verb: String, error: Diagnosis? = nil) {
        (schema, verdict) = ("noafw.\(verb)/1", error == nil ? "pass" : "fail")
        (address, family, bond) = (report?.address.description, report?.family?.rawValue, report?.outcome.rawValue)
        self.error = error
        if report?.unit == .reset { unit = "reset" }
    }
}
