/// What a central asks of a link that is open so far.
package enum SecurityRequest: Sendable, Hashable {
    /// Just-works pairing with bonding.
    case pair
    /// Encryption with the key of an earlier pairing.
    case encrypt(key: [UInt8])
}

/// What a unit's model makes of a ``SecurityRequest``.
package enum SecurityAnswer: Sendable, Hashable {
    /// - Parameter key: what the central keeps for the next link.
    case encrypted(key: [UInt8])
    /// - Parameters:
    ///   - reason: of Pairing Failed (Core Specification, Vol 3, Part H, 3.5.5).
    ///   - endsLink: the unit leaves after it.
    case refused(reason: UInt8, endsLink: Bool)

    /// Of a unit that knows no pairing.
    static let notSupported = SecurityAnswer.refused(reason: 0x05, endsLink: false)
}
