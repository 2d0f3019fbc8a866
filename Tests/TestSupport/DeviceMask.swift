import Foundation

/// Takes from the unix port of MicroPython what the Monocle's firmware v23.248.0754 does not have, as far as Python can: the
/// rest of `binascii`, `hashlib` and `os`, some built-in functions, and the host's root. A user's file still hides a module.
enum DeviceMask {
    static let path = "modules/device_mask.py"

    private static let source = """
        import builtins, binascii, hashlib, os
        class _Part:
            pass
        def _part(module, names):
            part = _Part()
            for name in names.split():
                if hasattr(module, name):
                    setattr(part, name, getattr(module, name))
            return part
        _parts = [
            (binascii, _part(binascii, 'a2b_base64 b2a_base64')),
            (hashlib, _part(hashlib, 'sha256')),
            (os, _part(os, 'chdir getcwd ilistdir listdir mkdir remove rename rmdir stat statvfs unlink')),
        ]
        # The unit's root is the folder that the interpreter was started in.
        _root, _chdir = os.getcwd(), os.chdir
        _parts[2][1].chdir = lambda path: _chdir(_root if path == '/' else path)
        _unix_import = builtins.__import__
        def _device_import(*arguments):
            module = _unix_import(*arguments)
            for whole, part in _parts:
                if module is whole:
                    return part
            return module
        def _missing(*arguments):
            raise NameError('not on this device')
        try:
            builtins.__import__ = _device_import
            for _name in 'memoryview execfile compile complex'.split():
                setattr(builtins, _name, _missing)
        except AttributeError:
            pass  # An interpreter of the device's own level, which cannot replace what is built in.
        del builtins, binascii, hashlib, os
        """

    static func install(in folder: URL) throws {
        try source.write(to: folder.appendingPathComponent(path), atomically: false, encoding: .utf8)
    }
}
