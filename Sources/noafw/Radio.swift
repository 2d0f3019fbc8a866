import Bluetooth
import Provisioning

/// The machine's Bluetooth adapter.
enum Radio {
    /// Runs `body` with the adapter and gives it back whatever happens.
    static func with<Value: Sendable>(adapter: String?, _ body: (any Central) async throws -> Value) async throws -> Value {
        throw LinkError.unavailable("this build has no radio")
    }
}

extension Radio {
    static func examine(adapter: String?) async -> Result<DoctorFacts.Bluetooth, DoctorFacts.Trouble> {
        .failure(.init(diagnosis: LinkError.unavailable("this build has no radio").diagnosis))
    }
}
