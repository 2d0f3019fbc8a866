import KeyboardFamily
import OpenBotFamily
import Support

extension FuzzTarget {
    /// A notification of a robot. Nothing of it reaches a terminal unprinted.
    static let robotLine = FuzzTarget("robot-line", seeds: { Samples.robotLines }) { input in
        switch RobotMessage(input) {
        case .features(let features):
            let texts = [features.body] + features.tokens
            try BrokenPromise.check(texts.allSatisfy { $0 == PrintableText.ascii($0) }, "a feature that is not printable")
            try BrokenPromise.check(features.known.count + features.unknown.count == features.tokens.count, "a feature is lost")
        case .bumper(let bumper): try BrokenPromise.check(bumper.code == PrintableText.ascii(bumper.code), "a place that is not printable")
        case .voltage(let volts): try BrokenPromise.check((0...100).contains(volts), "a voltage out of range")
        case .wheels(let left, let right): try BrokenPromise.check(left.isFinite && right.isFinite, "a speed that is no number")
        case .sonar(let distance): try BrokenPromise.check(distance >= 0, "a distance below 0")
        case .unknown(let bytes): try BrokenPromise.check(input.starts(with: bytes), "bytes that nobody sent")
        }
    }

    /// What an IOS-Keyboard notes of commands and keys, as its web page gives it.
    static let keyboardTrace = FuzzTarget("keyboard-trace", seeds: { Samples.keyboardTraces }) { input in
        guard let trace = try? KeyboardTrace(json: input) else { return }
        let isProved = (try? trace.prove([], layout: .ofStart, next: trace)) != nil
        try BrokenPromise.check(!isProved, "nothing was sent, and is proved")
    }
}

extension Samples {
    static let robotLines = [
        "fRTR_TT2:v:i:s:b:wf:wb:lf:lb:ls:", "fDIY_ESP32:v:new:", "v9.75", "s120", "w55.5,-60.25", "bcf\u{0}", "x1", "w1e400,nan",
    ].map { Array($0.utf8) }

    static let keyboardTraces = [
        #"{"ble":["TXT: Hi","BS x2","ENTER","CTRL+j"],"hid":["'H' K:0x0B M:0x02","BS K:0x2A","'\"' K:0x34 M:0x00"]}"#,
        #"{"ble":[],"hid":[]}"#,
    ].map { Array($0.utf8) }
}
