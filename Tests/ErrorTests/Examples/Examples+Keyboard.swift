import KeyboardFamily

extension Examples {
    static let keyboard = CataloguedErrors([
        KeyboardError.otherAttributes(address), .notTypeable(kinds: 1, count: 2, layout: .german),
        .notTypeable(kinds: 2, count: 1, layout: .german), .textTooLong(limit: 65_536), .notText,
        .lost(confirmed: 64, unknown: 7, of: 100, reason: reason), .unknownText(unknown: 7), .noTrace(url: "URL", reason: reason),
        .otherLayout(unit: "LAYOUT", wanted: .german), .notProved(reason: reason), .proofSaysNothing, .interrupted(confirmed: 64, of: 100),
        .interrupted(confirmed: 64, of: nil),
    ])
}
