import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
@testable import VirtualDevices

/// Files as LittleFS and the firmware keep them (`modules/storage.c`, `_mountfs.py`; littlefs 2.5), and what a program cannot reach.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct UnitFileTests {
    /// A client that does not close its file finds the old content after a power cut, or an empty new file.
    @Test func onlyCloseCommits() async throws {
        try await withUnit(prepare: { try Data("old".utf8).write(to: $0.files.appendingPathComponent("a.txt")) }) { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("f=open('a.txt','w');f.write('new');g=open('b.txt','w');g.write('new')")
            #expect(try Data(contentsOf: folder.files.appendingPathComponent("a.txt")) == Data("old".utf8))
            #expect(try Data(contentsOf: folder.files.appendingPathComponent("b.txt")).isEmpty)
            _ = try await terminal.run("f.close()")
            #expect(try Data(contentsOf: folder.files.appendingPathComponent("a.txt")) == Data("new".utf8))
        }
    }

    /// Finalisers run with the heap locked, and writing needs heap: a soft reset loses what was not closed.
    @Test func aSoftResetLosesUnclosedFiles() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run("f=open('a.txt','w');f.write('x'*300)")
            try await terminal.send("\u{4}")
            _ = try await terminal.read(until: "\r\n>")
            #expect(try await terminal.run("print(open('a.txt').read())") == "\n")
        }
    }

    @Test func aFileSystemThatDoesNotMountIsFormatted() async throws {
        try await withUnit(prepare: { folder in
            try Data("print('main')".utf8).write(to: folder.files.appendingPathComponent("main.py"))
            try Data().write(to: folder.root.appendingPathComponent("files.damaged"))
        }) { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            #expect(try await terminal.run("import os;print(os.listdir())") == "[]\n")
        }
    }

    @Test func thereAre147BlocksAndNoMore() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let program = "n=0\nf=open('big','wb')\ntry:\n while True:\n  f.write(bytes(4096));n+=1\nexcept OSError as e:\n print(e,n)"
            let answer = try await terminal.run(program, patience: .seconds(120))
            #expect(answer == "28 144\n")
            // A file that found no room keeps its old content, here none, and its blocks are free again.
            #expect(try await terminal.run("import os\nprint(os.statvfs('/')[3]<3)\nf.close()") == "True\n")
            #expect(try await terminal.run("print(os.stat('big')[6],os.statvfs('/')[3])") == "0 145\n")
        }
    }

    /// `sys.path` begins with the folder itself: a file of a module's name hides the module, `u` names do not care.
    @Test func aFileHidesTheModuleOfItsName() async throws {
        try await withUnit(prepare: { folder in
            for name in ["hashlib", "update", "os", "time", "device", "fpga"] {
                try Data("FAKE = 1\n".utf8).write(to: folder.files.appendingPathComponent(name + ".py"))
            }
        }) { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            for name in ["hashlib", "update", "os", "time"] {
                #expect(try await terminal.run("import \(name);print(\(name).FAKE)") == "1\n")
            }
            for name in ["device", "fpga", "uhashlib", "uos", "utime", "_update"] {
                #expect(try await terminal.run("import \(name);print(\(name).FAKE)").contains("AttributeError"), "\(name)")
            }
        }
    }

    /// A program on the unit sees its own files alone. What it would reach otherwise is the test's, not the machine's.
    @Test(arguments: ["/../../unit.json", "../unit.json", "OUTSIDE", "link", "folder/../link", "inner/file"])
    func noWayLeadsOutOfTheFolder(path: String) async throws {
        let outside = try TemporaryFolder()
        try outside.write("the host's", to: "file")
        try await withUnit(prepare: { folder in
            try FileManager.default.createSymbolicLink(
                at: folder.files.appendingPathComponent("link"), withDestinationURL: folder.root.appendingPathComponent("unit.json"))
            try FileManager.default.createSymbolicLink(
                at: folder.files.appendingPathComponent("inner"), withDestinationURL: URL(fileURLWithPath: outside.path))
        }) { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            let path = path.replacing("OUTSIDE", with: outside.path("file"))
            #expect(try await terminal.run("open('\(path)')").contains("OSError"))
            #expect(try await terminal.run("import os;os.remove('\(path)')").contains("OSError"))
            #expect(try await terminal.run("import os;print(os.listdir('/..'))") == "[]\n")
            #expect(try outside.read("file") == Array("the host's".utf8))
        }
    }

    /// Nothing of the host is offered.
    @Test(arguments: [
        "import os;os.system('touch stolen')", "import os;os.popen('id')", "import os;os.getenv('HOME')", "import socket", "import usocket",
        "import subprocess", "import ffi", "import uctypes", "import machine;machine.mem32[0]", "import os;os.symlink('/etc','e')",
        "import os;os.chdir('/etc')", "import os;os.chdir('..');os.listdir('etc')", "open('/proc/self/mem')",
    ])
    func nothingOfTheHostIsThere(program: String) async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            let answer = try await terminal.run(program)
            #expect(answer.contains("ImportError") || answer.contains("AttributeError") || answer.contains("OSError"), "\(answer)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.files.path).isEmpty)
        }
    }

    /// Names and small files take room, too.
    @Test func smallFilesFillTheFileSystem() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run(
                "def fill():\n n=0\n try:\n  while n<9999:\n   f=open('file%d'%n,'w');f.write('x'*100);f.close();n+=1\n except OSError "
                    + "as e: print(e,n>1000)"
            )
            #expect(try await terminal.run("fill()", patience: .seconds(3000)) == "28 True\n")
            #expect(try await terminal.run("import os\nn=0\nfor e in os.ilistdir(): n+=1\nprint(n>1000)") == "True\n")
            #expect(try await terminal.run("os.listdir()").contains("MemoryError"))
        }
    }

    /// A callback's file is another one, even while the main code's is being opened.
    @Test func aCallbacksFileIsItsOwn() async throws {
        try await withUnit { unit, central, folder in
            let terminal = try await Terminal.raw(unit, central)
            _ = try await terminal.run(
                "import bluetooth\ndef f(b):\n g=open('callback','w');g.write('callback');g.close()\nbluetooth.receive_callback(f)")
            try await terminal.send("for i in range(40):\n h=open('main%d'%i,'w');h.write('main');h.close()\n\u{4}")
            _ = try await terminal.read(until: "OK", patience: .milliseconds(100))
            let channel = try await terminal.connection.openChannel(
                to: AttributeID("e5700002-7bac-429a-b4ce-57ff900f479d"), deadline: terminal.clock.deadline(in: .seconds(1)))
            for _ in 0..<10 {
                try await channel.send([1], deadline: terminal.clock.deadline(in: .seconds(5)))
                try await terminal.clock.sleep(until: terminal.clock.deadline(in: .milliseconds(170)))
            }
            _ = try await terminal.read(until: "\u{4}>", patience: .seconds(30))
            #expect(try Data(contentsOf: folder.files.appendingPathComponent("callback")) == Data("callback".utf8))
            for index in 0..<40 {
                #expect(try Data(contentsOf: folder.files.appendingPathComponent("main\(index)")) == Data("main".utf8))
            }
        }
    }

    @Test func namesErrorsAndFolders() async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            for (code, answer) in [
                ("import os;os.mkdir('d');open('d/x','w').close();print(os.listdir('d'),os.listdir())", "['x'] ['d']"),
                ("os.rename('d/x','y');print(os.stat('y')[0],list(os.ilistdir()))", "32768 [('d', 16384, 0, 0), ('y', 32768, 0, 0)]"),
                ("os.chdir('d');print(os.getcwd());os.chdir('/')", "/d"),
                ("f=open('y','w');print(f.write('a\\nb'));f.close();print([l for l in open('y')])", "3\n['a\\n', 'b']"),
                ("f=open('y','a');f.write('c');f.close();print(open('y').read())", "a\nbc"),
                ("f=open('y','rb');f.seek(2);print(f.read(1),f.tell())", "b'b' 3"),
            ] {
                #expect(try await terminal.run(code) == answer + "\n", "\(code)")
            }
            for (code, error) in [
                ("os.mkdir('d')", "[Errno 17] EEXIST"), ("os.remove('none')", "[Errno 2] ENOENT"),
                ("open('" + String(repeating: "n", count: 256) + "','w')", "OSError"), ("open('d')", "[Errno 21] EISDIR"),
            ] {
                #expect(try await terminal.run(code).contains(error), "\(code)")
            }
        }
    }
}
