import Assistant
import Support

@testable import OpenAI

extension FuzzTarget {
    /// An assistant's answer, as events or as one document.
    static let serverAnswer = FuzzTarget("server-answer", seeds: { Samples.serverAnswers }) { input in
        let (whole, byByte) = (answer([input]), answer(input.map { [$0] }))
        try BrokenPromise.check(whole.text == byByte.text && whole.fault == byByte.fault, "where the answer is cut changes what it says")
        try BrokenPromise.check(whole.text.utf8.count <= AnswerDecoder.textLimit, "a text of \(whole.text.utf8.count) bytes")
        try BrokenPromise.check(whole.fault == PrintableText.of(whole.fault.utf8), "a fault that is not printable")
        try BrokenPromise.check(!whole.fault.contains(Samples.serverKey), "a fault that shows the key")
    }

    private static func answer(_ pieces: [[UInt8]]) -> (text: String, fault: String) {
        var decoder = AnswerDecoder(hiding: try? SecretText(Samples.serverKey))
        var text = ""
        do {
            for piece in pieces { try decoder.receive(piece) { text += $0 } }
            try decoder.finish { text += $0 }
            _ = try decoder.summary()
            return (text, "")
        } catch { return (text, error.diagnosis.message) }
    }
}

extension Samples {
    static let serverKey = "sk-4f9a27c1e8b35d60"

    static let serverAnswers = [
        "data: {\"choices\":[{\"delta\":{\"content\":\"It is \"}}]}\n\n"
            + "data: {\"choices\":[{\"delta\":{\"content\":\"noon.\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\n\n",
        ": wait\n\ndata: {\"error\":{\"message\":\"no sk-4f9a27c1e8b35d60\",\"code\":\"insufficient_quota\"}}\n\n",
        "{\"choices\":[{\"message\":{\"content\":[{\"text\":\"It\"},{\"text\":\" is\"}]},\"finish_reason\":\"length\"}],"
            + "\"usage\":{\"total_tokens\":7}}",
        "<html>sk-4f9a27c1e8b35d60</html>", "{\"error\":\"\\u001b[2J\"}",
    ].map { Array($0.utf8) }
}
