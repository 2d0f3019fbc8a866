import Bluetooth
import Glibc

extension SessionState {
    /// Whether a signal is worth reading, by the object that it is about: the devices of another adapter, other programs'
    /// notifications, services and descriptors are not. Decided on the bytes as they came, before anything is copied: in crowded air
    /// each advertisement is a signal.
    /// - Parameter isChange: the object's properties changed; otherwise it came or went.
    func isWorthReading(_ path: UnsafePointer<CChar>, isChange: Bool) -> Bool {
        guard strncmp(path, Self.root, Self.root.utf8.count) == 0 else { return true }
        let name = path + Self.root.utf8.count
        // The adapters themselves are always of interest.
        guard let device = strchr(name, Self.slash) else { return true }
        if let adapterInUse, !adapterInUse.withCString({ Self.begins(path, with: $0, endingAt: device) }) { return false }
        guard let attribute = strchr(device + 1, Self.slash) else { return true }
        guard let characteristic = strstr(attribute, "/char"), strchr(characteristic + 1, Self.slash) == nil else { return false }
        return !isChange || (!subscriptions.isEmpty && subscriptions[String(cString: path)] != nil)
    }

    private static let root = "/org/bluez/"
    private static let slash = Int32(UInt8(ascii: "/"))

    private static func begins(
        _ path: UnsafePointer<CChar>, with adapter: UnsafePointer<CChar>, endingAt end: UnsafePointer<CChar>
    ) -> Bool {
        let length = path.distance(to: end)
        return strlen(adapter) == length && strncmp(path, adapter, length) == 0
    }
}
