import Bluetooth
import Support
import VirtualDevices

/// Plays a virtual unit for a radio bridge: another Bluetooth stack carries the packets, this end is the unit.
///
/// The bridge knows no protocol; attribute tables, ATT errors and the pace of the link come from here.
struct UnitServer: Sendable {
    private let unit: VirtualUnit
    private let air: VirtualAir
    private let send: @Sendable (UnitMessage) -> Void

    /// - Parameter send: called for each message, in order.
    init(unit: VirtualUnit, air: VirtualAir, send: @escaping @Sendable (UnitMessage) -> Void) {
        self.unit = unit
        self.air = air
        self.send = send
    }

    private var clock: SessionClock { air.time.clock }

    /// Plays the unit until `messages` is finished. Throws the error that finished it, or what kept the unit from playing.
    func run(_ messages: Inbox<BridgeMessage>) async throws {
        let changes = air.observeAdvertising()
        if let url = unit.url { send(.network(url: url)) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await unit.run() }
            group.addTask { try await reportAdvertising(changes) }
            group.addTask { try await takeMessages(messages) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    private func reportAdvertising(_ changes: Inbox<Advertising?>) async throws {
        while true {
            guard let change = try await next(changes) else {
                send(.silent)
                continue
            }
            guard let advertisement = change.sightings.last else { continue }
            let answered = advertisement.services.subtracting(change.sightings[0].services)
            send(
                .advertise(
                    address: advertisement.address.description, name: advertisement.name ?? "",
                    services: advertisement.services.map(\.description).sorted(),
                    scanResponse: answered.map(\.description).sorted(), mtu: change.largestMTU,
                    requestsSecurity: change.requestsSecurity, table: change.table.services.map(ServiceDescription.init)))
        }
    }

    private func takeMessages(_ messages: Inbox<BridgeMessage>) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            defer { group.cancelAll() }
            var link: VirtualLink?
            while true {
                let message = try await next(messages)
                if case .connect(let number, let mtu) = message {
                    link = try await connect(number, mtu)
                    if let link { attend(link, number, in: &group) }
                } else if case .cutLink = message {
                    unit.stimulate(.cut(.link))
                } else if case .cutPower = message {
                    unit.stimulate(.cut(.power))
                } else if let link {
                    // What is sent into a link that has just ended is lost with it.
                    do { try await carry(message, on: link, in: &group) } catch is LinkError {}
                }
            }
        }
    }

    private func connect(_ number: Int, _ mtu: Int) async throws -> VirtualLink? {
        let reply = LinkReply()
        unit.events.deliver(.connect(requestedMTU: mtu, reply: reply))
        switch try await reply.wait(before: clock.deadline(in: .forever), on: clock) {
        case .success(let link):
            send(.connected(link: number, mtu: link.payloadSize + 3))
            return link
        case .failure(let error):
            send(.refused(link: number, reason: SystemError.text(error)))
            return nil
        case nil:
            return nil
        }
    }

    /// Hands on what the unit sends, until the link ends.
    private func attend(_ link: VirtualLink, _ number: Int, in group: inout ThrowingDiscardingTaskGroup<any Error>) {
        for characteristic in link.table.notifying {
            let values = link.inbox(for: characteristic)
            group.addTask {
                do {
                    while true {
                        send(.notify(characteristic: characteristic.description, value: HexBytes(try await next(values))))
                    }
                } catch is LinkError {}
            }
        }
        group.addTask {
            do { try await next(link.gone) } catch is LinkError {}
            send(.gone(link: number, isTimeout: link.end == VirtualLink.supervisionTimeout))
        }
    }

    private func carry(
        _ message: BridgeMessage, on link: VirtualLink, in group: inout ThrowingDiscardingTaskGroup<any Error>
    ) async throws {
        switch message {
        case .write(let id, let characteristic, let value):
            let reply = Inbox<UInt8?>()
            try link.send(.write(AttributeID(characteristic), value.bytes, reply: reply))
            group.addTask {
                do { send(.written(id: id, error: try await next(reply))) } catch is LinkError {}
            }
        case .command(let characteristic, let value):
            try await next(link.credits)
            try link.send(.write(AttributeID(characteristic), value.bytes, reply: nil))
            send(.taken)
        case .subscribe(let characteristic, let isOn):
            try link.send(.subscribe(AttributeID(characteristic), isOn: isOn, reply: Inbox()))
        case .secure(let id, let key):
            let reply = Inbox<SecurityAnswer>()
            try link.send(.secure(key.map { .encrypt(key: $0.bytes) } ?? .pair, reply: reply))
            group.addTask {
                do { send(.secured(id, try await next(reply))) } catch is LinkError {}
            }
        case .disconnect:
            try link.send(.disconnect)
        case .connect, .cutLink, .cutPower:
            break
        }
    }

    /// The next element, however long that takes: the bridge's own deadlines and the supervision timeout end a wait.
    private func next<Element>(_ inbox: Inbox<Element>) async throws -> Element {
        while true {
            if let element = try await inbox.next(before: clock.deadline(in: .seconds(3600)), on: clock) { return element }
        }
    }
}

extension UnitMessage {
    static func secured(_ id: Int, _ answer: SecurityAnswer) -> UnitMessage {
        switch answer {
        case .encrypted(let key): .secured(id: id, key: HexBytes(key), reason: nil, endsLink: false)
        case .refused(let reason, let endsLink): .secured(id: id, key: nil, reason: reason, endsLink: endsLink)
        }
    }
}
