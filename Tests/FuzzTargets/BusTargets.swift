import CDBus
import Foundation
import Support

@testable import BlueZ

extension FuzzTarget {
    /// The body of one of bluetoothd's signals: the first byte says which, and the header stands before it here.
    static let busSignal = FuzzTarget("bus-signal", seeds: { Samples.busSignals }) { input in
        var mirror = ObjectMirror()
        for seed in Samples.busSignals { _ = mirror.take(seed) }
        for change in mirror.take(input) {
            guard case .advertised(let device, _) = change else { continue }
            try BrokenPromise.check((device.name?.count ?? 0) <= ObjectLimits.name, "a name that no device has")
            try BrokenPromise.check(device.rssi.map { (-127...20).contains($0) } ?? true, "a signal that no radio hears")
            try BrokenPromise.check(device.services.count <= ObjectLimits.services, "more services than are kept")
        }
        let areSane = mirror.characteristics.values.allSatisfy { $0.mtu.map(ObjectLimits.mtu.contains) ?? true }
        try BrokenPromise.check(areSane, "an MTU out of range")
    }
}

extension ObjectMirror {
    fileprivate mutating func take(_ input: [UInt8]) -> [Change] {
        guard let message = Samples.busMessage(input) else { return [] }
        defer { dbus_message_unref(message) }
        return BusMessage(reading: message).changes(&self)
    }
}

extension Samples {
    private static let signals = [
        ("PropertiesChanged", BusName.properties, "sa{sv}as"), ("InterfacesAdded", BusName.objectManager, "oa{sa{sv}}"),
        ("InterfacesRemoved", BusName.objectManager, "oas"), ("PropertiesChanged", BusName.properties, "v"),
    ]
    private static let device = "/org/bluez/hci0/dev_C6_05_04_03_02_01"
    private static let characteristic = device + "/service0001/char0002"

    /// D-Bus Specification, "Message Format": little-endian, a signal; `nil` where libdbus refuses it.
    static func busMessage(_ input: [UInt8]) -> OpaquePointer? {
        guard let choice = input.first else { return nil }
        let (member, interface, signature) = signals[Int(choice & 3)]
        let body = input.dropFirst()
        var fields: [UInt8] = []
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        func field(_ code: UInt8, _ type: String, _ text: String) {
            fields += [UInt8](repeating: 0, count: -fields.count & 7) + [code, 1] + Array(type.utf8) + [0]
            fields += (type == "g" ? [UInt8(text.utf8.count)] : number(text.utf8.count)) + Array(text.utf8) + [0]
        }
        field(1, "o", choice & 4 == 0 ? device : characteristic)
        field(2, "s", interface)
        field(3, "s", member)
        field(8, "g", signature)
        let head = [UInt8(ascii: "l"), 4, 0, 1] + number(body.count) + number(1) + number(fields.count) + fields
        let bytes = (head + [UInt8](repeating: 0, count: -head.count & 7) + body).map { CChar(bitPattern: $0) }
        return dbus_message_demarshal(bytes, Int32(bytes.count), nil)
    }

    static let busSignals: [[UInt8]] = [
        (1, """
            JQAAAC9vcmcvYmx1ZXovaGNpMC9kZXZfQzZfMDVfMDRfMDNfMDJfMDEAAADUAAAAEQAAAG9yZy5ibHVlei5EZXZpY2UxAAAAtAAAAAAAAAAHAAAAQWRkcmVzcwABcwAA
            EQAAAEM2OjA1OjA0OjAzOjAyOjAxAAAABwAAAEFkYXB0ZXIAAW8AAA8AAAAvb3JnL2JsdWV6L2hjaTAAAAAAAAUAAABVVUlEcwACYXMAAAApAAAAJAAAADZlNDAwMDAx
            LWI1YTMtZjM5My1lMGE5LWU1MGUyNGRjY2E5ZQAAAAAEAAAAUlNTSQABbgDY/wAABgAAAFBhaXJlZAABYgAAAAAAAAA=
            """),
        (1, """
            OgAAAC9vcmcvYmx1ZXovaGNpMC9kZXZfQzZfMDVfMDRfMDNfMDJfMDEvc2VydmljZTAwMDEvY2hhcjAwMDIAAK4AAAAAAAAAHQAAAG9yZy5ibHVlei5HYXR0Q2hhcmFj
            dGVyaXN0aWMxAAAAhgAAAAQAAABVVUlEAAFzACQAAAA2ZTQwMDAwMi1iNWEzLWYzOTMtZTBhOS1lNTBlMjRkY2NhOWUAAAAABQAAAEZsYWdzAAJhcwAAACcAAAAFAAAA
            d3JpdGUAAAAWAAAAd3JpdGUtd2l0aG91dC1yZXNwb25zZQAAAAAAAAMAAABNVFUAAXEAAPcA
            """),
        (0, """
            EQAAAG9yZy5ibHVlei5EZXZpY2UxAAAAbgAAAAAAAAAEAAAAUlNTSQABbgDO/wAACQAAAENvbm5lY3RlZAABYgAAAAABAAAABAAAAE5hbWUAAXMABwAAAG1vbm9jbGUA
            EAAAAE1hbnVmYWN0dXJlckRhdGEABWF7cXZ9AA4AAABZAAJheQAAAAIAAAABAgAACQAAAAQAAABOYW1lAA==
            """),
        (4, "HQAAAG9yZy5ibHVlei5HYXR0Q2hhcmFjdGVyaXN0aWMxAAAAGQAAAAUAAABWYWx1ZQACYXkAAAAFAAAAT0sEBD4AAAAAAAAA"),
        (2, "JQAAAC9vcmcvYmx1ZXovaGNpMC9kZXZfQzZfMDVfMDRfMDNfMDJfMDEAAAAWAAAAEQAAAG9yZy5ibHVlei5EZXZpY2UxAA=="),
    ].map { choice, text in [UInt8(choice)] + (Data(base64Encoded: text.filter { $0 != "\n" }) ?? Data()) }
}
