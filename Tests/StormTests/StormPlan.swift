import Foundation
import LedgerServer
import VirtualDevices

extension ClaimPolicy: Codable {}

/// A world: what is done to which units, in which air, and what goes wrong. All of it comes from one seed, and can be told in JSON.
struct StormPlan: Codable, Sendable, Hashable {
    enum Verb: String, Codable, Sendable, CaseIterable {
        case flash, firmware, fpga, scripts, verify, copy, remove, restore, update, fleet, line, chat
        /// `robot test` and `robot drive`, of a robot; `type`, of a keyboard.
        case robot, drive, type

        /// The family of its units; `nil` for glasses.
        var family: String? { self == .type ? "keyboard" : self == .robot || self == .drive ? "openbot" : nil }
        var isOfMany: Bool { self == .fleet || self == .line }
        var provesProgram: Bool { [.flash, .scripts, .verify, .fleet].contains(self) }
        /// Has a record of its own.
        var isRecorded: Bool { ![.copy, .remove, .restore, .drive, .type].contains(self) }
    }

    /// What a unit holds before.
    enum Prior: String, Codable, Sendable {
        case factory, provisioned
        /// Provisioned with other scripts of the same names.
        case older
        /// Provisioned, then a file was changed; a robot has a weak battery, blocked wheels or nothing before its sonar.
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
    /// What `--claims` says where the stations share a server.
    var claims: ClaimPolicy?
    var faults: [StormFault]

    /// What is typed, in several writes: letters a to x, which all layouts have in one place, and spaces.
    var text: String {
        var numbers = SeededGenerator(seed: seed &+ 2)
        return String((0..<300).map { _ in Array("abcdefghijklmnopqrstuvwx ").randomElement(using: &numbers) ?? " " })
    }
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
        /// At a step: the wall clock goes back an hour, ahead a year or too fast from then on, another process of the station begins a
        /// run in the ledger, or locks the ledger for some steps.
        case clock, station, locked
        /// Too little charge to erase.
        case battery
        /// Another process has the unit.
        case busy
        /// A file of the catalogue has a wrong bit, or its end is missing.
        case catalogue
        /// At a statement to the ledger's server about claims, or about runs: its connection breaks before it or after it, its answer
        /// comes late, or there is no server from then on. `claims` with ``at`` 0: another station has the unit from the start.
        case claims, uploads
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

    /// Of a server: its answer comes, and late.
    var isLate: Bool { (0.6..<0.8).contains(rate) }
}

// MARK: - From a seed

extension StormPlan {
    private static let verbs: [(Verb, Int)] = [
        (.flash, 4), (.firmware, 3), (.fpga, 2), (.scripts, 4), (.verify, 3), (.copy, 2), (.update, 2), (.fleet, 2), (.line, 1), (.chat, 1),
        (.remove, 1), (.restore, 1),
    ]

    init(seed: UInt64) {
        var numbers = SeededGenerator(seed: seed)
        var verb = Self.draw(Self.verbs, &numbers)
        let count = verb.isOfMany ? Int.random(in: 2...4, using: &numbers) : 1
        var units = (0..<count).map { Unit(verb, number: $0, &numbers) }
        let isLarge = Int.random(in: 0..<6, using: &numbers) == 0
        var faults = Self.faults(verb, units, &numbers)
        // Last, so that other seeds keep their meaning.
        let end = Self.draw([(StormStation.Catalogue?.none, 8), (.raising, 1), (.ending, 1)], &numbers)
        if let other = Self.draw([(Verb?.none, 24), (.robot, 1), (.drive, 1), (.type, 1)], &numbers) {
            (verb, units) = (other, [Unit(other, number: 0, &numbers)])
            faults = Self.faults(verb, units, &numbers)
        }
        var claims: ClaimPolicy?
        if verb.isRecorded, !verb.isOfMany, Int.random(in: 0..<12, using: &numbers) == 0 {
            claims = Self.draw([(.prefer, 2), (.require, 1)], &numbers)
            faults = Array(faults.prefix(1)) + (0..<Self.draw([(0, 1), (1, 4), (2, 2)], &numbers)).map { _ in StormFault(&numbers) }
        }
        let catalogue = verb == .chat ? .talking : verb.provesProgram ? end : nil
        self.init(seed: seed, verb: verb, units: units, catalogue: catalogue ?? (isLarge ? .large : .small), claims: claims, faults: faults)
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
        family = verb.family ?? (verb == .fpga || Bool.random(using: &numbers) ? "monocle" : "frame")
        // A robot's name chooses its body.
        let bodies = verb == .robot ? ["tt2", "rtr_520", "mtv", "diy_esp32"] : verb == .drive ? ["tt2", "rtr_520", "diy_esp32"] : []
        name = bodies.isEmpty ? "storm\(number)" : bodies.randomElement(using: &numbers) ?? ""
        prior = switch verb {
        case .robot, .drive: StormPlan.draw([(.provisioned, 3), (.drifted, 1)], &numbers)
        case .type: .provisioned
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
    /// For robots and keyboards: no wrong bits, because their lines have no checksum.
    private static let ofOthers: [(Kind, Int)] = [
        (.link, 6), (.power, 6), (.dying, 1), (.lostNotification, 4), (.loss, 2), (.delay, 2), (.silence, 2), (.cancel, 3), (.busy, 1),
        (.interrupt, 3), (.clock, 1), (.station, 1), (.locked, 2),
    ]

    fileprivate init(of unit: Int, family: String, _ verb: StormPlan.Verb, _ numbers: inout SeededGenerator) {
        self.unit = unit
        let ofGlasses = Self.everywhere + (family == "monocle" ? Self.ofMonocles : Self.ofFrames)
        kind = StormPlan.draw(verb.family == nil ? ofGlasses : Self.ofOthers, &numbers)
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
        case .battery, .busy, .damagedPacket, .damagedNotification, .claims, .uploads: break
        }
        guard verb.family == nil, Self.aimed.contains(kind), Bool.random(using: &numbers) else { return }
        moment = StormMoment.of(family).randomElement(using: &numbers)
        turn = StormPlan.draw([(1, 3), (2, 2), (3, 1)], &numbers)
        at = Int.random(in: 0...3, using: &numbers)
    }

    /// Of the server.
    fileprivate init(_ numbers: inout SeededGenerator) {
        (kind, unit) = (StormPlan.draw([(.claims, 3), (.uploads, 2)], &numbers), 0)
        // Take, bind, release.
        at = kind == .claims ? Int.random(in: 0...3, using: &numbers) : 1
        rate = Double.random(in: 0..<1, using: &numbers)
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
        case .robot: 4
        case .drive: 3
        case .type: 1.6
        default: 4.6
        }
    }
}
