import Bluetooth
import Support
import TestSupport
import Testing

@testable import BlueZ

/// Every refusal, given as the answer to a call that bluetoothd or the bus really answers with it, reaches the caller as
/// its own error.
@Suite(
    .serialized, .enabled(if: TestTools.mayRunDBus, "D-Bus or its Python library is missing: run Tools/setup tests"),
    .timeLimit(.minutes(3)))
struct RefusalTests {
    private typealias Reply = ErrorTests.Reply

    private static let refused = "org.bluez.Error."
    private static let bus = "org.freedesktop.DBus.Error."

    private func failed(_ text: String, _ code: String, _ category: Diagnosis.Category = .tryAgain) -> Reply {
        Reply(name: Self.refused + "Failed", text: text, code: code, category: category)
    }

    private func refusal(_ name: String, _ text: String = "", _ code: String, _ category: Diagnosis.Category = .tryAgain) -> Reply {
        Reply(name: Self.refused + name, text: text, code: code, category: category)
    }

    private func busError(_ name: String, _ text: String = "", _ code: String, _ category: Diagnosis.Category) -> Reply {
        Reply(name: Self.bus + name, text: text, code: code, category: category)
    }

    /// Lets every call of a member fail in each way and compares what the operation throws.
    private func expect(
        _ replies: [Reply], to member: String, at station: Station, also second: String? = nil,
        _ operation: () async throws -> Void
    ) async throws {
        for reply in replies {
            for member in [member, second].compactMap({ $0 }) {
                try await station.daemon.fail(member, reply.name, reply.text, times: 1000)
            }
            let note = "\(member): \(reply)"
            do {
                try await operation()
                Issue.record("nothing thrown, \(note)")
            } catch {
                let diagnosis = (error as? any DiagnosableError)?.diagnosis
                #expect(diagnosis?.code == reply.code, "\(note): \(error)")
                #expect(diagnosis?.category == reply.category, "\(note)")
            }
            try await station.daemon.tell("clear_faults")
        }
    }

    private func connect(_ station: Station, _ security: LinkSecurity = .open) async throws {
        let deadline = Station.clock.deadline(in: .milliseconds(250))
        _ = try await station.central.connect(to: Station.address, security: security, deadline: deadline)
    }

    @Test func ofConnect() async throws {
        let station = try await Station()
        try await station.connect().disconnect()
        let replies = [
            failed("le-connection-abort-by-local", "BLZ-0020"),
            failed("br-connection-canceled", "BLZ-0022"),
            failed("le-connection-abort-by-remote", "BLZ-0021"),
            failed("br-connection-page-timeout", "BLZ-0023"),
            failed("le-connection-refused", "BLZ-0024"),
            failed("le-connection-unknown", "BLZ-0025"),
            failed("le-connection-busy", "BLZ-0029"),
            failed("le-connection-concurrent-connection-limit", "BLZ-0017"),
            failed("le-connection-adapter-not-powered", "BLZ-0015"),
            failed("le-connection-link-layer-protocol-error", "BLZ-0028"),
            failed("Software caused connection abort", "BLZ-0051", .inputOutput),
            refusal("NotReady", "Resource Not Ready", "BLZ-0015"),
            refusal("InProgress", "In Progress", "BLZ-0016"),
            refusal("NotAvailable", "br-connection-profile-unavailable", "BLZ-0045"),
            refusal("InvalidArguments", "Invalid arguments in method call", "BLZ-0010", .inputOutput),
            busError("UnknownObject", "Method \"Connect\" with signature \"\"", "BLZ-0046", .tryAgain),
            busError("NoReply", "Message recipient disconnected from message bus", "BLZ-0007", .tryAgain),
        ]
        try await expect(replies, to: "Connect", at: station) { try await connect(station) }
        try await station.expectNothingLeft()
    }

    @Test func ofPair() async throws {
        let station = try await Station()
        let replies = [
            refusal("AuthenticationFailed", "Authentication Failed", "BLE-0011", .unitFailed),
            refusal("AuthenticationRejected", "Authentication Rejected", "BLE-0011", .unitFailed),
            refusal("AuthenticationCanceled", "Authentication Canceled", "BLZ-0032"),
            refusal("AuthenticationTimeout", "Authentication Timeout", "BLZ-0032"),
            refusal("AgentNotAvailable", "Agent Not Available", "BLZ-0034"),
            refusal("ConnectionAttemptFailed", "Page Timeout", "BLZ-0025"),
            refusal("InProgress", "In Progress", "BLZ-0016"),
        ]
        try await expect(replies, to: "Pair", at: station) { try await connect(station, .bonded) }
        try await station.expectNothingLeft()
    }

    @Test(arguments: ["SetDiscoveryFilter", "StartDiscovery"])
    func ofDiscovery(member: String) async throws {
        let station = try await Station()
        let replies = [
            refusal("NotReady", "Resource Not Ready", "BLZ-0015"),
            refusal("NotSupported", "Operation is not supported", "BLZ-0044", .unavailable),
            refusal("InvalidArguments", "Invalid arguments in method call", "BLZ-0010", .inputOutput),
            refusal("NotAuthorized", "Operation Not Authorized", "BLZ-0043", .permission),
            refusal("InProgress", "Operation already in progress", "BLZ-0016"),
            refusal("Blocked", "Blocked through rfkill", "BLZ-0013", .unavailable),
            failed("Failed to start discovery", "BLZ-0051", .inputOutput),
        ]
        try await expect(replies, to: member, at: station) { _ = try await station.central.discover() }
        try await station.expectNothingLeft()
    }

    @Test func ofAnAttribute() async throws {
        let station = try await Station()
        let connection = try await station.connect()
        let missing = "Method \"AcquireWrite\" with signature \"a{sv}\" on interface \"org.bluez.GattCharacteristic1\" doesn't exist"
        try await expect(
            [
                refusal("InProgress", "In Progress", "BLZ-0016"),
                refusal("NotPermitted", "Write acquired", "BLE-0014"),
                refusal("NotPermitted", "Write not permitted", "BLZ-0041", .unitFailed),
                refusal("NotPermitted", "Not paired", "BLE-0005", .unitFailed),
                refusal("InvalidArguments", "Invalid Length", "BLZ-0041", .unitFailed),
                refusal("NotAuthorized", "Operation Not Authorized", "BLZ-0043", .permission),
                refusal("NotSupported", "Operation is not supported", "BLZ-0044", .unavailable),
                failed("Operation failed with ATT error: 0x01", "BLE-0005", .unitFailed),
                failed("Not connected", "BLZ-0027"),
                failed("Failed to initiate write", "BLZ-0051", .inputOutput),
            ], to: "WriteValue", at: station
        ) { try await connection.write([1], to: Station.receive, deadline: station.soon) }
        try await expect(
            [
                refusal("NotPermitted", "Notify acquired", "BLE-0014"), refusal("InProgress", "In Progress", "BLZ-0016"),
                failed("Failed to register notify session", "BLZ-0051", .inputOutput),
            ], to: "StartNotify", at: station
        ) { _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon) }
        try await expect(
            [refusal("NotSupported", "Operation is not supported", "BLZ-0044", .unavailable)], to: "StartNotify", at: station,
            also: "AcquireNotify"
        ) { _ = try await connection.subscribe(to: Station.transmit, deadline: station.soon) }
        try await expect(
            [
                refusal("NotPermitted", "Write acquired", "BLE-0014"),
                refusal("NotSupported", "Operation is not supported", "BLZ-0044", .unavailable),
                failed("No ATT transport", "BLZ-0027"), busError("UnknownMethod", missing, "BLZ-0009", .unavailable),
            ], to: "AcquireWrite", at: station
        ) { _ = try await connection.openChannel(to: Station.receive, deadline: station.soon) }
        await connection.disconnect()
        try await station.expectNothingLeft()
    }

    @Test func ofForgetting() async throws {
        let station = try await Station(unit: nil)
        try await station.daemon.tell("know", ["address": Station.address.description])
        let replies = [
            failed("Operation failed", "BLZ-0051", .inputOutput),
            refusal("InvalidArguments", "Invalid arguments in method call", "BLZ-0010", .inputOutput),
            refusal("NotReady", "Resource Not Ready", "BLZ-0015"),
        ]
        try await expect(replies, to: "RemoveDevice", at: station) {
            try await station.central.forgetBond(with: Station.address, deadline: station.soon)
        }
        let unknown = refusal("DoesNotExist", "Does Not Exist", "")
        try await station.daemon.fail("RemoveDevice", unknown.name, unknown.text)
        try await station.central.forgetBond(with: Station.address, deadline: station.soon)
    }

    /// What the bus answers in place of bluetoothd.
    @Test func ofTheFirstCall() async throws {
        let station = try await Station()
        let replies = [
            busError("AccessDenied", "Rejected send message", "BLZ-0003", .permission),
            busError("ServiceUnknown", "The name org.bluez was not provided by any .service files", "BLZ-0006", .unavailable),
            busError("NameHasNoOwner", "Could not get owner of name 'org.bluez': no such name", "BLZ-0006", .unavailable),
            busError("Spawn.ChildExited", "Process org.bluez exited with status 1", "BLZ-0006", .unavailable),
            busError("NoReply", "Message recipient disconnected from message bus", "BLZ-0007", .tryAgain),
            busError("LimitsExceeded", "The maximum number of pending replies", "BLZ-0004", .tryAgain),
            Reply(name: "org.freedesktop.systemd1.NoSuchUnit", code: "BLZ-0006", category: .unavailable),
        ]
        try await expect(replies, to: "GetManagedObjects", at: station) {
            _ = try await Station.central(on: station.bus).discover()
        }
    }

    /// What the field's notes name, with a condition of its own where bluetoothd says nothing: each its own error and exit.
    @Test func theKnownConditionsAreToldApart() {
        let access = BlueZError(name: Self.bus + "AccessDenied", text: "")
        let errors: [BlueZError] = [
            BlueZError(name: Self.refused + "Failed", text: "le-connection-abort-by-local"),
            BlueZError(name: Self.refused + "Failed", text: "br-connection-canceled"),
            access, BlueZError(name: Self.bus + "ServiceUnknown", text: ""),
            .noAdapter(nil), .adapterOff("hci0"), .adapterSoftBlocked("hci0"), .adapterHardBlocked("hci0"),
        ]
        #expect(Set(errors.map(\.diagnosis.code)).count == errors.count)
        #expect(errors.map(\.diagnosis.category.rawValue) == [75, 75, 77, 69, 69, 69, 69, 69])
    }
}
