/// What to do when a bonded link fails, for every radio: events in, steps out.
///
/// Every step is tried twice, since the air can end a link at any moment. A host's key that fails on two links in a row is discarded
/// once: the unit has lost its own key or serves another host, and a new pairing shows which.
package struct BondRecovery: Sendable {
    package enum Step: Sendable, Hashable {
        case tryAgain
        /// Discard this host's key and pair again.
        case forgetKey
        case fail(LinkError)
    }

    private static let attempts = 2

    private let address: DeviceAddress
    private var refusals = 0
    private var failures = 0
    private var mayForget = true

    package init(address: DeviceAddress) { self.address = address }

    package mutating func pairingRefused(_ reason: String) -> Step {
        refusals += 1
        return refusals < Self.attempts ? .tryAgain : .fail(.pairingRefused(address, reason: reason))
    }

    /// The link ended while it was being encrypted with an existing key.
    package mutating func encryptionFailed(_ reason: String) -> Step {
        failures += 1
        if failures < Self.attempts { return .tryAgain }
        guard mayForget else { return .fail(.bondLost(address, reason: reason)) }
        mayForget = false
        failures = 0
        return .forgetKey
    }

    package static func notice(of address: DeviceAddress) -> String {
        "\(address) drops this host's links; noafw removes this host's bond and pairs the unit again"
    }
}
