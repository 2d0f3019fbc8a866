import Assistant
import Foundation
import Support
import TestSupport
import Testing

@testable import noafw

/// Picture files for a unit's display.
@Suite struct PictureInputTests {
    private static let missing: Comment = "djpeg or cjpeg is missing: run Tools/setup tests"

    /// Red on the left, blue on the right.
    private static let pixels = Array("P6 200 100 255\n".utf8)
        + (0..<100).flatMap { _ in (0..<200).flatMap { $0 < 100 ? [UInt8(230), 10, 10] : [10, 10, 230] } }

    private static func jpeg() throws -> [UInt8] {
        let process = try #require(BoundedProcess("/usr/bin/cjpeg", ["-quality", "95"], input: pixels, outputLimit: 1 << 20))
        guard case .exited(status: 0, let jpeg) = process.wait(milliseconds: 10_000) else { throw CancellationError() }
        return jpeg
    }

    /// What a display shows of the middle of a row: the colours at a quarter and at three quarters.
    private static func colours(of picture: DisplayPicture) -> [[UInt8]] {
        [125, 275].map { column in
            let pair = picture.rows[50 * 200 + column / 2]
            let index = Int(column.isMultiple(of: 2) ? pair >> 4 : pair & 15)
            return Array(picture.palette[index * 3..<index * 3 + 3])
        }
    }

    @Test(.enabled(if: TestTools.mayReadJPEG, missing)) func aJPEGIsReadByItsOwnProgram() throws {
        let picture = try PictureInput.picture(of: Self.jpeg(), name: "photo.jpg")
        #expect(picture.height == 100)
        let colours = Self.colours(of: picture)
        #expect(colours[0][0] > 200 && colours[0][2] < 50, "\(colours)")
        #expect(colours[1][2] > 200 && colours[1][0] < 50, "\(colours)")
    }

    @Test(.enabled(if: TestTools.mayReadJPEG, missing), arguments: [3, 40, 400]) func aBrokenJPEGIsSaidSo(count: Int) throws {
        let error = #expect(throws: PictureInput.Unreadable.self) {
            try PictureInput.picture(of: Array(try Self.jpeg().prefix(count)), name: "photo.jpg")
        }
        #expect(error?.diagnosis.code == "NOA-0032" && error?.reason == "it is a broken JPEG", "\(String(describing: error))")
    }

    /// From the file to the unit's display, as an operator does it.
    @Test(.enabled(if: TestTools.mayReadJPEG && TestTools.mayRunFrameLua, missing)) func aJPEGReachesAFramesDisplay() throws {
        let bench = try ToolBench()
        defer { bench.remove() }
        let unit = ["--virtual", "frame", "--virtual-speed", "max"]
        #expect(try bench.run(["flash"] + unit + ["--only", "scripts"]).status == 0)
        try Data(try Self.jpeg()).write(to: bench.state.appendingPathComponent("photo.jpg"))
        let script = bench.state.appendingPathComponent("script.txt")
        try Data("picture photo.jpg\nexpect delivered within 60s\n".utf8).write(to: script)
        let run = try bench.run(["chat"] + unit + ["--assistant", "echo", "--no-verify", "--script", script.path])
        #expect(run.status == 0, "\(run.errors)")
    }
}
