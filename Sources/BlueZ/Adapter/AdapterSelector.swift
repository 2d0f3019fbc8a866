import Bluetooth
import Foundation

/// Names an adapter. An address and a port survive a restart of the machine, which may renumber its adapters.
public enum AdapterSelector: Hashable, Sendable, CustomStringConvertible {
    /// The kernel's current name, such as `hci0`.
    case kernelName(String)
    /// The adapter's own address.
    case address(DeviceAddress)
    /// In the kernel's form: the bus, then the port of each hub, such as `1-1.4`.
    case usbPort(String)

    private static let portPrefix = "usb:"

    /// - Parameter text: `hciN`, an address, or `usb:` and a port.
    public init?(_ text: String) {
        if text.wholeMatch(of: /hci[0-9]{1,3}/) != nil {
            self = .kernelName(text)
        } else if let address = DeviceAddress(text) {
            self = .address(address)
        } else if text.hasPrefix(Self.portPrefix), let port = AdapterPorts.port(in: text.dropFirst(Self.portPrefix.count)) {
            self = .usbPort(port)
        } else {
            return nil
        }
    }

    /// Every name by which the kernel's adapters can be meant without asking bluetoothd.
    public static func present() -> [AdapterSelector] {
        let ports = AdapterPorts()
        let names = ports.kernelNames
        return names.map { .kernelName($0) } + names.compactMap { ports.port(of: $0).map { .usbPort($0) } }
    }

    public var description: String {
        switch self {
        case .kernelName(let name): name
        case .address(let address): address.description
        case .usbPort(let port): Self.portPrefix + port
        }
    }
}

/// The kernel's view of the adapters. The links `/sys/class/bluetooth/hciN/device` name their USB ports.
struct AdapterPorts: Sendable, Hashable {
    var folder = "/sys/class/bluetooth"

    /// - Returns: `nil` for an adapter not on USB.
    func port(of kernelName: String) -> String? {
        let link = "\(folder)/\(kernelName)/device"
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return nil }
        return Self.port(in: target.split(separator: "/").last ?? "")
    }

    /// All adapters, even those that bluetoothd hides. Links such as `hci0:64` have entries, too.
    var kernelNames: [String] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.filter { $0.wholeMatch(of: /hci[0-9]{1,3}/) != nil }.sorted()
    }

    /// Reads the name of a USB device or its interface, such as `1-1.4:1.0` (Linux, Documentation/driver-api/usb/usb.rst).
    static func port(in name: Substring) -> String? {
        name.wholeMatch(of: /([0-9]{1,3}-[0-9]{1,3}(?:\.[0-9]{1,3}){0,6})(?::[0-9]{1,3}\.[0-9]{1,3})?/).map { String($0.1) }
    }
}

/// A Bluetooth radio's kill switch (`/sys/class/rfkill`, Linux's Documentation/driver-api/rfkill.rst).
public struct RadioSwitch: Sendable, Hashable {
    /// Whether a radio may send.
    public enum State: Sendable {
        /// Nothing blocks it.
        case open
        /// Blocked by a setting: `rfkill unblock bluetooth`.
        case softBlocked
        /// Blocked by a switch or key of the machine.
        case hardBlocked
    }

    /// The adapter's name, such as `hci0`, or the name of the machine's own switch.
    public var name: String
    /// What this switch does to its radio now.
    public var state: State

    /// The switches of Bluetooth radios alone, in the order of their entries; none where the folder cannot be read.
    public static func all(in folder: String = "/sys/class/rfkill") -> [RadioSwitch] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return entries.sorted().compactMap { entry in
            func attribute(_ name: String) -> String? {
                guard let file = FileHandle(forReadingAtPath: "\(folder)/\(entry)/\(name)") else { return nil }
                defer { try? file.close() }
                guard let data = try? file.read(upToCount: 64) else { return nil }
                return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            }
            guard attribute("type") == "bluetooth" else { return nil }
            let state: State = attribute("hard") == "1" ? .hardBlocked : attribute("soft") == "1" ? .softBlocked : .open
            return RadioSwitch(name: attribute("name") ?? entry, state: state)
        }
    }

    /// The stricter of an adapter's own switch and the machine's.
    static func state(of adapter: String, in folder: String = "/sys/class/rfkill") -> State {
        let states = all(in: folder).filter { $0.name == adapter || !$0.name.hasPrefix("hci") }.map(\.state)
        return states.contains(.hardBlocked) ? .hardBlocked : states.contains(.softBlocked) ? .softBlocked : .open
    }
}
