import Foundation

/// A barcode scanner's keys as lines. It types fast, and ends each line with CR, LF, both or a tab.
///
/// Control characters go, GS1's separator (0x1D) among them, and whole escape sequences of a terminal; a line that is too long or no
/// UTF-8 is reported, never cut.
struct ScannerInput: Sendable {
    enum Line: Sendable, Hashable {
        /// In normal form C, without blanks at its ends; it may be empty.
        case text(String)
        case tooLong
        case notText
    }

    /// Bytes of a line. A code of 200 characters is the most that a record takes.
    static let limit = 800

    private enum Escape { case none, begun, sequence }

    private var bytes: [UInt8] = []
    private var isTooLong = false
    private var escape = Escape.none
    /// What ended the last line, while nothing came after it: CR LF ends one line, not two.
    private var lastEnd: UInt8?

    mutating func feed(_ input: [UInt8]) -> [Line] { input.compactMap { take($0) } }

    private mutating func take(_ byte: UInt8) -> Line? {
        if isSkipped(byte) { return nil }
        switch byte {
        case 0x0A, 0x0D, 0x09:
            defer { lastEnd = byte }
            if let lastEnd, lastEnd != byte { return nil }
            return end()
        case 0x00..<0x20, 0x7F:
            return nil
        default:
            lastEnd = nil
            if bytes.count < Self.limit { bytes.append(byte) } else { isTooLong = true }
            return nil
        }
    }

    /// `ESC [ … letter`, `ESC O letter`, `ESC letter` (ECMA-48, 5.4): keys of a keyboard, no code.
    private mutating func isSkipped(_ byte: UInt8) -> Bool {
        switch escape {
        case .none:
            guard byte == 0x1B else { return false }
            escape = .begun
            return true
        case .begun:
            // The end of a line ends what was no sequence.
            escape = byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") ? .sequence : .none
            return byte != 0x0D && byte != 0x0A
        case .sequence:
            if byte == 0x0D || byte == 0x0A {
                escape = .none
                return false
            }
            if (0x40...0x7E).contains(byte) { escape = .none }
            return true
        }
    }

    private mutating func end() -> Line {
        defer { (bytes, isTooLong) = ([], false) }
        if isTooLong { return .tooLong }
        guard let text = String(validating: bytes, as: UTF8.self) else { return .notText }
        // Control characters beyond ASCII, and marks that change the direction of a line.
        let scalars = text.unicodeScalars.filter { UntrustedText.isHarmless($0) }
        return .text(String(String.UnicodeScalarView(scalars)).precomposedStringWithCanonicalMapping.trimmingCharacters(in: .whitespaces))
    }
}
