import Bluetooth
import Support
import Testing

@testable import BlueZ

/// Every error name of bluetoothd and D-Bus becomes an error of its own code.
@Suite struct ErrorTests {
    struct Reply: Sendable, CustomTestStringConvertible {
        var name: String
        var text = ""
        var code: String
        var category: Diagnosis.Category
        var testDescription: String { "\(name) \(text)" }
    }

    static let bluez = "org.bluez.Error."
    static let bus = "org.freedesktop.DBus.Error."

    static let replies: [Reply] = [
        Reply(name: bus + "AccessDenied", code: "BLZ-0003", category: .permission),
        Reply(name: bus + "LimitsExceeded", code: "BLZ-0004", category: .tryAgain),
        Reply(name: bus + "Disconnected", code: "BLZ-0005", category: .tryAgain),
        Reply(name: bus + "ServiceUnknown", code: "BLZ-0006", category: .unavailable),
        Reply(name: bus + "NameHasNoOwner", code: "BLZ-0006", category: .unavailable),
        Reply(name: bus + "Spawn.ChildExited", code: "BLZ-0006", category: .unavailable),
        Reply(name: "org.freedesktop.systemd1.NoSuchUnit", code: "BLZ-0006", category: .unavailable),
        Reply(name: bus + "NoReply", code: "BLZ-0007", category: .tryAgain),
        Reply(name: bus + "UnknownMethod", text: "Method \"AcquireWrite\" with signature", code: "BLZ-0009", category: .unavailable),
        Reply(name: bus + "UnknownMethod", text: "Method \"Connect\" with signature", code: "BLZ-0046", category: .tryAgain),
        Reply(name: bus + "UnknownObject", code: "BLZ-0046", category: .tryAgain),
        Reply(name: bus + "InvalidArgs", code: "BLZ-0010", category: .inputOutput),
        Reply(name: bluez + "NoSuchAdapter", code: "BLZ-0011", category: .unavailable),
        Reply(name: bluez + "Blocked", text: "Blocked through rfkill", code: "BLZ-0013", category: .unavailable),
        Reply(name: bluez + "Failed", text: "Blocked through rfkill", code: "BLZ-0013", category: .unavailable),
        Reply(name: bluez + "NotReady", text: "Resource Not Ready", code: "BLZ-0015", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-adapter-not-powered", code: "BLZ-0015", category: .tryAgain),
        Reply(name: bluez + "InProgress", text: "In Progress", code: "BLZ-0016", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-busy", code: "BLZ-0029", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-concurrent-connection-limit", code: "BLZ-0017", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-abort-by-local", code: "BLZ-0020", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-abort-by-remote", code: "BLZ-0021", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "br-connection-canceled", code: "BLZ-0022", category: .tryAgain),
        Reply(name: bluez + "Canceled", code: "BLZ-0022", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "br-connection-page-timeout", code: "BLZ-0023", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-refused", code: "BLZ-0024", category: .tryAgain),
        Reply(name: bluez + "ConnectionAttemptFailed", text: "Page Timeout", code: "BLZ-0025", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-unknown", code: "BLZ-0025", category: .tryAgain),
        Reply(name: bluez + "AlreadyConnected", code: "BLZ-0026", category: .tryAgain),
        Reply(name: bluez + "NotConnected", code: "BLZ-0027", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "Not connected", code: "BLZ-0027", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "le-connection-link-layer-protocol-error", code: "BLZ-0028", category: .tryAgain),
        Reply(name: bluez + "AuthenticationFailed", code: "BLZ-0030", category: .tryAgain),
        Reply(name: bluez + "AuthenticationRejected", code: "BLZ-0030", category: .tryAgain),
        Reply(name: bluez + "AuthenticationCanceled", code: "BLZ-0032", category: .tryAgain),
        Reply(name: bluez + "AuthenticationTimeout", code: "BLZ-0032", category: .tryAgain),
        Reply(name: bluez + "AgentNotAvailable", code: "BLZ-0034", category: .tryAgain),
        Reply(name: bluez + "NotPermitted", text: "Write not permitted", code: "BLZ-0041", category: .unitFailed),
        Reply(name: bluez + "NotAuthorized", code: "BLZ-0043", category: .permission),
        Reply(name: bluez + "NotSupported", code: "BLZ-0044", category: .unavailable),
        Reply(name: bluez + "NotAvailable", code: "BLZ-0045", category: .tryAgain),
        Reply(name: bluez + "DoesNotExist", code: "BLZ-0046", category: .tryAgain),
        Reply(name: bluez + "AlreadyExists", code: "BLZ-0047", category: .tryAgain),
        Reply(name: bluez + "InvalidArguments", code: "BLZ-0010", category: .inputOutput),
        Reply(name: bluez + "InvalidArguments", text: "Invalid Length", code: "BLZ-0041", category: .unitFailed),
        Reply(name: bluez + "InvalidArguments", text: "Invalid offset", code: "BLZ-0041", category: .unitFailed),
        Reply(name: bluez + "InvalidValueLength", code: "BLZ-0041", category: .unitFailed),
        Reply(name: bluez + "Failed", text: "No ATT transport", code: "BLZ-0027", category: .tryAgain),
        Reply(name: bluez + "Failed", text: "Failed to initiate write", code: "BLZ-0051", category: .inputOutput),
        Reply(name: bluez + "HealthError", code: "BLZ-0010", category: .inputOutput),
        Reply(name: "com.example.Odd", text: "odd", code: "BLZ-0010", category: .inputOutput),
    ]

    @Test(arguments: replies)
    func replyHasItsCode(_ reply: Reply) {
        let diagnosis = BlueZError(name: reply.name, text: reply.text).diagnosis
        #expect(diagnosis.code == reply.code)
        #expect(diagnosis.category == reply.category)
        for text in [diagnosis.message, diagnosis.cause, diagnosis.remedy] { #expect(!text.isEmpty) }
    }

    /// libdbus gives the socket's EACCES the name of the policy's refusal.
    @Test(arguments: [
        ("FileNotFound", "BLZ-0001"), ("NoServer", "BLZ-0001"), ("BadAddress", "BLZ-0001"), ("IOError", "BLZ-0001"),
        ("AccessDenied", "BLZ-0002"), ("AuthFailed", "BLZ-0002"), ("LimitsExceeded", "BLZ-0004"),
    ])
    func aBusThatCannotBeOpenedHasItsCode(name: String, code: String) {
        #expect(BlueZError.unopened(Self.bus + name, "").diagnosis.code == code)
    }

    /// Two codes that told an operator the same would be one.
    @Test func codesSayDifferentThings() {
        let diagnoses = Self.replies.map { BlueZError(name: $0.name, text: $0.text).diagnosis }
            + [
                BlueZError.busUnreachable(""), .busRefusesUser(""), .daemonStopped, .unintelligible(""), .adapterOff("hci0"),
                .adapterHardBlocked("hci0")
            ].map(\.diagnosis)
        for text in [\Diagnosis.message, \.causeAndRemedy] {
            let codes = Dictionary(grouping: diagnoses) { $0[keyPath: text] }.mapValues { Set($0.map(\.code)) }
            for (said, codes) in codes { #expect(codes.count == 1, "\(codes): \(said)") }
        }
        let exits = Dictionary(grouping: diagnoses, by: \.code).mapValues { Set($0.map(\.category)) }
        for (code, exits) in exits { #expect(exits.count == 1, "\(code)") }
    }

    @Test(arguments: [
        (BlueZError.daemonNotRunning(""), "systemctl start bluetooth"), (.adapterOff("hci0"), "bluetoothctl power on"),
        (.adapterSoftBlocked("hci0"), "rfkill unblock bluetooth"), (.accessDenied(""), "usermod -aG bluetooth"),
        (.busUnreachable(""), "systemctl start dbus"), (.daemonSilent, "systemctl restart bluetooth"),
    ])
    func remedyNamesTheCommand(error: BlueZError, command: String) {
        #expect(error.diagnosis.remedy.contains(command))
    }

    @Test func textIsTamed() {
        let error = BlueZError(name: "com.example.\u{1B}[2J", text: "a\u{1B}]0;x\u{7}b\n" + String(repeating: "y", count: 1000))
        #expect(error.diagnosis.message.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value < 127 })
        #expect(error.diagnosis.message.count < 300)
    }

    @Test func attributeErrorsAreRead() {
        #expect(BlueZError(name: Self.bluez + "Failed", text: "Operation failed with ATT error: 0xfd").attributeError == 0xFD)
        #expect(BlueZError(name: Self.bluez + "Failed", text: "Operation failed with ATT error: 0x").attributeError == nil)
        #expect(BlueZError(name: Self.bluez + "Failed", text: "Operation failed with ATT error: 0x1234").attributeError == nil)
        #expect(BlueZError(name: Self.bluez + "NotPermitted", text: "Not paired").attributeError == 0x05)
    }

    @Test(arguments: ["Write acquired", "Notify acquired", "Write not permitted"])
    func whatAnotherProgramHoldsIsToldApart(text: String) {
        #expect(BlueZError(name: Self.bluez + "NotPermitted", text: text).isAcquired == text.hasSuffix("acquired"))
    }
}

extension Diagnosis {
    fileprivate var causeAndRemedy: String { cause + "; " + remedy }
}
