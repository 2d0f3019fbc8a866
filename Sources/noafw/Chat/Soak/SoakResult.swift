import Support

struct SoakResult: Sendable, Hashable {
    var planned = 0
    /// Texts for the unit's display.
    var sent = 0
    /// Accepted by the unit's program, or by the link if the program gives no receipts.
    var delivered = 0
    /// Sent a second time because the first was not accepted.
    var repeated = 0
    /// Pings that the unit has sent back.
    var answered = 0
    /// Repeated because the link was lost or no answer came.
    var askedAgain = 0
    /// Receipts and answers that came twice or were not awaited.
    var duplicates = 0
    /// Receipts and answers that came before those of earlier numbers.
    var reordered = 0
    /// Links after the first.
    var reconnects = 0
    var longestDelivery = Duration.zero

    /// Messages either way that never arrived.
    var lost: Int { 2 * planned - delivered - answered }
    /// A soak without messages is not clean.
    var isClean: Bool { planned > 0 && lost == 0 && duplicates == 0 && reordered == 0 }

    /// A sentence without a full stop.
    var summary: String {
        "soak: \(planned) messages each way, \(lost) lost, \(duplicates) duplicate, \(reordered) out of order, "
            + "\(repeated + askedAgain) sent again, \(reconnects) \(reconnects == 1 ? "reconnect" : "reconnects"), "
            + "longest delivery \(Format.seconds(longestDelivery.inSeconds)) s"
    }

    var failure: Diagnosis? {
        if isClean { return nil }
        return Diagnosis(
            "NOA-0033", .unitFailed, .unit, summary,
            cause: "the link or the unit's program loses or repeats messages",
            remedy: "run the same command again with --json to see which; bring the unit closer and install the current scripts")
    }
}

extension SoakResult: Encodable {
    private enum CodingKeys: CodingKey {
        case planned, sent, delivered, repeated, answered, askedAgain, lost, duplicates, reordered, reconnects, longestDeliverySeconds
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        let counts: KeyValuePairs<CodingKeys, Int> = [
            .planned: planned, .sent: sent, .delivered: delivered, .repeated: repeated, .answered: answered, .askedAgain: askedAgain,
            .lost: lost,
            .duplicates: duplicates, .reordered: reordered, .reconnects: reconnects,
        ]
        for (key, count) in counts { try members.encode(count, forKey: key) }
        try members.encode(longestDelivery.inSeconds, forKey: .longestDeliverySeconds)
    }
}
