extension RunRecord {
    static let componentLimit = 32
    static let stepLimit = 256

    /// The record as it may be kept: texts of a unit are printable, nothing is longer than a line of the spool can hold.
    public var bounded: RunRecord {
        var record = self
        record.unitAddress = RecordText.required(unitAddress)
        record.serial = RecordText.optional(serial)
        record.family = RecordText.required(family)
        record.code = RecordText.optional(code)
        record.versionsBefore = Self.bounded(versionsBefore)
        record.versionsAfter = Self.bounded(versionsAfter)
        record.digests = Self.bounded(digests)
        record.bundleDigest = RecordText.optional(bundleDigest)
        record.bundleSigner = RecordText.optional(bundleSigner)
        record.plan = RecordText.json(plan)
        // The last steps tell how a run ended.
        record.steps = steps.suffix(Self.stepLimit).map(\.bounded)
        return record
    }

    private static func bounded(_ texts: [String: String]) -> [String: String] {
        let kept = texts.sorted { $0.key < $1.key }.prefix(componentLimit)
        return Dictionary(kept.map { (RecordText.required($0.key), RecordText.line($0.value)) }) { first, _ in first }
    }
}

extension RunStep {
    fileprivate var bounded: RunStep {
        var step = self
        step.name = RecordText.required(name)
        step.code = RecordText.optional(code)
        if let speed = kilobytesPerSecond, !speed.isFinite { step.kilobytesPerSecond = nil }
        return step
    }
}
