import Support

extension FrameModel {
    /// Reasons of Pairing Failed (Core Specification, Vol 3, Part H, 3.5.5), and the one of a link whose keys differ.
    private enum Refusal {
        static let authenticationRequirements: UInt8 = 0x03
        /// Of the controller: PIN or Key Missing (Vol 1, Part F, 2.6).
        static let keyMissing: UInt8 = 0x06
    }

    /// The flash takes no other write while the new bond is on its way there.
    private static let bondWriteTime = Duration.seconds(1)

    /// One bond: a stranger is refused and its link closed. Without a bond a key of all ones answers, so that encryption with another
    /// one breaks the link.
    mutating func secure(_ request: SecurityRequest, on unit: inout UnitPlatform) throws -> SecurityAnswer {
        switch request {
        case .pair:
            guard !bond.exists else { return .refused(reason: Refusal.authenticationRequirements, endsLink: true) }
            bond.key = (0..<FrameBond.keyLength).map { _ in UInt8.random(in: 0...0xFE, using: &unit.faults.generator) }
            try folder.save(bond)
            flashBusyUntil = unit.now + Self.bondWriteTime
            if firmware.has(.showsPairing) { hardware.showPaired(as: unit.address) }
            return .encrypted(key: bond.key)
        case .encrypt(let key):
            guard bond.exists, key == bond.key else { return .refused(reason: Refusal.keyMissing, endsLink: true) }
            return .encrypted(key: key)
        }
    }
}
