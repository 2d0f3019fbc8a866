import BlueZ
import Bluetooth
import Support

/// The machine's Bluetooth adapter.
enum Radio {
    /// Runs `body` with the adapter and gives it back whatever happens.
    /// - Parameter adapter: `hciN`, an address, or `usb:` and a port; `nil` takes the first one that is on.
    static func with<Value: Sendable>(adapter: String?, _ body: (any BondingCentral) async throws -> Value) async throws -> Value {
        let central = BlueZCentral(adapter: try selector(adapter))
        do {
            let value = try await body(central)
            await central.close()
            return value
        } catch {
            await central.close()
            throw error
        }
    }

    private static func selector(_ adapter: String?) throws -> AdapterSelector? {
        guard let adapter else { return nil }
        guard let selector = AdapterSelector(adapter) else { throw BlueZError.noAdapter(PrintableText.ascii(adapter)) }
        return selector
    }
}
