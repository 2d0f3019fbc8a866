/// The receipts that a Monocle's program owes for what it was sent.
struct MonocleReceipts {
    private static let request = Array("end:".utf8)

    /// The program gives some, as it says when it announces itself.
    var areGiven = false
    /// What the last request asked for; `nil` when nothing was requested.
    private(set) var awaited: AnswerReceipt?
    /// Text since the last request.
    private var text: [UInt8] = []

    mutating func beginAnswer() { (text, awaited) = ([], nil) }

    mutating func note(_ pieces: [String]) { text += pieces.flatMap(\.utf8) }

    /// - Returns: the packets that ask for a receipt.
    mutating func requestPackets() -> [[UInt8]] {
        awaited = areGiven && !text.isEmpty ? AnswerReceipt(of: text) : nil
        text = []
        return awaited == nil ? [] : [Self.request]
    }
}
