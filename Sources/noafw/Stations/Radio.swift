import BlueZ
import Bluetooth

/// The machine's Bluetooth adapter.
enum Radio {
    /// Runs `body` with the adapter and gives it back whatever happens.
    /// - Parameter notice: gets what the operator should know of a bond.
    static func with<Value: Sendable>(
        adapter: String?, notice: @escaping @Sendable (String) -> Void = { _ in },
        _ body: (any BondingCentral) async throws -> Value
    ) async throws -> Value {
        let central = BlueZCentral(adapter: adapter, notice: notice)
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
