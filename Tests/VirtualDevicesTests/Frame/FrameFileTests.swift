import Bluetooth
import Foundation
import Support
import TestSupport
import Testing
import VirtualFaults
@testable import VirtualDevices

/// The file system as Lua and a power cut see it.
@Suite(.enabled(if: TestTools.mayRunFrameLua, "frame-lua is missing: run Tools/setup tests"))
struct FrameFileTests {
    private static let open = "o=frame.file.open "

    @Test func aFolderThatIsMovedIntoItselfIsLostWithItsBlocks() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            let loop = "frame.file.mkdir('gg')f=frame.file.open('gg/a','w')for i=1,10 do f:write(('x'):rep(500))end f:close()"
            #expect(try await link.run(loop + "frame.file.rename('gg','gg/h')print(#frame.file.listdir('/'))") == "2")
            #expect(try await link.run("frame.file.open('gg/a')")?.hasSuffix("cannot open file gg/a") == true)
            #expect(bench.folder.lostBlocks() == 4)
        }
    }

    @Test func aReadEndsAtALineOrAfter512Bytes() async throws {
        let files = ["a": "one\n\n" + String(repeating: "x", count: 600) + "\ntail", "n": "line\n", "e": ""]
        try await FrameBench.run(files: files) { bench in
            let link = try await bench.link()
            try await link.write(Self.open + "f=o'a't={}for i=1,6 do local l=f:read()t[i]=l and #l or 'nil' end print(table.concat(t,' '))")
            #expect(try await link.text() == "3 0 512 88 4 nil")
            try await link.write("f:close()f=o'n't={}for i=1,4 do local l=f:read()t[i]=l and #l or 'nil' end print(table.concat(t,' '))")
            // Nothing is behind a last line end.
            #expect(try await link.text() == "4 nil nil nil")
            #expect(try await link.run("f:close()print(o'n':read(2))") == "line")
        }
    }

    @Test func modesAndNamesAreRefusedInTheirWords() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            for (lua, text) in [
                ("f=frame.file f.open('a','x')", "mode must be 'r', 'w', or 'a'"), ("f.open('a')", "cannot open file a"),
                ("f.open('b/a','w')", "cannot open file b/a"), ("f.remove('a')", "error deleting file/directory"),
                ("f.rename('a','b')", "error renaming file/directory"), ("f.listdir('a')", "directory not found"),
                ("h=f.open('a','write')h:close()h:write('')", "attempt to use a closed file"),
                ("h=f.open('a','read')h:write('')", "file opened in read-only mode"),
                ("h:close()f.open('../../etc/passwd')", "cannot open file ../../etc/passwd"),
            ] {
                #expect(try await link.run(lua)?.hasSuffix("]:1: " + text) == true, "\(lua)")
            }
        }
    }

    @Test func closeIsTheCommit() async throws {
        try await FrameBench.run(files: ["old": "before"]) { bench in
            let link = try await bench.link()
            try await link.write("a=frame.file.open('old','w')a:write('after')b=frame.file.open('new','w')b:write('x')print(1)")
            #expect(try await link.text() == "1")
            #expect(
                try await link.run("for k,e in ipairs(frame.file.listdir('/'))do s=(s or '')..e.name..e.size..e.type..' 'end print(s)")
                    == ".02 ..02 new01 old61 ")
            try await link.write([4])
            _ = try await link.all()
            #expect(try await link.run("print(frame.file.open('old'):read())") == "before")
            #expect(try await link.run("print(frame.file.open('new'):read())") == "nil")
        }
    }

    /// A power cut between any two packets of an upload leaves the old content or the new one.
    @Test func aPowerCutLeavesOldOrNew() async throws {
        for cut in 3...6 {
            var faults = FaultPlan()
            faults.cuts = [cut: .power]
            try await FrameBench.run(files: ["f": "old"], faults: faults) { bench in
                do {
                    let link = try await bench.link()
                    for lua in ["f=frame.file.open('f','w')", "f:write(('n'):rep(5000))", "f:write('e')", "f:close()"] {
                        _ = try await link.run(lua + "print(1)")
                    }
                } catch is LinkError {}
                try await bench.wait(.seconds(6))
                let content = try Data(contentsOf: bench.folder.files.appendingPathComponent("f"))
                #expect([3, 5001].contains(content.count), "cut at \(cut)")
                #expect(try await bench.link().run("print(#frame.file.open('f'):read())") == (content.count == 3 ? "3" : "512"))
            }
        }
    }

    @Test func aCutInTheMiddleOfACloseLeavesWhatWas() async throws {
        var seen: Set<String> = []
        for delay in stride(from: 400, to: 1400, by: 200) {
            seen.insert(try await FrameBench.run(files: ["f": "old"]) { bench in
                let link = try await bench.link()
                #expect(try await link.run("f=frame.file.open('f','w')f:write('new')print(1)") == "1")
                try await link.write("f:close()")
                // The command starts after half the prompt's turn.
                try await link.sleep(.milliseconds(5) + .microseconds(delay))
                bench.unit.stimulate(.cut(.power))
                try await bench.wait(.seconds(5))
                return try String(contentsOf: bench.folder.files.appendingPathComponent("f"), encoding: .utf8)
            })
        }
        #expect(seen == ["old", "new"])
    }

    @Test func aFileHasSixtyFourKilobytesAndTheSystemItsPages() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            try await link.write("s=('x'):rep(16384)f=frame.file.open('a','w')for i=1,4 do f:write(s)end print(pcall(f.write,f,'y'))")
            #expect(try await link.text(within: .seconds(20)) == "false")
            #expect(try await link.run("f:close()print(frame.file.listdir('')[3].size)") == "65536")
            // 66 blocks are free, a file of 65,536 bytes has 17: the fourth does not fit.
            for (name, fits) in [("b", "true"), ("c", "true"), ("d", "false")] {
                try await link.write("f=frame.file.open('\(name)','w')for i=1,4 do p=pcall(f.write,f,s)end f:close()print(p)")
                #expect(try await link.text(within: .seconds(20)) == fits, "\(name)")
            }
            // What failed is not there.
            #expect(try await link.run("print(frame.file.listdir('')[6].size)") == "0")
        }
    }

    @Test func oldFirmwareHasLessRoom() async throws {
        #expect(FrameMemory.blockCount(imageSize: FrameFirmware.v25_080.image().count) == 68)
        #expect(FrameMemory.blockCount(imageSize: FrameFirmware.v24_248.image().count) == 69)
        #expect(FrameMemory.blockCount(imageSize: FrameFirmware.v24_149.image().count) == 20)
    }

    @Test func foldersAndNames() async throws {
        try await FrameBench.run(files: ["f": "1", "g": "2"]) { bench in
            let link = try await bench.link()
            #expect(
                try await link.run("f=frame.file f.mkdir('a/b/c')f.rename('f','a/b/f')h=f.open('a/b/f')print(h:read())h:close()") == "1")
            #expect(try await link.run("f.mkdir('a/d')")?.hasSuffix("error creating directory") == true)
            #expect(try await link.run("f.remove('a')")?.hasSuffix("error deleting file/directory") == true)
            #expect(try await link.run("f.rename('g','a/b/f')h=f.open('a/b/f')print(h:read())h:close()") == "2")
            let names = "t={}for i,e in ipairs(f.listdir('a/b'))do t[i]=e.name..e.type end print(table.concat(t,' '))"
            #expect(try await link.run(names) == ".2 ..2 c2 f1")
            let odd = try await link.run("f.open('\u{e4} %','w'):close()print(f.listdir('')[4].name)")
            #expect(odd == "\u{e4} %", "\(odd ?? "nothing")")
        }
    }

    @Test func appendingGoesOn() async throws {
        try await FrameBench.run(files: ["f": "one"]) { bench in
            let link = try await bench.link()
            #expect(try await link.run("f=frame.file.open('f','a')f:write('two')f:close()print(frame.file.open('f'):read())") == "onetwo")
        }
    }

    @Test func anOpenFileThatIsCollectedHangsTheUnit() async throws {
        try await FrameBench.run(files: ["f": "1"]) { bench in
            let link = try await bench.link()
            try await link.write("frame.file.open('f')collectgarbage()collectgarbage()print(1)")
            #expect(try await link.text() == "1")
            try await link.write("frame.file.open('f')")
            try await link.connection.waitUntilGone(deadline: bench.clock.deadline(in: .seconds(20)))
            #expect(try await bench.link().run("print(frame.file.open('f'):read())") == "1")
        }
    }

    @Test func writingTakesTheFlashesTime() async throws {
        try await FrameBench.run { bench in
            let link = try await bench.link()
            let before = bench.clock.now
            #expect(try await link.run("f=frame.file.open('f','w')f:write(('x'):rep(20000))f:close()print(1)", within: .seconds(9)) == "1")
            let took = before.duration(to: bench.clock.now)
            #expect(took > .milliseconds(650) && took < .seconds(1.2), "\(took)")
        }
    }
}
