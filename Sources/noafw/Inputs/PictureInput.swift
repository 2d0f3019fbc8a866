import Assistant
import Support

enum PictureInput {
    /// A file without a readable picture.
    struct Unreadable: DiagnosableError {
        var name: String
        var reason: String

        var diagnosis: Diagnosis {
            Diagnosis(
                "NOA-0032", .badData, nil, "cannot show \(name): \(reason)",
                cause: "noafw reads PNG and PPM by itself, and JPEG with the program djpeg",
                remedy: "save the picture as PNG; for JPEG install Debian's libjpeg-turbo-progs")
        }
    }

    private static let sizeLimit = 32 << 20
    private static let decoder = "/usr/bin/djpeg"
    private static let decoderMilliseconds = 10_000

    /// - Throws: ``Unreadable``, `InputFile.Failure`.
    static func load(_ path: NamedPath) throws -> DisplayPicture {
        try picture(of: try InputFile.read(path, limit: sizeLimit), name: path.name)
    }

    /// - Throws: ``Unreadable``.
    static func picture(of bytes: [UInt8], name: String) throws(Unreadable) -> DisplayPicture {
        guard let picture = DisplayPicture(try pixels(of: bytes, name: name)) else {
            throw Unreadable(name: name, reason: "it has no pixels")
        }
        return picture
    }

    static func pixels(of bytes: [UInt8], name: String) throws(Unreadable) -> PixelPicture {
        let file = PictureFile.isJPEG(bytes) ? try decoded(bytes, name) : bytes
        do throws(PictureFile.Fault) {
            return try PictureFile.read(file)
        } catch {
            throw Unreadable(name: name, reason: error.reason)
        }
    }

    /// Decodes a JPEG in a separate program, so that a decoder's fault ends only that.
    private static func decoded(_ jpeg: [UInt8], _ name: String) throws(Unreadable) -> [UInt8] {
        guard let process = BoundedProcess(decoder, ["-pnm"], input: jpeg, outputLimit: PixelPicture.areaLimit * 3 + 64) else {
            throw Unreadable(name: name, reason: "\(decoder) is missing")
        }
        switch process.wait(milliseconds: decoderMilliseconds) {
        case .exited(status: 0, let output): return output
        case .exited(status: 127, _), .exited(status: 126, _): throw Unreadable(name: name, reason: "\(decoder) is missing")
        case .exited: throw Unreadable(name: name, reason: "it is a broken JPEG")
        case .killed, .timedOut: throw Unreadable(name: name, reason: "\(decoder) did not end")
        }
    }
}
