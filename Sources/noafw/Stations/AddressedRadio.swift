import Bluetooth
import Support

/// A radio that can say which one it is.
protocol AddressedRadio: Central {
    func adapterAddress(before deadline: SessionClock.Instant) async throws -> DeviceAddress
}

extension RadioStation {
    /// For the record; `nil` where nobody can tell.
    func adapterAddress() async -> String? {
        guard let radio = central as? any AddressedRadio else { return nil }
        return try? await radio.adapterAddress(before: radio.clock.deadline(in: .seconds(5))).description
    }
}
