import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// The firmware's own modules (monocle-micropython v23.248.0754, `modules/`): names, arguments, errors, and what survives.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct DeviceModuleTests {
    static let dataReceive = AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d")
    static let dataTransmit = AttributeID("e5700003-7bac-429a-b4ce-57ff900f479d")

    /// `update.c`: what a client of the full unix port would send, and what the device says to it.
    @Test(arguments: [
        ("import binascii;binascii.crc32(b'')", "AttributeError: 'module' object has no attribute 'crc32'"),
        ("import binascii;binascii.hexlify(b'')", "AttributeError: 'module' object has no attribute 'hexlify'"),
        ("memoryview(b'')", "NameError"), ("b''.hex()", "AttributeError"), ("execfile('main.py')", "NameError"),
        ("compile('1','','eval')", "NameError"), ("import sys;sys.platform", "AttributeError"),
        ("import os;os.sync()", "AttributeError"), ("import os;os.system('ls')", "AttributeError"),
        ("import machine", "ImportError"), ("import socket", "ImportError"), ("import zlib", "ImportError"),
        ("from collections import OrderedDict", "ImportError"), ("bytearray(4)[1:2] = b''", "TypeError"),
        ("import hashlib;hashlib.sha256(b'').hexdigest()", "AttributeError"),
        ("import hashlib;h=hashlib.sha256(b'');h.digest();h.digest()", "ValueError"),
        ("import update;update.Fpga.write(bytearray(2))", "TypeError"),
        ("import update;update.Fpga.read(444430,5)", "ValueError: address + length cannot exceed 444434 bytes"),
        ("import update;update.Fpga.read(444430,5)", "File \"update.py\", in read"),
        ("import fpga;fpga.read(1,0)", "ValueError"), ("import fpga;fpga.read(1,256)", "ValueError"),
        ("import fpga;fpga.write(1,bytes(256))", "ValueError"), ("import fpga;fpga.version()", "AttributeError"),
        ("import fpga;fpga.ON", "AttributeError"), ("import bluetooth;bluetooth.receive_callback(3)", "ValueError"),
        ("import bluetooth;bluetooth.send(b'x')", "OSError: notifications are not enabled on the data service"),
        ("import touch;touch.callback('C')", "ValueError"), ("import touch;touch.callback(touch.A,3)", "ValueError"),
        ("import microphone;microphone.record(5.0)", "TypeError"), ("import microphone;microphone.read()", "TypeError"),
        ("import microphone;microphone.read(128)", "ValueError"),
        ("import microphone;microphone.record(sample_rate=44100)", "ValueError"),
        ("import camera;camera.read(255)", "ValueError"), ("import led;led.on('BLUE')", "ValueError"),
        ("import display;display.brightness()", "TypeError"), ("import display;display.brightness(5)", "ValueError"),
        ("import display;display.Line(0,0,1,1,0,thickness=19)", "ValueError"),
        ("import time;time.zone('-12:45')", "ValueError"), ("import random;random.randrange(1,-2147483647,1)", "ValueError"),
        ("import time;time.gmtime()", "AttributeError"), ("import time;time.zone('99:00')", "ValueError"),
        ("f=open('a','w');f.close();f.write('x')", "ValueError"), ("open('none')", "OSError: [Errno 2] ENOENT"),
    ])
    func theDeviceRefuses(code: String, error: String) async throws {
        try await withUnit { unit, central, _ in
            let answer = try await Terminal.raw(unit, central).run(code)
            #expect(answer.contains(error), "\(code): \(answer)")
        }
    }

    /// No name is there that does not stand in the released image.
    @Test func noNameIsThereThatTheImageLacks() async throws {
        let absent = try FirmwareNames.absent()
        #expect(absent.count > 150)
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run(
                "import builtins\nf=open('f','w')\nT={'builtins':builtins,'file':f,'bytes':b'','bytearray':bytearray(),'int':0,'list':[],"
                    + "'dict':{},'set':set(),'frozenset':frozenset(),'str':''}")
            _ = try await terminal.run(
                "def has(n):\n p=n.split('.')\n if p[0] in T: return hasattr(T[p[0]],p[1])\n try: m=__import__(p[0])\n"
                    + " except ImportError: return False\n return len(p)==1 or hasattr(m,p[1])")
            #expect(
                try await terminal.run("print(has('builtins.print'),has('bytes.decode'),has('gc'),has('os.remove'))")
                    == "True True True True\n")
            for start in stride(from: 0, to: absent.count, by: 12) {
                let names = absent[start..<min(absent.count, start + 12)].map { "'\($0)'" }.joined(separator: ",")
                #expect(try await terminal.run("print([n for n in (\(names),) if has(n)])") == "[]\n")
            }
        }
    }

    @Test func theDeviceTells() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let mac = unit.address.description.split(separator: ":").reversed().joined(separator: ":").lowercased()
            for (code, answer) in [
                ("import device;print(device.mac_address())", mac), ("print(device.NAME,device.GIT_TAG)", "monocle a18d62e06"),
                ("print(device.battery_level(),device.is_charging())", "80 False"),
                ("import bluetooth;print(bluetooth.max_length(),bluetooth.connected())", "253 False"),
                ("import touch;print(touch.state(),touch.state(touch.EITHER))", "None False"),
                ("import time;print(time.ticks_us(),time.zone(),time.now(0)['weekday'])", "0 00:00 thursday"),
                ("print(time.mktime(time.now(86399)))", "86399"), ("import fpga;print(fpga.run(),fpga.run(True))", "True None"),
                ("import microphone;print(microphone.stop(),microphone.read(127))", "NotImplemented None"),
                ("import camera;print(camera.zoom(2),camera.read())", "NotImplemented None"),
                ("import hashlib;print(''.join(['%02x' % b for b in hashlib.sha256(b'abc').digest()[:4]]))", "ba7816bf"),
                ("import binascii;print(binascii.b2a_base64(b'abcd'),binascii.a2b_base64('YWJjZA=='))", "b'YWJjZA==\\n' b'abcd'"),
                ("import sys;print(sys.path,sys.version[:21])", "['', '.frozen'] 3.4.0; MicroPython v1"),
                ("import os;print(os.statvfs('/'))", "(4096, 4096, 147, 145, 145, 0, 0, 0, 0, 255)"),
                ("print(1/4, 2**40, f'{5:03d}')", "0.25 1099511627776 005"),
            ] {
                #expect(try await terminal.run(code) == answer + "\n", "\(code)")
            }
        }
    }

    /// An interrupt in the middle of a write leaves the counter behind what was programmed: a repeated write lands on it.
    @Test func anInterruptedWriteLeavesTheCounterBehind() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import update;update.Fpga.erase()")
            try await terminal.send("update.Fpga.write(bytes(16384))\u{4}")
            _ = try await terminal.read(until: "OK")
            try await Task.sleepOnClock(.milliseconds(30), central.clock)
            try await terminal.send("\u{3}")
            #expect(try await terminal.read(until: "\u{4}>").contains("KeyboardInterrupt"))
            try await terminal.send("\u{3}")
            let zeros = [UInt8](try Data(contentsOf: folder.flash)).prefix { $0 == 0 }.count
            #expect((256..<16384).contains(zeros) && zeros.isMultiple(of: 256))
            _ = try await terminal.run("update.Fpga.write(bytes(\(zeros))+b'\\x0f')")
            #expect([UInt8](try Data(contentsOf: folder.flash))[zeros] == 0x0F)
        }
    }

    @Test func anInterruptedEraseKeepsTheCounter() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import update;update.Fpga.erase();update.Fpga.write(bytes(600))")
            try await terminal.send("update.Fpga.erase()\u{4}")
            _ = try await terminal.read(until: "OK")
            try await Task.sleepOnClock(.milliseconds(500), central.clock)
            try await terminal.send("\u{3}")
            #expect(try await terminal.read(until: "\u{4}>").contains("KeyboardInterrupt"))
            // A ^C at the prompt clears the line of the stale byte that the acted one has left.
            try await terminal.send("\u{3}")
            _ = try await terminal.run("update.Fpga.write(b'\\x01')")
            let flash = [UInt8](try Data(contentsOf: folder.flash))
            #expect(flash[0] == 0xFF)
            #expect(flash[600] == 1)
        }
    }

    /// A soft reset keeps link, counter and FPGA state; a client that takes it for a chip reset writes to the wrong place.
    @Test func aSoftResetIsNoReset() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import update,fpga;fpga.run(False);update.Fpga.erase();update.Fpga.write(b'\\x00\\x01')")
            try await terminal.send("\u{4}")
            _ = try await terminal.read(until: "\r\n>")
            _ = try await terminal.run("import update;update.Fpga.write(b'\\x02')")
            #expect([UInt8](try Data(contentsOf: folder.flash))[..<4] == [0, 1, 2, 0xFF])
            #expect(try await terminal.run("import fpga;print(fpga.run())") == "False\n")
            #expect(try await terminal.run("import microphone").contains("NotImplementedError"))
            #expect(try await terminal.run("import camera").contains("NotImplementedError"))
        }
    }

    /// Callbacks are C variables: a packet between a soft reset and the new registration runs into freed memory.
    @Test(arguments: [false, true]) func callbacksDangleAfterASoftReset(clearsFirst: Bool) async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import bluetooth\ndef f(b): pass\nbluetooth.receive_callback(f)")
            if clearsFirst { _ = try await terminal.run("bluetooth.receive_callback(None)") }
            try await terminal.send("\u{4}")
            _ = try await terminal.read(until: "\r\n>")
            try await Self.send([1, 2, 3], over: terminal)
            if clearsFirst {
                #expect(try await terminal.run("print(1)") == "1\n")
            } else {
                try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(5)))
            }
        }
    }

    /// A lambda that nothing else holds is collected, and the next packet calls what lies there then.
    @Test func aCallbackThatNothingHoldsIsCollected() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import bluetooth,gc\nbluetooth.receive_callback(lambda b: None)")
            _ = try await terminal.run("gc.collect()")
            try await Self.send([1], over: terminal)
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(5)))
        }
    }

    /// Flash work waits in the firmware's hook, where callbacks run (monocle-drivers.c).
    @Test func callbacksRunWhileTheFlashIsWritten() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import bluetooth,update\ngot=[]\ndef f(b): got.append(b)\nbluetooth.receive_callback(f)")
            try await terminal.send("update.Fpga.erase()\nprint(len(got))\n\u{4}")
            _ = try await terminal.read(until: "OK", patience: .milliseconds(100))
            try await Self.send([1], over: terminal)
            #expect(try await terminal.read(until: "\u{4}>", patience: .seconds(10)).contains("1\r\n\u{4}\u{4}>"))
            try await Self.send([2], over: terminal)
            #expect(try await terminal.run("print(len(got))") == "2\n")
        }
    }

    /// A callback that writes while the main code does writes to the same place, and never past the flash's end.
    @Test func aWriteWithinAWriteSharesItsPlace() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("import bluetooth,update\nw=update.Fpga.write\nupdate.Fpga.erase()")
            _ = try await terminal.run("def f(b): w(b'\\xf0'*100)\nbluetooth.receive_callback(f)")
            try await terminal.send("w(b'\\x0f'*12288)\u{4}")
            try await Task.sleepOnClock(.milliseconds(16), central.clock)
            try await Self.send([1], over: terminal)
            #expect(try await terminal.read(until: "\u{4}>").hasSuffix("OK\u{4}\u{4}>"))
            let flash = [UInt8](try Data(contentsOf: folder.flash))
            #expect(flash[..<100].allSatisfy { $0 == 0 } && flash[100..<12288].allSatisfy { $0 == 0x0F } && flash[12288] == 0xFF)
        }
    }

    /// What was collected is never taken for something else, not even by who asks for the callback.
    @Test(arguments: ["bluetooth.receive_callback()", "touch.callback(touch.A)"])
    func aCollectedCallbackIsNobodysObject(question: String) async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run(
                "import bluetooth,touch,gc\nbluetooth.receive_callback(lambda b: 1)\ntouch.callback(touch.A,lambda p: 2)")
            _ = try await terminal.run("gc.collect()\nheld=[bytearray(b'ABCDEFGHIJKLMNOP') for i in range(100)]")
            try await terminal.send("print(\(question))\u{4}")
            try await terminal.connection.waitUntilGone(deadline: central.clock.deadline(in: .seconds(5)))
            let again = try await Terminal.raw(unit, central)
            #expect(try await again.run("import device;print(device.reset_cause())") == "CRASHED\n")
        }
    }

    /// Negative times are none, on the device's processor.
    @Test func aNegativeSleepIsNone() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let start = central.clock.now
            let answer = try await terminal.run("import time;time.sleep(-1);time.sleep_ms(-1);print('awake')")
            #expect(answer == "awake\n")
            #expect(start.duration(to: central.clock.now) < .seconds(5))
        }
    }

    /// Bytes that look like addresses hold what lies there, on the device and here: nothing may lie elsewhere the next time.
    @Test func whatTheCollectorKeepsIsTheSameEachTime() async throws {
        var found: Set<String> = []
        for _ in 0..<16 {
            found.insert(try await withUnit { unit, central, _ in
                let terminal = try await Terminal.raw(unit, central)
                let start = central.clock.now
                let answer = try await terminal.run("""
                    import gc
                    held=bytes(b for x in range(85,104) for y in range(0,256,16) for b in (80,y,x,86))
                    [[i] for i in range(300)] and None
                    gc.collect()
                    print(gc.mem_free())
                    """)
                return "\(answer)\(start.duration(to: central.clock.now))"
            })
        }
        #expect(found.count == 1, "\(found)")
    }

    static func send(_ bytes: [UInt8], over terminal: Terminal) async throws {
        let channel = try await terminal.connection.openChannel(to: dataReceive, deadline: terminal.clock.deadline(in: .seconds(1)))
        try await channel.send(bytes, deadline: terminal.clock.deadline(in: .seconds(5)))
    }
}

extension Task where Success == Never, Failure == Never {
    fileprivate static func sleepOnClock(_ duration: Duration, _ clock: SessionClock) async throws {
        try await clock.sleep(until: clock.deadline(in: duration))
    }
}
