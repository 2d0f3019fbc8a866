/// The text on the host, the wanted text, and the next command between them: no I/O, no clock.
///
/// There are no cursor keys. The smallest edit therefore keeps the common beginning, sends Backspaces for the rest, then the new rest.
public struct TypingMachine: Sendable {
    public enum Standing: Sendable, Hashable {
        case known([TypedItem])
        /// After a lost link nobody knows how much was typed. Nothing is deleted blindly.
        case unknown
    }

    /// Keys of one write, 4.5 s: the unit answers after it has typed them all, and a write that takes 30 s ends its link.
    public static let mostKeys = 64
    private static let leastPayload = 8

    /// Only the effects of confirmed writes.
    public private(set) var standing = Standing.known([])
    /// Confirmed by the unit.
    public private(set) var confirmedKeys = 0
    public private(set) var inFlight: KeyCommand?
    /// The content of ``inFlight``.
    private var sending: ArraySlice<TypedItem> = []
    private var target: [TypedItem] = []
    /// Items at the front that are already right.
    private var common = 0
    /// In bytes, per write.
    private var payload: Int

    public init(payload: Int) { self.payload = max(payload, Self.leastPayload) }

    public mutating func use(payload: Int) { self.payload = max(payload, Self.leastPayload) }

    /// Whether everything wanted is confirmed.
    public var isDone: Bool { standing == .known(target) && inFlight == nil }

    /// A change before a key that cannot be undone is not made.
    public var isTooLate: Bool {
        guard case .known(let items) = standing else { return false }
        return items.count > common && !items[common...].allSatisfy(\.isErasable)
    }

    /// Whether a key remains to be sent that another target would omit for good.
    public var owesKeys: Bool { standing != .unknown && !isTooLate && !target[common...].allSatisfy(\.isErasable) }

    /// Sets the wanted text. An empty text begins anew after the last key that cannot be undone. While the host's text is unknown, only
    /// an empty one is accepted: somebody cleared the host's field.
    /// - Returns: whether it is accepted.
    @discardableResult
    public mutating func aim(at items: [TypedItem]) -> Bool {
        guard case .known(var standing) = standing else {
            guard items.isEmpty else { return false }
            (self.standing, target, common) = (.known([]), [], 0)
            return true
        }
        if items.isEmpty, let last = standing.lastIndex(where: { !$0.isErasable }) {
            standing.removeFirst(last + 1)
            self.standing = .known(standing)
        }
        target = items
        common = zip(standing, items).prefix { $0 == $1 }.count
        return true
    }

    /// Adds keys after the wanted text.
    public mutating func finish(with items: [TypedItem]) {
        guard case .known(let standing) = standing else { return }
        if isTooLate { (target, common) = (standing, standing.count) }
        target += items
    }

    /// - Returns: `nil` while another one is in flight, when nothing is left to do, and for a change that is too late.
    public mutating func next() -> KeyCommand? {
        guard case .known(let items) = standing, inFlight == nil else { return nil }
        if items.count > common {
            guard !isTooLate else { return nil }
            inFlight = .backspaces(min(Self.mostKeys, items.count - common))
        } else if common < target.count {
            sending = firstPart(of: target[common...])
            inFlight = switch sending.first {
            case .control(let letter): .control(letter)
            case .enter: .enter
            case .character: .insert(sending.flatMap(\.scalars))
            case nil: nil
            }
        }
        return inFlight
    }

    /// As much as fits one write: cut between characters, never between a character and its space.
    private func firstPart(of items: ArraySlice<TypedItem>) -> ArraySlice<TypedItem> {
        guard items.first?.isErasable == true else { return items.prefix(1) }
        var (keys, bytes) = (0, 1)
        return items.prefix { item in
            keys += item.keys
            bytes += item.scalars.reduce(0) { $0 + UTF8.width($1) }
            return item.isErasable && keys <= Self.mostKeys && bytes <= payload
        }
    }

    /// The unit has sent the keys. They count, whatever the target is now.
    public mutating func confirm() {
        guard let command = inFlight, case .known(var items) = standing else { return }
        (inFlight, standing) = (nil, .unknown)
        confirmedKeys += command.keys
        if case .backspaces(let count) = command {
            items.removeLast(min(count, items.count))
            common = min(common, items.count)
        } else {
            let isOnTheWay = common == items.count && target[common...].starts(with: sending)
            items += sending
            // The target may have changed meanwhile.
            common = isOnTheWay ? common + sending.count : zip(items, target).prefix { $0 == $1 }.count
            if target.isEmpty, !sending.allSatisfy(\.isErasable) { items = [] }
            sending = []
        }
        standing = .known(items)
    }

    /// Call it when the link is lost.
    /// - Returns: the keys that may or may not have been typed.
    @discardableResult
    public mutating func lose() -> Int {
        defer { (standing, inFlight, sending, target, common) = (.unknown, nil, [], [], 0) }
        return inFlight?.keys ?? 0
    }
}
