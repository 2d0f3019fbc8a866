import Foundation

/// A Bluetooth radio's kill switch (`/sys/class/rfkill`, Linux's Documentation/driver-api/rfkill.rst).
public struct RadioSwitch: Sendable, Hashable {
    public enum State: String, Sendable {
        case open
        /// Blocked by a setting: `rfkill unblock bluetooth`.
        case softBlocked
        /// Blocked by a switch or key of the machine.
        case hardBlocked
    }

    /// The adapter's name such as `hci0`, or the name of the machine's own switch.
    public var name: String
    public var state: State

    /// The Bluetooth switches of this machine.
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

    /// An adapter's own switch, or the machine's: the strictest counts.
    static func state(of adapter: String, in folder: String = "/sys/class/rfkill") -> State {
        let states = all(in: folder).filter { $0.name == adapter || !$0.name.hasPrefix("hci") }.map(\.state)
        return states.contains(.hardBlocked) ? .hardBlocked : states.contains(.softBlocked) ? .softBlocked : .open
    }
}
