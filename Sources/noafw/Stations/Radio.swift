import BlueZ
import Bluetooth

/// The machine's Bluetooth adapter.
enum Radio {
    /// Runs `body` with the adapter and gives it back whatever happens.
    static func with<Value: Sendable>(
        adapter: String?, _ body: (any Central) async throws -> Value
    ) async throws -> Value {
        let central = BlueZCentral(adapter: adapter)
        do {
            let value = try await body(central)
            await central.close()
            return value
        } catch {
            await central.close()
            throw error
        }
    }
}
