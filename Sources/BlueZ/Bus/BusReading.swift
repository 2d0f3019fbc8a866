import CDBus

extension BusMessage {
    /// Reads a message that libdbus has validated (sizes, nesting, UTF-8); duplicates its descriptors.
    init(reading message: OpaquePointer) {
        sender = Self.text(dbus_message_get_sender(message))
        path = Self.text(dbus_message_get_path(message))
        interface = Self.text(dbus_message_get_interface(message))
        member = Self.text(dbus_message_get_member(message))
        errorName = Self.text(dbus_message_get_error_name(message))
        var iterator = DBusMessageIter()
        body = dbus_message_iter_init(message, &iterator) != 0 ? BusReader.values(&iterator) : []
    }

    /// The path of a signal's object: its own, or the first argument of an object manager's. The text is valid as long as the message.
    static func subject(of message: OpaquePointer) -> (text: UnsafePointer<CChar>, isChange: Bool)? {
        guard dbus_message_get_type(message) == DBUS_MESSAGE_TYPE_SIGNAL else { return nil }
        guard dbus_message_has_interface(message, BusName.objectManager) != 0 else {
            return dbus_message_get_path(message).map { ($0, true) }
        }
        var iterator = DBusMessageIter()
        guard dbus_message_iter_init(message, &iterator) != 0, dbus_message_iter_get_arg_type(&iterator) == Int32(UInt8(ascii: "o"))
        else { return nil }
        var value = DBusBasicValue()
        dbus_message_iter_get_basic(&iterator, &value)
        return value.str.map { (UnsafePointer($0), false) }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
}

/// Walks a message. D-Bus itself limits the depth: 32 arrays within 32 structures.
private enum BusReader {
    static func values(_ iterator: inout DBusMessageIter) -> [BusValue] {
        var values: [BusValue] = []
        while dbus_message_iter_get_arg_type(&iterator) != 0 {
            values.append(value(&iterator))
            dbus_message_iter_next(&iterator)
        }
        return values
    }

    private static func value(_ iterator: inout DBusMessageIter) -> BusValue {
        switch letter(dbus_message_iter_get_arg_type(&iterator)) {
        case "v":
            var inner = entered(&iterator)
            return value(&inner)
        case "r", "e":
            var inner = entered(&iterator)
            return .list(values(&inner))
        case "a": return array(&iterator)
        case let type: return basic(type, &iterator)
        }
    }

    private static func letter(_ code: Int32) -> Unicode.Scalar { Unicode.Scalar(UInt8(truncatingIfNeeded: code)) }

    private static func entered(_ iterator: inout DBusMessageIter) -> DBusMessageIter {
        var inner = DBusMessageIter()
        dbus_message_iter_recurse(&iterator, &inner)
        return inner
    }

    private static func array(_ iterator: inout DBusMessageIter) -> BusValue {
        var inner = entered(&iterator)
        switch letter(dbus_message_iter_get_element_type(&iterator)) {
        case "y": return .bytes(bytes(&inner))
        case "e":
            var entries: [String: BusValue] = [:]
            for case .list(let pair) in values(&inner) where pair.count == 2 {
                if let key = pair[0].asText { entries[key] = pair[1] }
            }
            return .dictionary(entries)
        default: return .list(values(&inner))
        }
    }

    private static func bytes(_ inner: inout DBusMessageIter) -> [UInt8] {
        guard dbus_message_iter_get_arg_type(&inner) != 0 else { return [] }
        var start: UnsafePointer<UInt8>?
        var count: Int32 = 0
        withUnsafeMutablePointer(to: &start) { dbus_message_iter_get_fixed_array(&inner, $0, &count) }
        guard let start, count > 0 else { return [] }
        return [UInt8](UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private static func basic(_ type: Unicode.Scalar, _ iterator: inout DBusMessageIter) -> BusValue {
        var raw = DBusBasicValue()
        dbus_message_iter_get_basic(&iterator, &raw)
        switch type {
        case "b": return .boolean(raw.bool_val != 0)
        case "y": return .integer(Int(raw.byt))
        case "n": return .integer(Int(raw.i16))
        case "q": return .integer(Int(raw.u16))
        case "i": return .integer(Int(raw.i32))
        case "u": return .integer(Int(raw.u32))
        case "x": return .integer(Int(raw.i64))
        case "s": return raw.str.map { .string(String(cString: $0)) } ?? .other
        case "o": return raw.str.map { .objectPath(String(cString: $0)) } ?? .other
        case "h": return raw.fd >= 0 ? .descriptor(OwnedDescriptor(raw.fd)) : .other
        default: return .other
        }
    }
}
