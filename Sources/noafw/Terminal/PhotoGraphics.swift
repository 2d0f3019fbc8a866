import Assistant
import Bluetooth
import Foundation
import Support

/// How this terminal shows a picture, if at all.
enum PhotoGraphics: Hashable, Sendable {
    /// iTerm2's inline images, also in WezTerm: the file as it is.
    case inline
    case kitty
    case sixel

    /// - Parameter sixel: the terminal's answer (DA1, attribute 4).
    static func detect(_ environment: [String: String], sixel: Bool) -> PhotoGraphics? {
        // Multiplexers swallow or garble all three.
        if environment["TMUX"] != nil || environment["STY"] != nil { return nil }
        let program = environment["TERM_PROGRAM"] ?? ""
        if ["iTerm.app", "WezTerm"].contains(program) || environment["LC_TERMINAL"] == "iTerm2" { return .inline }
        let term = environment["TERM"] ?? ""
        if environment["KITTY_WINDOW_ID"] != nil || program == "ghostty" || term.hasPrefix("xterm-kitty") { return .kitty }
        return sixel ? .sixel : nil
    }

    /// - Parameters:
    ///   - columns: the terminal's; the picture takes at most 60.
    ///   - path: where to search for the drawing program.
    /// - Returns: the control sequences, or `nil` when the program is missing or fails.
    func sequences(
        for file: String, _ bytes: [UInt8], columns: Int, path: String?, clock: SessionClock
    ) async -> String? {
        let size = "\(max(10, min(60, columns - 2)))x20"
        switch self {
        case .inline:
            return "\u{1B}]1337;File=inline=1;size=\(bytes.count);width=40:\(Data(bytes).base64EncodedString())\u{07}"
        case .kitty where bytes.starts(with: Self.png):
            return Self.kitty(bytes)
        case .kitty:
            return await Self.output(of: ["chafa", "-f", "kitty", "--size", size, "--", file], beginning: "\u{1B}_G", path, clock)
        case .sixel:
            if let text = await Self.output(of: ["img2sixel", "-w", "480", "--", file], beginning: "\u{1B}P", path, clock) { return text }
            return await Self.output(of: ["chafa", "-f", "sixels", "--size", size, "--", file], beginning: "\u{1B}P", path, clock)
        }
    }

    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    /// Bytes of base64 in one sequence (the protocol's limit).
    private static let kittyPiece = 4096

    /// The terminal decodes PNG itself.
    private static func kitty(_ file: [UInt8]) -> String {
        let text = Array(Data(file).base64EncodedString().utf8)
        return stride(from: 0, to: text.count, by: kittyPiece).map { start in
            let piece = String(decoding: text[start..<min(start + kittyPiece, text.count)], as: UTF8.self)
            let head = start == 0 ? "a=T,f=100,q=2," : ""
            return "\u{1B}_G\(head)m=\(start + kittyPiece < text.count ? 1 : 0);\(piece)\u{1B}\\"
        }.joined()
    }

    /// Draws a picture that may be in no file yet.
    func drawing(of photo: Photo, file: String?, in context: CommandContext) async -> String? {
        if let file { return await drawing(of: photo, in: file, context) }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        guard let media = try? MediaFolder(folder), let file = try? media.save(photo.bytes, as: photo.kind.fileExtension)
        else { return nil }
        return await drawing(of: photo, in: file, context)
    }

    private func drawing(of photo: Photo, in file: String, _ context: CommandContext) async -> String? {
        await sequences(
            for: file, photo.bytes, columns: context.output.columns(), path: context.environment["PATH"], clock: context.clock)
    }

    private static let answerTimeout = Duration.milliseconds(300)

    /// Asks the terminal for its attributes where its name does not tell.
    static func ofTerminal(_ context: CommandContext) async -> PhotoGraphics? {
        guard context.output.isTerminal, !context.isDumbTerminal else { return nil }
        if let known = detect(context.environment, sixel: false) { return known }
        guard context.input.isTerminal, detect(context.environment, sixel: true) != nil else { return nil }
        let pieces = Inbox<[UInt8]?>()
        guard let typed = try? context.input.open(.keys, { pieces.deliver($0) }) else { return nil }
        defer { typed.close() }
        context.output.write("\u{1B}[c")
        typed.more()
        var decoder = KeyDecoder()
        let end = context.clock.deadline(in: answerTimeout)
        while case let bytes?? = try? await pieces.next(before: end, on: context.clock) {
            for case .attributes(let attributes) in decoder.decode(bytes) {
                return detect(context.environment, sixel: attributes.dropFirst().contains(4))
            }
            typed.more()
        }
        return nil
    }

    private static let outputLimit = 4 << 20

    /// Accepts only graphics from the program.
    private static func output(of words: [String], beginning: String, _ path: String?, _ clock: SessionClock) async -> String? {
        guard let bytes = try? await ShortCommand.run(words, path: path, clock: clock, limit: outputLimit) else { return nil }
        guard let start = bytes.range(of: beginning), let end = bytes.range(of: "\u{1B}\\", options: .backwards),
            start.lowerBound < end.upperBound
        else { return nil }
        return String(bytes[start.lowerBound..<end.upperBound])
    }
}
