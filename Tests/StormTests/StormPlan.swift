import Foundation
import VirtualDevices

/// A world: what is done to which units, in which air, and what goes wrong. All of it comes from one seed, and can be told in JSON.
struct StormPlan: Codable, Sendable, Hashable {
    enum Verb: String, Codable, Sendable, CaseIterable {
        case flash, firmware, fpga, scripts, verify, copy, remove, restore, update, fleet, line, chat

        var isOfMany: Bool { self == .fleet || self == .line }
        var provesProgram: Bool { [.flash, .scripts, .verify, .fleet].contains(self) }
        /// Has a record of its own.
        var isRecorded: Bool { ![.copy, .remove, .restore].contains(self) }
    }

    /// What a unit holds before.
    enum Prior: String, Codable, Sendable {
        case factory, provisioned
        /// Provisioned with other scripts of the same names.
        case older
        /// Provisioned, then a file was changed.
        case drifted
        /// Of a person who put files of their own on it.
        case owned
    }

    struct Unit: Codable, Sendable, Hashable {
        var family: String
        var name: String
        var prior: Prior
        /// Of the link, in microseconds.
        var interval: Int
        /// The largest ATT MTU, in bytes.
        var mtu: Int
        /// Until a link is up, in milliseconds.
        var setUp: Int
    }

    var seed: UInt64
    var verb: Verb
    var units: [Unit]
    var catalogue = StormStation.Catalogue.small
    var faults: [StormFault]

    /// A Frame's firmware does not fit beside the old one.
    var isLarge: Bool { catalogue == .large }
    /// The program of the scripts does not live.
    var dies: Bool { catalogue == .raising || catalogue == .ending }
}

/// One thing that goes wrong.
struct StormFault: Codable, Sendable, Hashable {
    enum Kind: String, Codable, Sendable, CaseIterable {
        /// At a packet to the unit: the link breaks, or the power; from then on the power breaks at each.
        case link, power, dying
        /// At a word of its flash: of its files, of its firmware.
        case flashCut, firmwareCut
        /// A write without response, a notification.
        case lostPacket, lostNotification
        /// A bit of one is wrong. Only in sweeps, so that seeds keep their meaning.
        case damagedPacket, damagedNotification
        /// With a probability, of writes without response and notifications, or of these writes.
        case loss, corruption, delay
        /// With a probability, of connection events, or in sweeps at one: neither side hears the other for up to 1.9 s.
        case silence
        /// Of the packets to its data characteristic: it hears no more, loses one, crashes.
        case deaf, dropped, crash
        case swallowedBreak
        /// Ctrl-C, at a packet to the unit, or at a step.
        case cancel, interrupt
        /// At a step: the wall clock goes back an hour or ahead a year, another process of the station begins a run in the ledger, or
        /// locks the ledger for some steps.
        case clock, station, locked
        /// Too little charge to erase.
        case battery
        /// Another process has the unit.
        case busy
        /// A file of the catalogue has a wrong bit, or its end is missing.
        case catalogue
    }

    var kind: Kind
    var unit: Int
    /// Which packet, notification, word, break or step; from 1. A step is a look at the wall clock: at each event, and whenever a record
    /// is opened or closed.
    var at = 0
    /// 0…1; of a file, where in it.
    var rate = 0.0
    /// ``at`` counts from here, from 0: at the n-th time.
    var moment: StormMoment?
    var turn: Int?
}

// MARK: - From a seed

extension StormPlan {
    private static let verbs: [(Verb, Int)] = [
        (.flash, 4), (.firmware, 3), (.fpga, 2), (.scripts, 4), (.verify, 3), (.copy, 2), (.update, 2), (.fleet, 2), (.line, 1), (.chat, 1),
        (.remove, 1), (.restore, 1),
    ]

    init(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        let verb = Self.draw(Self.verbs, &numbers)
        let count = verb.isOfMany ? Int.random(in: 2...4, using: &numbers) : 1
        let units = (0..<count).map { Unit(verb, number: $0, &numbers) }
        let isLarge = Int.random(in: 0..<6, using: &numbers) == 0
        let faults = Self.faults(verb, units, &numbers)
        // Last, so that other seeds keep their meaning.
        let end = Self.draw([(StormStation.Catalogue?.none, 8), (.raising, 1), (.ending, 1)], &numbers)
        let catalogue = verb == .chat ? .talking : verb.provesProgram ? end : nil
        self.init(seed: seed, verb: verb, units: units, catalogue: catalogue ?? (isLarge ? .large : .small), faults: faults)
    }

    static func draw<Value>(_ choices: [(Value, Int)], _ numbers: inout SeededGenerator) -> Value {
        var left = Int.random(in: 0..<choices.reduce(0) { $0 + $1.1 }, using: &numbers)
        for (value, weight) in choices {
            if left < weight { return value }
            left -= weight
        }
        return choices[0].0
    }

    private static func faults(_ verb: Verb, _ units: [Unit], _ numbers: inout SeededGenerator) -> [StormFault] {
        let count = draw([(0, 1), (1, 6), (2, 4), (3, 2), (5, 1)], &numbers)
        return (0..<count).map { _ in
            let unit = Int.random(in: 0..<units.count, using: &numbers)
            return StormFault(of: unit, family: units[unit].family, verb, &numbers)
        }
    }
}

extension StormPlan.Unit {
    fileprivate init(_ verb: StormPlan.Verb, number: Int, _ numbers: inout SeededGenerator) {
        family = verb == .fpga || Bool.random(using: &numbers) ? "monocle" : "frame"
        name = "storm\(number)"
        prior = switch verb {
        case .verify, .chat: StormPlan.draw([(.provisioned, 3), (.drifted, verb == .chat ? 0 : 2), (.factory, 1)], &numbers)
        case .update, .restore: .owned
        case .copy, .remove: StormPlan.draw([(.provisioned, 1), (.owned, 1)], &numbers)
        default: StormPlan.draw([(.factory, 4), (.provisioned, 1), (.older, 2), (.drifted, 2), (.owned, 2)], &numbers)
        }
        interval = 1250 * Int.random(in: 6...48, using: &numbers)
        mtu = StormPlan.draw([(517, 3), (247, 1), (Int.random(in: 110...247, using: &numbers), 1)], &numbers)
        setUp = StormPlan.draw([(400, 3), (Int.random(in: 50...3000, using: &numbers), 1)], &numbers)
    }
}

extension StormFault {
    private static let everywhere: [(Kind, Int)] = [
        (.link, 6), (.power, 6), (.dying, 1), (.lostPacket, 4), (.lostNotification, 4), (.loss, 2), (.corruption, 1), (.delay, 2),
        (.silence, 2), (.catalogue, 1),
        (.swallowedBreak, 1), (.cancel, 2), (.battery, 1), (.busy, 1), (.firmwareCut, 3), (.interrupt, 2), (.clock, 1), (.station, 1),
        (.locked, 2),
    ]
    private static let ofMonocles: [(Kind, Int)] = [(.deaf, 1), (.dropped, 1), (.crash, 1)]
    private static let ofFrames: [(Kind, Int)] = [(.flashCut, 3)]

    fileprivate init(of unit: Int, family: String, _ verb: StormPlan.Verb, _ numbers: inout SeededGenerator) {
        self.unit = unit
        kind = StormPlan.draw(Self.everywhere + (family == "monocle" ? Self.ofMonocles : Self.ofFrames), &numbers)
        // As many of the first ten as of the next hundred.
        func number(to limit: Double) -> Int { max(1, Int(exp(Double.random(in: 0...limit, using: &numbers)))) }
        switch kind {
        case .link, .power, .dying, .cancel, .lostPacket, .lostNotification: at = number(to: verb.logarithmOfPackets)
        case .flashCut: at = number(to: 7)
        case .firmwareCut: at = number(to: verb.logarithmOfFirmwareWords)
        case .interrupt: at = number(to: 4)
        case .clock, .station, .locked, .catalogue:
            at = number(to: 3)
            rate = Double.random(in: 0..<1, using: &numbers)
        case .deaf, .dropped, .crash: at = number(to: 5)
        case .swallowedBreak: at = Int.random(in: 1...3, using: &numbers)
        case .loss, .delay: rate = Double.random(in: 0.001...0.03, using: &numbers)
        case .corruption, .silence: rate = Double.random(in: 0.0005...0.004, using: &numbers)
        case .battery, .busy, .damagedPacket, .damagedNotification: break
        }
        guard Self.aimed.contains(kind), Bool.random(using: &numbers) else { return }
        moment = StormMoment.of(family).randomElement(using: &numbers)
        turn = StormPlan.draw([(1, 3), (2, 2), (3, 1)], &numbers)
        at = Int.random(in: 0...3, using: &numbers)
    }

    private static let aimed: Set<Kind> = [.link, .power, .dying, .lostPacket, .lostNotification, .cancel]
}

extension StormPlan.Verb {
    /// About as many as an update writes, of a large image, too.
    fileprivate var logarithmOfFirmwareWords: Double { self == .firmware ? 9 : 8 }

    /// About as many packets as one run sends.
    fileprivate var logarithmOfPackets: Double {
        switch self {
        case .flash, .fleet, .line: 6.2
        case .firmware, .fpga: 5.2
        default: 4.6
        }
    }
}
