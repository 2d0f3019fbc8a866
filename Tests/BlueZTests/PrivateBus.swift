import Bluetooth
import Foundation
import Support
import TestSupport

@testable import BlueZ

/// A message bus of the test's own: Debian's dbus-daemon on a socket in a temporary folder.
final class PrivateBus: Sendable {
    let address: String
    private let folder: URL
    private let daemon: LineProcess

    /// - Parameters:
    ///   - policy: further rules, in dbus-daemon's own form.
    ///   - limits: in that form, too.
    init(policy: String = "", limits: String = "", socketName: String = "bus") async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-bus-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = folder.appendingPathComponent(socketName).path
        let configuration = folder.appendingPathComponent("bus.conf")
        try Self.configuration(socket: socket, policy: policy, limits: limits).write(to: configuration, atomically: true, encoding: .utf8)
        daemon = try LineProcess(
            try TestTools.require(TestTools.dbusDaemon, "dbus-daemon"),
            ["--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--nosyslog", "--print-address=1"])
        address = try await daemon.nextLine()
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func end() { daemon.end() }

    func setSocketPermissions(_ mode: Int) throws {
        let socket = folder.appendingPathComponent("bus").path
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: socket)
    }

    private static func configuration(socket: String, policy: String, limits: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-BUS Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
          \(limits)
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_type="method_call"/>
            <allow send_type="signal"/>
            <allow send_requested_reply="true" send_type="method_return"/>
            <allow send_requested_reply="true" send_type="error"/>
            <allow receive_type="method_call"/>
            <allow receive_type="method_return"/>
            <allow receive_type="error"/>
            <allow receive_type="signal"/>
            <allow eavesdrop="false"/>
            \(policy)
          </policy>
        </busconfig>
        """
    }
}

/// What the stand-in of bluetoothd sees.
struct DaemonState: Decodable {
    var discoveries: Int
    var agents: Int
    var pairable: Int
    /// Match rules of everybody but the stand-in, as the bus counts them.
    var matches: Int
    var pendingConnects: Int
    var notifying: Int
    var sockets: Int
    var connected: Int
    var devices: Int
    var packets: Int
    var packetBytes: Int
    var calls: [String: Int]
    /// The paths that RemoveDevice was called for.
    var removed: [String]
    /// Of the discoveries that run.
    var filters: [Filter]

    struct Filter: Decodable, Equatable {
        var Transport: String?
        var DuplicateData: Bool?
        var UUIDs: [String]?
        var RSSI: Int?
    }
}

/// The stand-in of bluetoothd, in Python.
final class StandIn: Sendable {
    private let process: LineProcess

    init(on bus: PrivateBus) async throws {
        let script = TestTools.root.appendingPathComponent("Tests/Interop/bluetoothd.py")
        process = try LineProcess(try TestTools.require(TestTools.labPython, "dbus-fast"), [script.path, bus.address])
        _ = try await answer()
    }

    var identifier: Int32 { process.identifier }
    func end() { process.end() }

    private struct Answer: Decodable {
        var ok: Bool
        var why: String?
        var state: DaemonState?
    }

    private func answer() async throws -> DaemonState? {
        let answer = try JSONDecoder().decode(Answer.self, from: Data(try await process.nextLine().utf8))
        guard answer.ok else { throw LineProcess.Failure(what: answer.why ?? "refused") }
        return answer.state
    }

    @discardableResult
    func tell(_ command: String, _ details: [String: Any] = [:]) async throws -> DaemonState? {
        let data = try JSONSerialization.data(withJSONObject: details.merging(["do": command]) { $1 })
        try process.send(String(decoding: data, as: UTF8.self))
        return try await answer()
    }

    func state() async throws -> DaemonState {
        guard let state = try await tell("state") else { throw LineProcess.Failure(what: "no state") }
        return state
    }

    /// Waits for a number of the state.
    @discardableResult
    func until(_ key: String, equals value: Int) async throws -> DaemonState? { try await tell("until", ["key": key, "equals": value]) }
    /// Waits for calls of a method.
    func until(calls member: String, atLeast count: Int = 1) async throws { try await tell("until", ["call": member, "atLeast": count]) }

    func fail(_ member: String, _ error: String, _ text: String = "", times: Int = 1) async throws {
        try await tell("fault", ["member": member, "error": error, "text": text, "times": times])
    }

    func hang(_ member: String) async throws { try await tell("fault", ["member": member, "error": "", "hang": true]) }

    /// The next call of a method is performed, but answered only at ``answerHeld()``.
    func hold(_ member: String) async throws { try await tell("fault", ["member": member, "hold": true]) }
    func answerHeld() async throws { try await tell("answer") }
}
