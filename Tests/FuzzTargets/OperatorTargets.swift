import Assistant
import Bluetooth
import DFU
import Foundation
import OpenBotFamily
import Provisioning
import ScriptBundle
import Support

@testable import noafw

extension FuzzTarget {
    static let deviceList = FuzzTarget("device-list", seeds: { Samples.deviceLists }) { input in
        var units: [ListedUnit] = []
        do { units = try DeviceList.parse(input, "input") } catch DeviceListError.empty {}
        try BrokenPromise.check(Set(units).count == units.count, "a unit is listed twice")
        for unit in units {
            try BrokenPromise.check(unit.description == PrintableText.of(unit.description.utf8), "a name that is not printable")
        }
    }

    static let allowList = FuzzTarget("allow-list", seeds: { Samples.allowLists }) { input in
        for entry in try AllowList(input, name: "input").entries {
            try BrokenPromise.check(!entry.unit.isEmpty && !entry.value.isEmpty && !entry.reason.isEmpty, "an entry without a field")
            let isItself = Glob.matches(entry.unit, entry.unit) && Glob.matches("*", entry.value)
            try BrokenPromise.check(isItself, "a pattern that does not match itself")
        }
    }

    static let baseline = FuzzTarget("baseline", seeds: { Samples.baselines }) { input in
        let baseline = try Baseline(input, name: "input")
        try BrokenPromise.check(!baseline.addresses.isEmpty, "a baseline of no unit")
        for address in baseline.addresses {
            let components = FamilyList.supported.components.filter { baseline[address, $0] != nil }
            try BrokenPromise.check(!components.isEmpty, "a unit without a part")
        }
    }

    static let chatScript = FuzzTarget("chat-script", seeds: { Samples.chatScripts }) { input in
        let script = try ChatScript(input, path: "input", isVirtual: true) { _ in Samples.ppm }
        for step in script.steps {
            switch step.action {
            case .expect(let pattern, let seconds):
                try BrokenPromise.check((0...3600).contains(seconds), "a wait of \(seconds) s")
                _ = try? TextPattern(pattern).isFound(in: "It is noon, and all is well.")
            case .send(let text): try BrokenPromise.check(text.utf8.count <= LineEditor.limit, "a text of \(text.utf8.count) bytes")
            case .soak(let plan): try BrokenPromise.check(plan.interval >= .milliseconds(100), "a soak without pauses")
            case .tap, .hold, .speak, .show, .picture: continue
            }
        }
    }

    static let robotScript = FuzzTarget("robot-script", seeds: { [Samples.robotScript] }) { input in
        for motion in try RobotMotion.script(input) {
            try BrokenPromise.check((-255...255).contains(motion.duties.left), "a duty of \(motion.duties.left)")
            try BrokenPromise.check(motion.span.seconds > 0 && motion.span.seconds <= 3600, "a motion of \(motion.span.seconds) s")
        }
    }

    /// Who made a bundle, in its envelope: nothing that the key has not signed is read.
    static let signedStatement = FuzzTarget("signed-statement", seeds: { try [Samples.statement()] }) { input in
        let signed = try SignedStatement.payload(of: Samples.statement(), place: "sample", trusting: [Samples.bundleKey().publicKey])
        let payload = try SignedStatement.payload(of: input, place: "input", trusting: [Samples.bundleKey().publicKey])
        try BrokenPromise.check(payload == signed, "a statement that nobody signed")
    }

    static let provenance = FuzzTarget("provenance", seeds: { [Samples.provenance] }) { input in
        _ = try ProvenanceStatement.source(in: input, of: Samples.bundleDigest, place: "input")
    }

    /// A P-256 key in PEM. What signs is a private key, also to whoever refuses one.
    static let packageKey = FuzzTarget("package-key", seeds: { try Samples.packageKeys() }) { input in
        if (try? SigningKey(name: "input", pem: input)) != nil {
            try BrokenPromise.check(PrivateKeyForm.isIn(input), "a private key that is not seen")
        }
        let key = try TrustedKey(name: "input", pem: input)
        try BrokenPromise.check(try TrustedKey(name: "input", pem: Array(key.pem().utf8)) == key, "the key is not the one that was read")
    }
}

extension Samples {
    static let deviceLists = [
        "# the bench\nC0:00:00:00:00:01\nRoom 3, 12 # left\n\nc0:00:00:00:00:02\r\n", "\u{FEFF}monocle\n",
    ].map { Array($0.utf8) }

    static let allowLists = [
        "# what may differ\nC0:00:*,firmware,v23.*,\"old, but \"\"good\"\"\",2026-12-31\n*,*,?*,all,\n", "monocle,scripts,x,y,\n",
    ].map { Array($0.utf8) }

    static let baselines = [
        #"{"schema":"noafw.verify/1","verdict":"pass","units":[{"address":"C0:00:00:00:00:01","family":"monocle","name":"monocle","#
            + #""firmware":{"expected":"v1","actual":"v1","match":true,"proof":"version"},"scripts":{"expected":"v2","actual":null,"#
            + #""match":false,"proof":"digest","differences":["main.py differs"]}}]}"#,
    ].map { Array($0.utf8) }

    static let chatScripts = [
        "# a talk\nsend hello\nexpect (?i)^no{1,3}n|[a-z]+\\b within 5s\ntap B\nhold 900ms\nspeak a.wav\nshow a.jpg\npicture a.ppm\n",
        "soak 100 every 2s cut every 30s\r\n",
    ].map { Array($0.utf8) }

    static let robotScript = Array("# there\n100 -100 1.5s\n0 0 300ms # and back\n".utf8)

    static let bundleDigest = String(repeating: "ab", count: 32)

    static let provenance = Array(
        (#"{"_type":"https://in-toto.io/Statement/v1","predicateType":"https://slsa.dev/provenance/v1","subject":[{"name":"a.zip","#
            + "\"digest\":{\"sha256\":\"\(bundleDigest)\"}}],\"predicate\":"
            + #"{"buildDefinition":{"externalParameters":{"source":{"uri":"git+https://a","digest":{"gitCommit":"1"}}}}}}"#).utf8)

    private static let signed = Result { try SignedStatement(provenance, signedBy: bundleKey()) }

    static func statement() throws -> [UInt8] { Array(try JSONEncoder().encode(signed.get())) }

    private static let signingKey = Result { try SigningKey.generate() }

    static func packageKeys() throws -> [[UInt8]] {
        let key = try signingKey.get()
        return [key.pem, try key.publicPEM()].map { Array($0.utf8) }
    }
}
