import BlueZ
import Bluetooth
import Support

/// What `noafw doctor` found, before any judgement.
struct DoctorFacts: Sendable {
    /// An error that is a finding.
    struct Finding: Error { var diagnosis: Diagnosis }

    struct Bluetooth: Sendable {
        struct Adapter: Sendable {
            var name: String
            var address: String
            var isPowered: Bool
            var isDiscovering: Bool
            /// Names or addresses of connected devices, with the MTU if bluetoothd reports it. Untrusted.
            var connected: [String] = []
            /// Such as `1-1.4`.
            var usbPort: String?
            /// Other adapters with the same address.
            var twins: [String] = []
            /// Remembered devices without a bond or link that are not heard.
            var remembered = 0

            func isMeant(by selector: AdapterSelector?) -> Bool {
                switch selector {
                case .kernelName(let name): self.name == name
                case .address(let address): self.address == address.description
                case .usbPort(let port): usbPort == port
                case nil: false
                }
            }
        }

        /// A blocked radio switch.
        struct Block: Sendable {
            /// An adapter such as `hci0`, or the machine's own switch.
            var name: String
            /// The cause, as a phrase.
            var by: String
        }

        var isBusReachable = true
        /// Why bluetoothd did not answer; everything that depends on it is then empty.
        var blockingError: Finding?
        var processID: Int?
        var version: String?
        var wanted: String?
        var adapters: [Adapter] = []
        /// Adapters that the kernel has but bluetoothd does not show.
        var hidden: [String] = []
        var blocks: [Block] = []
        /// Adapters whose own switch is not blocked.
        var openSwitches: Set<String> = []
        var kernel = AdapterCapabilities()
        var settings = DaemonSettings()

        /// The adapter of every verb: the requested one, else the first that is on.
        var chosen: Adapter? {
            guard let wanted else {
                let alone = adapters.filter(\.twins.isEmpty)
                return alone.first(where: \.isPowered) ?? alone.first ?? adapters.first
            }
            return adapters.first { $0.isMeant(by: AdapterSelector(wanted)) }
        }
    }

    struct Interpreter: Sendable {
        /// The virtual units' family, or the program itself.
        var name: String
        var isNeeded = true
        /// The program that was tried, if any.
        var path: String?
        /// `nil` if it did not run.
        var version: String?
    }

    struct Disk: Sendable {
        var folder: String
        var freeBytes: Int
    }

    struct Catalogue: Sendable {
        var description: String
        var isDevelopment: Bool
    }

    var bluetooth: Bluetooth
    var state: Result<Disk, Finding>
    var catalogue: Result<Catalogue, Finding>
    var interpreters: [Interpreter] = []
    var luac = Interpreter(name: "luac5.4")
}
