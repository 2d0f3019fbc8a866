/// What stands on the host, what should stand there, and the next command on the way: no I/O, no clock.
///
/// There are no cursor keys. The smallest edit is therefore what both texts begin with, Backspaces for the rest, and the new rest.
public struct TypingMachine: Sendable {
    public enum Standing: Sendable, Hashable {
        case known([TypedItem])
        /// After a link that was lost: how much was typed, nobody knows. Nothing is taken away blindly.
        case unknown
    }

    /// Keys of one write, 4.5 s: the unit answers a write after it has typed all of it, and a write that takes 30 s ends its link.
    public static let mostKeys = 64
    private static let leastPayload = 8

    /// The effects of confirmed writes alone.
    public private(set) var standing = Standing.known([])
    /// Confirmed by the unit.
    public private(set) var confirmedKeys = 0
    public private(set) var inFlight: KeyCommand?
    /// What ``inFlight`` types.
    private var sending: ArraySlice<TypedItem> = []
    private var target: [TypedItem] = []
    /// Items at the front that stand there already.
    private var common = 0
    /// Bytes of one write.
    private var payload: Int

    public init(payload: Int) { self.payload = max(payload, Self.leastPayload) }

    public mutating func use(payload: Int) { self.payload = max(payload, Self.leastPayload) }

    /// Whether all that was aimed at is confirmed.
    public var isDone: Bool { standing == .known(target) && inFlight == nil }

    /// A change before a key that cannot be taken back is not made.
    public var isTooLate: Bool {
        guard case .known(let items) = standing else { return false }
        return items.count > common && !items[common...].allSatisfy(\.isErasable)
    }

    /// Whether a key is still to be sent that another aim would leave out for good.
    public var owesKeys: Bool { standing != .unknown && !isTooLate && !target[common...].allSatisfy(\.isErasable) }

    /// Sets what should stand on the host. An empty text begins anew behind the last key that cannot be taken back. When nobody knows what
    /// stands there, only an empty one is taken: somebody emptied the host's field.
    /// - Returns: whether it is taken.
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

    /// Adds keys behind all that is to be typed.
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

    /// What fits one write: cut between characters, and never between one and its space.
    private func firstPart(of items: ArraySlice<TypedItem>) -> ArraySlice<TypedItem> {
        guard items.first?.isErasable == true else { return items.prefix(1) }
        var (keys, bytes) = (0, 1)
        return items.prefix { item in
            keys += item.keys
            bytes += item.scalars.reduce(0) { $0 + UTF8.width($1) }
            return item.isErasable && keys <= Self.mostKeys && bytes <= payload
        }
    }

    /// The unit answered: it has sent the keys. What was sent counts, whatever is aimed at by now.
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
            // The aim may have changed while it was in flight.
            common = isOnTheWay ? common + sending.count : zip(items, target).prefix { $0 == $1 }.count
            if target.isEmpty, !sending.allSatisfy(\.isErasable) { items = [] }
            sending = []
        }
        standing = .known(items)
    }

    /// The link is lost.
    /// - Returns: the keys of which nobody knows whether they were typed.
    @discardableResult
    public mutating func lose() -> Int {
        defer { (standing, inFlight, sending, target, common) = (.unknown, nil, [], [], 0) }
        return inFlight?.keys ?? 0
    }
}
