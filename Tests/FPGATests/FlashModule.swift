import Foundation

/// The unit's own modules `update` and `fpga`, over files: NOR flash, where writing only clears bits, and the write counter, which
/// a power cut (``forgetCounter(in:)``) sets to 0. Written from the facts of the firmware, page by page.
enum FlashModule {
    private static let update = #"""
        import os
        SIZE = 444434
        def _counter(v=None):
            if v is None:
                with open('counter.txt') as f:
                    return int(f.read())
            with open('counter.txt', 'w') as f:
                f.write(str(v))
        class Fpga:
            @staticmethod
            def read(a, n):
                if n > 1024:
                    raise MemoryError('the buffer lies on a stack of 8 KiB')
                if a + n > SIZE:
                    raise ValueError('address + length cannot exceed 444434 bytes')
                with open('flash.bin', 'rb') as f:
                    f.seek(a)
                    return f.read(n)
            @staticmethod
            def write(d):
                if not isinstance(d, (bytes, str)):
                    raise TypeError("can't convert '%s' object to str implicitly" % type(d))
                c = _counter()
                if c + len(d) > SIZE:
                    raise ValueError('data will overflow the space reserved for the app')
                if len(d) > 256:
                    raise MemoryError('the firmware copies its argument for each page')
                with open('flash.bin', 'r+b') as f:
                    f.seek(c)
                    old = f.read(len(d))
                    f.seek(c)
                    f.write(bytes([a & b for a, b in zip(old, d)]))
                with open('writes.txt', 'a') as f:
                    f.write('%d %d\n' % (c, len(d)))
                _counter(c + len(d))
            @staticmethod
            def erase():
                with open('flash.bin', 'r+b') as f:
                    p = b'\xff' * 4096
                    for i in range(109):
                        f.write(p)
                with open('writes.txt', 'a') as f:
                    f.write('erase 0\n')
                _counter(0)
        """#

    private static let fpga = #"""
        _state = 'running'
        try:
            with open('fpga.txt') as f:
                _state = f.read()
        except OSError:
            pass
        def run(on=None):
            global _state
            if on is None:
                return _state != 'stopped'
            _state = 'running' if on else 'stopped'
        def read(a, n):
            if _state != 'running':
                return b'v23.094.1109'[:n] if a == 2 else b'\xff' * n
            return b'v23.230.0808'[:n] if a == 2 else b'Mncl'[:n]
        """#

    static func install(in folder: URL, flash: [UInt8]? = nil) throws {
        let modules = folder.appendingPathComponent("modules")
        try update.write(to: modules.appendingPathComponent("update.py"), atomically: false, encoding: .utf8)
        try fpga.write(to: modules.appendingPathComponent("fpga.py"), atomically: false, encoding: .utf8)
        let blank = [UInt8](repeating: 0xFF, count: 109 * 4096)
        try Data(flash ?? blank).write(to: folder.appendingPathComponent("flash.bin"))
        try forgetCounter(in: folder)
    }

    /// `running`, `stopped` or `silent`; what floats on the line looks like a version.
    static func setFPGA(_ state: String, in folder: URL) throws {
        try state.write(to: folder.appendingPathComponent("fpga.txt"), atomically: false, encoding: .utf8)
    }

    static func forgetCounter(in folder: URL) throws {
        try "0".write(to: folder.appendingPathComponent("counter.txt"), atomically: false, encoding: .utf8)
    }

    static func flash(in folder: URL) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: folder.appendingPathComponent("flash.bin")))
    }

    static func eraseCount(in folder: URL) -> Int {
        let log = (try? String(contentsOf: folder.appendingPathComponent("writes.txt"), encoding: .utf8)) ?? ""
        return log.split(separator: "\n").count { $0.hasPrefix("erase") }
    }
}
