import Support

/// What is let into a recording and a picture.
public struct RecordingLimits: Sendable, Hashable {
    /// One recording; the scripts make 6 s.
    public var recordingSeconds = 60
    /// One picture; the cameras make 10 to 60 KB.
    public var photoBytes = 256 << 10
    /// Silence on the link within a recording after which it counts as ended.
    public var stall = Duration.seconds(8)

    public init() {}
}

/// What a wearer says and photographs, put together from packets. A new recording is a new value.
struct WearerRecorder {
    enum Event {
        case relay(RelayEvent)
        /// The wearer speaks or takes a picture: the unit has cleared its display.
        case displayCleared
        /// The recording does not end: the unit has to be told.
        case overflowed
    }

    enum Phase {
        case idle
        /// What comes first tells whether it is a picture or sound.
        case begun
        case photo
        case sound
        /// Too long, and cut; what still comes of it is passed over.
        case overflowing
    }

    /// Samples a second.
    static let rate = 8000
    /// Sound that is worth an answer although its recording was cut, in seconds.
    private static let leastSeconds = 0.5

    let limits: RecordingLimits
    /// What a camera's bytes are; `nil` where they are no picture.
    let develop: @Sendable ([UInt8]) -> Photo?
    private(set) var phase = Phase.idle
    /// When a recording without further packets counts as ended.
    private(set) var stallDeadline: SessionClock.Instant?
    private var sound: [UInt8] = []
    /// A picture on its way.
    private var incoming: [UInt8] = []
    /// The whole picture that the sound belongs to.
    private var photo: Photo?

    init(limits: RecordingLimits, develop: @escaping @Sendable ([UInt8]) -> Photo?) {
        (self.limits, self.develop) = (limits, develop)
    }

    private var seconds: Double { Double(sound.count) / Double(Self.rate) }

    mutating func forget() { self = WearerRecorder(limits: limits, develop: develop) }

    /// Something came from the unit.
    mutating func notePacket(now: SessionClock.Instant) {
        if phase != .idle { stallDeadline = now.advanced(by: limits.stall) }
    }

    mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        guard let stallDeadline, stallDeadline <= now else { return [] }
        let notice: [RelayEvent] = phase == .sound ? [.notice(.recordingStalled(seconds: seconds))] : []
        return notice + abandon(.stalled)
    }

    /// What there is of a recording that will not go on: an utterance where it is long enough to hold words.
    mutating func abandon(_ cut: Utterance.Cut) -> [RelayEvent] {
        defer { forget() }
        if !incoming.isEmpty { return [.notice(.photoIncomplete(byteCount: incoming.count)), .nothingRecorded] }
        guard phase == .sound, seconds >= Self.leastSeconds || photo != nil else {
            return phase == .idle || phase == .overflowing ? [] : [.nothingRecorded]
        }
        return [.utterance(utterance(cut))]
    }

    private func utterance(_ cut: Utterance.Cut? = nil) -> Utterance {
        Utterance(sound: Sound(bytes: sound, rate: Self.rate), photo: photo, cut: cut)
    }

    private mutating func begin(_ phase: Phase, now: SessionClock.Instant) -> [Event] {
        let isNew = self.phase == .idle || self.phase == .overflowing
        self.phase = phase
        stallDeadline = now.advanced(by: limits.stall)
        return [.displayCleared] + (isNew ? [.relay(.recordingStarted)] : [])
    }

    mutating func begins(now: SessionClock.Instant) -> [Event] {
        forget()
        return begin(.begun, now: now)
    }

    // MARK: - Sound

    mutating func soundStarts(now: SessionClock.Instant) -> [Event] {
        forget()
        return begin(.sound, now: now)
    }

    mutating func takeSound(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [Event] {
        guard phase != .overflowing else { return [] }
        let events = phase == .sound ? [] : begin(.sound, now: now)
        let room = limits.recordingSeconds * Self.rate - sound.count
        sound += data.prefix(room)
        guard data.count > room else { return events }
        let whole = utterance(.tooLong)
        forget()
        phase = .overflowing
        let notice = RelayNotice.recordingTooLong(limitSeconds: limits.recordingSeconds)
        return events + [.relay(.notice(notice)), .overflowed, .relay(.utterance(whole))]
    }

    mutating func soundEnds() -> [Event] {
        defer { forget() }
        if phase == .overflowing { return [] }
        return [.relay(sound.isEmpty && photo == nil ? .nothingRecorded : .utterance(utterance()))]
    }

    // MARK: - Pictures

    mutating func photoStarts(now: SessionClock.Instant) -> [Event] {
        (incoming, photo) = ([], nil)
        return begin(.photo, now: now)
    }

    mutating func takePhoto(_ data: ArraySlice<UInt8>) -> [Event] {
        // Without its beginning a JPEG is nothing.
        guard phase == .photo else { return [] }
        guard incoming.count + data.count <= limits.photoBytes else {
            incoming = []
            phase = .sound
            return [.relay(.notice(.photoTooLarge(limitBytes: limits.photoBytes)))]
        }
        incoming += data
        return []
    }

    mutating func photoEnds(now: SessionClock.Instant) -> [Event] {
        let events = begin(.sound, now: now)
        sound = []
        guard !incoming.isEmpty else { return events }
        defer { incoming = [] }
        photo = develop(incoming)
        return events + [.relay(photo.map { .photo($0) } ?? .notice(.photoUnreadable(byteCount: incoming.count)))]
    }
}
