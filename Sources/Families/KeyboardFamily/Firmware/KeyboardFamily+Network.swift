import Bluetooth
import Provisioning
import Support

extension NetworkProvisioning {
    /// A keyboard accepts firmware only over Wi-Fi (IOS-Keyboard, `debug_server.c`).
    static let keyboard = NetworkProvisioning(
        usualPlace: "http://ios-keyboard.local", isPlace: { (try? UnitURL($0)) != nil }
    ) { place in
        ProvisioningRules(
            components: [.keyboardFirmware], refuse: KeyboardConsole.refuseOthers,
            open: { connection, clock, _ in
                let http = UnitHTTP(url: try UnitURL(try place()), clock: clock)
                let console = KeyboardConsole(connection: connection, http: http, clock: clock)
                try await console.proveSameUnit()
                return console
            })
    }
}
