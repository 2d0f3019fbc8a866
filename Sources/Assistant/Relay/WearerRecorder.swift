import Support

/// Limits on one recording and its picture.
public struct RecordingLimits: Sendable, Hashable {
    /// The scripts make 6 s.
    public var recordingSeconds = 60
    /// The cameras make 10 to 60 KB.
    public var photoBytes = 256 << 10
    /// A program's own text.
    static let textBytes = 8 << 10
    /// Silence on the link that ends a recording.
    static let stall = Duration.seconds(8)

    public init() {}
}

/// Assembles a wearer's words and pictures.
package struct WearerRecorder: Sendable {
    package enum Phase: Sendable {
        case idle
        /// Sound, text and pieces of a picture come in any order.
        case recording
        /// Too long and cut; the rest is ignored.
        case overflowing
    }

    static let rate = 8000
    /// The shortest cut recording that still gets an answer.
    private static let leastSeconds = 0.5

    private let limits: RecordingLimits
    /// Whether a picture has its own beginning and end; otherwise it is all pieces of one recording.
    private let framesPhotos: Bool
    private let develop: @Sendable ([UInt8]) -> Photo?
    package private(set) var phase = Phase.idle
    package private(set) var stallDeadline: SessionClock.Instant?
    private var sound: [UInt8] = []
    private var text: [UInt8] = []
    private var incoming: [UInt8]?
    /// Something else followed the picture's last piece.
    private var isFollowed = false
    /// The picture was too large: the rest is ignored.
    private var isRefused = false
    private var photo: Photo?

    package init(
        limits: RecordingLimits = RecordingLimits(), framesPhotos: Bool, develop: @escaping @Sendable ([UInt8]) -> Photo?
    ) {
        (self.limits, self.framesPhotos, self.develop) = (limits, framesPhotos, develop)
    }

    private var seconds: Double { Double(sound.count) / Double(Self.rate) }

    package mutating func forget() { self = WearerRecorder(limits: limits, framesPhotos: framesPhotos, develop: develop) }

    package mutating func notePacket(now: SessionClock.Instant) {
        if phase != .idle { stallDeadline = now.advanced(by: RecordingLimits.stall) }
    }

    package mutating func advance(now: SessionClock.Instant) -> [RelayEvent] {
        guard let stallDeadline, stallDeadline <= now else { return [] }
        let isSound = phase == .recording && (incoming == nil || !sound.isEmpty)
        return (isSound ? [.notice(.recordingStalled(seconds: seconds))] : []) + abandon(.stalled)
    }

    /// Ends a recording that stopped; it is an utterance if it is long enough to hold words.
    package mutating func abandon(_ cut: Utterance.Cut) -> [RelayEvent] {
        defer { forget() }
        guard phase == .recording else { return [] }
        let last = closePhoto(isWhole: !framesPhotos && isFollowed)
        let isWorthAnAnswer = seconds >= Self.leastSeconds || photo != nil || !text.isEmpty
        return last + [isWorthAnAnswer ? .utterance(utterance(cut)) : .nothingRecorded]
    }

    private func utterance(_ cut: Utterance.Cut? = nil) -> Utterance {
        Utterance(
            sound: Sound(bytes: sound, rate: Self.rate), photo: photo, text: String(decoding: text, as: UTF8.self), cut: cut)
    }

    private mutating func begin(now: SessionClock.Instant) -> [RelayEvent] {
        let isNew = phase != .recording
        phase = .recording
        stallDeadline = now.advanced(by: RecordingLimits.stall)
        return isNew ? [.recordingStarted] : []
    }

    /// A new recording replaces the old one.
    package mutating func begins(now: SessionClock.Instant) -> [RelayEvent] {
        let lost = closePhoto(isWhole: false)
        forget()
        return lost + begin(now: now)
    }

    package mutating func ends() -> [RelayEvent] {
        defer { forget() }
        if phase == .overflowing { return [] }
        let last = closePhoto(isWhole: !framesPhotos)
        let isEmpty = sound.isEmpty && photo == nil && text.isEmpty
        return last + [isEmpty ? .nothingRecorded : .utterance(utterance())]
    }

    // MARK: - Sound and text

    package mutating func takeSound(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        guard phase != .overflowing else { return [] }
        let events = phase == .recording ? [] : begin(now: now)
        isFollowed = true
        let room = limits.recordingSeconds * Self.rate - sound.count
        sound += data.prefix(room)
        guard data.count > room else { return events }
        let last = closePhoto(isWhole: !framesPhotos)
        let whole = utterance(.tooLong)
        forget()
        phase = .overflowing
        return events + last + [.notice(.recordingTooLong(limitSeconds: limits.recordingSeconds)), .utterance(whole)]
    }

    package mutating func takeText(_ data: ArraySlice<UInt8>, now: SessionClock.Instant) -> [RelayEvent] {
        guard phase != .overflowing else { return [] }
        let events = phase == .recording ? [] : begin(now: now)
        isFollowed = true
        text += data.prefix(max(0, RecordingLimits.textBytes - text.count))
        return events
    }

    // MARK: - Pictures

    package mutating func photoStarts(now: SessionClock.Instant) -> [RelayEvent] {
        let lost = closePhoto(isWhole: false)
        (incoming, isRefused, photo) = ([], false, nil)
        return lost + begin(now: now)
    }

    package mutating func takePhoto(_ data: ArraySlice<UInt8>) -> [RelayEvent] {
        // A JPEG without its beginning is useless.
        guard phase == .recording, !isRefused, incoming != nil || !framesPhotos else { return [] }
        isFollowed = false
        guard (incoming?.count ?? 0) + data.count <= limits.photoBytes else {
            (incoming, isRefused) = (nil, true)
            return [.notice(.photoTooLarge(limitBytes: limits.photoBytes))]
        }
        if incoming == nil { incoming = [] }
        incoming?.append(contentsOf: data)
        return []
    }

    package mutating func photoEnds(now: SessionClock.Instant) -> [RelayEvent] {
        begin(now: now) + closePhoto(isWhole: true)
    }

    private mutating func closePhoto(isWhole: Bool) -> [RelayEvent] {
        defer { incoming = nil }
        guard let bytes = incoming, !bytes.isEmpty else { return [] }
        guard isWhole else { return [.notice(.photoIncomplete(byteCount: bytes.count))] }
        photo = develop(bytes)
        return [photo.map { .photo($0) } ?? .notice(.photoUnreadable(byteCount: bytes.count))]
    }
}
