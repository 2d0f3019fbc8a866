import CDBus

extension BusRequest {
    /// Returns `nil` when memory runs out or a name is invalid.
    func makeMessage() -> OpaquePointer? {
        guard dbus_validate_path(path, nil) != 0,
            let message = dbus_message_new_method_call(destination, path, interface, member)
        else { return nil }
        dbus_message_set_auto_start(message, startsService ? 1 : 0)
        var iterator = DBusMessageIter()
        dbus_message_iter_init_append(message, &iterator)
        guard arguments.allSatisfy({ BusWriter.append($0, &iterator) }) else {
            dbus_message_unref(message)
            return nil
        }
        return message
    }
}

private enum BusWriter {
    /// The D-Bus type for a value; `nil` for one that is only read.
    private static func signature(_ value: BusValue) -> String? {
        switch value {
        case .boolean: "b"
        case .string: "s"
        case .objectPath: "o"
        case .bytes: "ay"
        case .dictionary: "a{sv}"
        case .variant: "v"
        case .integer, .list, .descriptor, .other: nil
        }
    }

    static func append(_ value: BusValue, _ iterator: inout DBusMessageIter) -> Bool {
        switch value {
        case .boolean(let boolean):
            var raw: dbus_bool_t = boolean ? 1 : 0
            return dbus_message_iter_append_basic(&iterator, code("b"), &raw) != 0
        case .string(let text): return append(text, code("s"), &iterator)
        case .objectPath(let path): return dbus_validate_path(path, nil) != 0 && append(path, code("o"), &iterator)
        case .bytes(let bytes):
            return contained(in: &iterator, code("a"), "y") { inner in
                bytes.withUnsafeBufferPointer { buffer in
                    var start = buffer.baseAddress
                    return buffer.isEmpty || dbus_message_iter_append_fixed_array(&inner, code("y"), &start, Int32(buffer.count)) != 0
                }
            }
        case .dictionary(let entries):
            return contained(in: &iterator, code("a"), "{sv}") { inner in
                entries.allSatisfy { key, value in
                    contained(in: &inner, code("e"), nil) { append(key, code("s"), &$0) && append(.variant(value), &$0) }
                }
            }
        case .variant(let held):
            guard let signature = signature(held) else { return false }
            return contained(in: &iterator, code("v"), signature) { append(held, &$0) }
        case .integer, .list, .descriptor, .other: return false
        }
    }

    private static func code(_ letter: Unicode.Scalar) -> Int32 { Int32(letter.value) }

    private static func append(_ text: String, _ type: Int32, _ iterator: inout DBusMessageIter) -> Bool {
        text.withCString { pointer in
            var pointer: UnsafePointer<CChar>? = pointer
            return dbus_message_iter_append_basic(&iterator, type, &pointer) != 0
        }
    }

    private static func contained(
        in iterator: inout DBusMessageIter, _ type: Int32, _ signature: String?, _ body: (inout DBusMessageIter) -> Bool
    ) -> Bool {
        var inner = DBusMessageIter()
        guard dbus_message_iter_open_container(&iterator, type, signature, &inner) != 0 else { return false }
        guard body(&inner) else {
            dbus_message_iter_abandon_container(&iterator, &inner)
            return false
        }
        return dbus_message_iter_close_container(&iterator, &inner) != 0
    }
}
