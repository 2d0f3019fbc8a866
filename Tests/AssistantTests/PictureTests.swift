import Foundation
import Support
import TestSupport
import Testing

@testable import Assistant

@Suite struct PictureTests {
    private static func gradient(_ width: Int, _ height: Int) throws -> PixelPicture {
        var pixels: [UInt8] = []
        for row in 0..<height {
            for column in 0..<width {
                pixels.append(UInt8(column * 255 / width))
                pixels.append(UInt8(row * 255 / height))
                pixels.append(UInt8((row + column) % 256))
            }
        }
        return try #require(PixelPicture(width: width, height: height, pixels: pixels))
    }

    @Test(arguments: [(1, 1), (3, 2), (300, 200)]) func whatIsWrittenIsRead(width: Int, height: Int) throws {
        let picture = try Self.gradient(width, height)
        let read = try PictureFile.read(try #require(PNGFile.file(picture)))
        #expect(read == picture)
    }

    /// PNG of every kind, made by zlib and by nobody here.
    @Test(.enabled(if: TestTools.python != nil, "Python is missing: run Tools/setup tests")) func filesOfPythonsZlibAreRead() throws {
        let picture = try Self.gradient(60, 40)
        for (colourType, filter) in [(2, 0), (2, 1), (2, 2), (2, 3), (2, 4), (6, 4)] {
            let read = try PictureFile.read(try Self.pngByPython(picture, colourType: colourType, filter: filter))
            #expect(read == picture, "colour type \(colourType), filter \(filter)")
        }
        for (depth, isInterlaced) in [(8, true), (16, false)] {
            let file = try Self.pngByPython(picture, colourType: 6, filter: 0, depth: depth, isInterlaced: isInterlaced)
            #expect(try PictureFile.read(file) == picture, "\(depth) bits, interlaced: \(isInterlaced)")
        }
        let wide = try Self.pngByPython(picture, colourType: 6, filter: 0, depth: 16, isInterlaced: true)
        #expect(throws: PictureFile.Fault("it is interlaced, with 16 bits a channel; save it with 8")) { try PictureFile.read(wide) }
        let half = try PictureFile.read(try Self.pngByPython(picture, colourType: 6, filter: 0, opacity: 128))
        #expect(half.pixels == picture.pixels.map { UInt8(Int($0) * 128 / 255) })
    }

    private static func pngByPython(
        _ picture: PixelPicture, colourType: Int, filter: Int, depth: Int = 8, isInterlaced: Bool = false, opacity: Int = 255
    ) throws -> [UInt8] {
        let program = """
            import sys, zlib, struct
            w, h, kind, f, depth, interlaced, opacity = map(int, sys.argv[1:8])
            p = sys.stdin.buffer.read()
            n = 4 if kind == 6 else 3
            def pixel(r, c): return bytes(v for s in p[(r*w+c)*3:(r*w+c)*3+3] + bytes([opacity] * (n - 3)) for v in [s] * (depth // 8))
            passes = [(0,0,8,8),(0,4,8,8),(4,0,8,4),(0,2,4,4),(2,0,4,2),(0,1,2,2),(1,0,2,1)] if interlaced else [(0,0,1,1)]
            rows = [b''.join(pixel(r, c) for c in range(x, w, dx)) for y, x, dy, dx in passes for r in range(y, h, dy)]
            def paeth(a, b, c):
                q = a + b - c
                x, y, z = abs(q-a), abs(q-b), abs(q-c)
                return a if x <= y and x <= z else b if y <= z else c
            out, above = b'', bytes(w*n*2)
            for row in rows:
                line = bytearray()
                for i, v in enumerate(row):
                    a = row[i-n] if i >= n else 0
                    c = above[i-n] if i >= n else 0
                    b = above[i]
                    line.append((v - [0, a, b, (a+b)//2, paeth(a, b, c)][f]) & 255)
                out += bytes([f]) + bytes(line)
                above = row.ljust(w*n*2)
            def chunk(name, data): return struct.pack('>I', len(data)) + name + data + struct.pack('>I', zlib.crc32(name + data))
            sys.stdout.buffer.write(b'\\x89PNG\\r\\n\\x1a\\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', w, h, depth, kind, 0, 0, interlaced))
                + chunk(b'IDAT', zlib.compress(out, 9)) + chunk(b'IEND', b''))
            """
        let process = try #require(
            BoundedProcess(
                try TestTools.require(TestTools.python, "Python"),
                [
                    "-c", program, "\(picture.width)", "\(picture.height)", "\(colourType)", "\(filter)", "\(depth)",
                    isInterlaced ? "1" : "0", "\(opacity)"
                ], input: picture.pixels, outputLimit: 1 << 20))
        guard case .exited(status: 0, let output) = process.wait(milliseconds: 20_000) else { return [] }
        return output
    }

    @Test func brokenFilesAreRefused() throws {
        let file = try #require(PNGFile.file(try Self.gradient(20, 20)))
        for count in 0..<file.count { #expect(throws: PictureFile.Fault.self) { try PictureFile.read(Array(file.prefix(count))) } }
        var numbers = SeededNumbers(seed: 5)
        for _ in 0..<300 {
            var copy = file
            copy[Int.random(in: 0..<copy.count, using: &numbers)] ^= UInt8.random(in: 1...255, using: &numbers)
            _ = try? PictureFile.read(copy)
        }
        for text in ["P6", "P6 1 1", "P6 1 1 255 a", "P6 -1 1 255 abc", "P6 99999 99999 255 ", "P6 1 1 0 abc", "P5 2 2 255 abc"] {
            #expect(throws: PictureFile.Fault.self) { try PictureFile.read(Array(text.utf8)) }
        }
    }

    @Test func netpbmIsRead() throws {
        let colour = try PictureFile.read(Array("P6 # a comment\n1 1\n255\nabc".utf8))
        let grey = try PictureFile.read(Array("P5 1 1 255 a".utf8))
        #expect(colour.pixels == Array("abc".utf8) && grey.pixels == Array("aaa".utf8))
    }

    @Test func aDisplayPictureHasSixteenColoursTheFirstOfThemBlack() throws {
        let picture = try #require(DisplayPicture(try Self.gradient(800, 600)))
        #expect(picture.palette.count == 48 && Array(picture.palette.prefix(3)) == [0, 0, 0])
        #expect(picture.height == 300 && picture.rows.count == 60_000)
        #expect(Set(picture.rows.flatMap { [$0 >> 4, $0 & 15] }).count > 8)
    }

    @Test func aNarrowPictureStandsInTheMiddle() throws {
        let white = try #require(PixelPicture(width: 2, height: 1, pixels: [UInt8](repeating: 255, count: 6)))
        let picture = try #require(DisplayPicture(white))
        #expect(picture.height == 1)
        let index = try #require(picture.rows.first { $0 != 0 }) & 15
        #expect(picture.rows.enumerated().filter { $0.element != 0 }.map(\.offset) == [99, 100])
        #expect(Array(picture.palette[Int(index) * 3..<Int(index) * 3 + 3]) == [255, 255, 255])
    }
}
