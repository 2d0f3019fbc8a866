import Bluetooth
import KeyboardFamily
import Provisioning
import Support

/// The cost of a text.
struct TypePlan: Sendable, Hashable {
    var characters: Int
    var keys: Int
    var bytes: Int
    var writes: Int
    /// Characters typed in a plain form, and those that the unit gets wrong.
    var replaced: Int
    var mistaken: Int
    /// Characters followed by a space, as the layout makes them dead.
    var dead: Int

    /// IOS-Keyboard 2.10.0 with FreeRTOS's clock of 100 Hz.
    private static let secondsPerKey = 0.07
    /// ATT payload of a link with an MTU of 256.
    private static let payload = 253

    init(_ text: TypingText, _ items: [TypedItem]) {
        (characters, keys) = (text.characters, items.reduce(0) { $0 + $1.keys })
        (replaced, mistaken) = (text.replaced.values.reduce(0, +), text.mistaken.values.reduce(0, +))
        dead = text.dead.values.reduce(0, +)
        (bytes, writes) = (0, 0)
        var machine = TypingMachine(payload: Self.payload)
        machine.aim(at: items)
        while let command = machine.next() {
            bytes += command.bytes.count
            writes += 1
            machine.confirm()
        }
    }

    var seconds: Double { Double(keys) * Self.secondsPerKey }

    var words: String {
        "\(Format.bytes(characters)) \(characters == 1 ? "character" : "characters"), \(Format.bytes(keys)) \(keys == 1 ? "key" : "keys"), "
            + "\(Format.bytes(bytes)) bytes in \(Format.bytes(writes)) \(writes == 1 ? "write" : "writes")"
    }
}

struct TypeReport: Verdict {
    var address: DeviceAddress?
    /// `nil` when following texts.
    var plan: TypePlan?
    var result = TypingSession.Result()
    var isProved = false
    var isDryRun = false

    var passed: Bool { true }

    func line(_ style: TextStyle, seconds: Double) -> String {
        if isDryRun {
            guard let plan else { return "nothing to type" }
            return "dry run: \(plan.words); about \(Format.clock(seconds: plan.seconds)) of typing"
        }
        let unit = "keyboard" + (address.map { " \(UntrustedText.escape($0.labelled))" } ?? "")
        let keys = "\(Format.bytes(result.confirmedKeys)) \(result.confirmedKeys == 1 ? "key" : "keys")"
        let time = "in \(Format.seconds(seconds)) s"
        return isProved
            ? "\(style.paint("PASS", .good))  \(unit): \(keys) typed \(time); the unit's own trace shows them"
            : "\(style.paint("SENT", .good))  \(unit): \(keys) confirmed \(time); only --prove shows that a host got them"
    }
}

/// The document `noafw.type/1`: figures, and none of the text.
struct TypeDocument: Encodable, Sendable {
    enum Proof: String, Encodable { case trace }

    var schema = "noafw.type/1"
    /// `nil` when nothing shows that a host got the keys, and nothing is wrong.
    var verdict: PassMember?
    var address: String?
    var family: String?
    var layout: String
    var dryRun: Bool
    var characters: Int?
    var keys: Int?
    var bytes: Int?
    var writes: Int?
    var replaced: Int?
    var mistaken: Int?
    var dead: Int?
    /// By the unit's answers.
    var confirmedKeys: Int
    var losses: Int
    var seconds: Double
    /// `nil` without a proof that a host got the keys.
    var proof: Proof?
    var error: Diagnosis?

    private enum CodingKeys: String, CodingKey {
        case schema, verdict, address, family, layout, dryRun = "dry_run", characters, keys, bytes, writes, replaced, mistaken, dead
        case confirmedKeys = "confirmed_keys", losses, seconds, proof, error
    }

    init(_ report: TypeReport, _ layout: KeyboardLayout, confirmed: Int, seconds: Double, error: Diagnosis? = nil) {
        verdict = error != nil ? .fail : report.isProved ? .pass : nil
        (address, family) = (report.address?.description, report.address == nil ? nil : FamilyID.keyboard.rawValue)
        (self.layout, dryRun) = (layout.rawValue, report.isDryRun)
        let plan = report.plan
        (characters, keys, bytes, writes) = (plan?.characters, plan?.keys, plan?.bytes, plan?.writes)
        // The link's MTU determines how a text is cut.
        if report.address != nil { (bytes, writes) = (report.result.bytes, report.result.writes) }
        (replaced, mistaken, dead) = (plan?.replaced, plan?.mistaken, plan?.dead)
        (confirmedKeys, losses) = (confirmed, report.result.losses)
        self.seconds = report.isDryRun ? plan?.seconds ?? 0 : seconds
        proof = report.isProved ? .trace : nil
        self.error = error
    }
}
