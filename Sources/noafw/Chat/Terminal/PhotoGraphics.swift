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
        case .kitty:
            return await Self.output(of: ["chafa", "-f", "kitty", "--size", size, "--", file], beginning: "\u{1B}_G", path, clock)
        case .sixel:
            if let text = await Self.output(of: ["img2sixel", "-w", "480", "--", file], beginning: "\u{1B}P", path, clock) { return text }
            return await Self.output(of: ["chafa", "-f", "sixels", "--size", size, "--", file], beginning: "\u{1B}P", path, clock)
        }
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
