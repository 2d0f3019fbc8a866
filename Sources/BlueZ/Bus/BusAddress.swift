import Glibc

/// Where a message bus listens.
public enum BusAddress: Hashable, Sendable {
    /// The machine's system bus, or what `DBUS_SYSTEM_BUS_ADDRESS` names instead.
    case system
    /// An address in D-Bus's own form, such as `unix:path=/tmp/bus`.
    case at(String)

    /// The address in D-Bus's own form (D-Bus specification, "Well-known Message Bus Instances").
    var text: String {
        switch self {
        case .at(let text): text
        case .system:
            getenv("DBUS_SYSTEM_BUS_ADDRESS").map { String(cString: $0) } ?? "unix:path=/var/run/dbus/system_bus_socket"
        }
    }
}
