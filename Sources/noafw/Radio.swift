import BlueZ
import Bluetooth
import Foundation
import Provisioning
import Support

extension BlueZCentral: SharedRadio {
    func heldLinks(before deadline: SessionClock.Instant) async throws -> [HeldLink] {
        try await foreignLinks(before: deadline).map { HeldLink(address: $0.address, name: $0.name) }
    }

    func end(_ held: HeldLink, before deadline: SessionClock.Instant) async throws {
        for link in try await foreignLinks(before: deadline) where link.address == held.address {
            try await end(link, before: deadline)
        }
    }
}

/// The machine's Bluetooth adapter.
enum Radio {
    /// Runs `body` with the adapter and gives it back whatever happens.
    static func with<Value: Sendable>(
        adapter: String?, _ body: (any Central) async throws -> Value
    ) async throws -> Value {
        let central = BlueZCentral(adapter: adapter)
        do {
            let value = try await body(central)
            await central.close()
            return value
        } catch {
            await central.close()
            throw error
        }
    }

    private static let surveyPatience = Duration.seconds(5)

    /// What the machine's Bluetooth looks like.
    static func examine(adapter: String?) async -> DoctorFacts.Bluetooth {
        let clock = SessionClock.continuous
        var facts = DoctorFacts.Bluetooth(version: await daemonVersion(clock), wanted: adapter)
        do {
            let survey = try await BlueZSurvey.take(before: clock.deadline(in: surveyPatience))
            facts.isBusReachable = survey.isBusReachable
            facts.obstacle = survey.obstacle.map { .init(diagnosis: $0.diagnosis) }
            facts.processID = survey.daemonProcess
            facts.adapters = survey.adapters.map(fact)
            facts.blocks = survey.radioSwitches.compactMap(block)
            facts.openSwitches = Set(survey.radioSwitches.filter { $0.state == .open }.map(\.name))
        } catch {
            facts.obstacle = .init(diagnosis: CommandError.explain(error))
        }
        facts.kernel = facts.chosen.map { KernelView(of: $0.name) } ?? KernelView()
        return facts
    }

    private static func fact(_ adapter: BlueZSurvey.Adapter) -> DoctorFacts.Bluetooth.Adapter {
        .init(
            name: adapter.kernelName, address: adapter.address.description, isPowered: adapter.isPowered,
            isDiscovering: adapter.isDiscovering,
            connected: adapter.connectedDevices.map { device in
                (device.name ?? device.address.description) + (device.mtu.map { " (MTU \($0))" } ?? "")
            })
    }

    private static func block(_ radioSwitch: RadioSwitch) -> DoctorFacts.Bluetooth.Block? {
        switch radioSwitch.state {
        case .open: nil
        case .softBlocked: .init(name: radioSwitch.name, by: "by software")
        case .hardBlocked: .init(name: radioSwitch.name, by: "by a switch of the machine")
        }
    }

    /// bluetoothctl comes with bluetoothd and tells their common version; D-Bus does not.
    private static func daemonVersion(_ clock: SessionClock) async -> String? {
        let output = try? await ShortCommand.run(["bluetoothctl", "--version"], clock: clock)
        return output?.split(whereSeparator: \.isWhitespace).last.map(String.init)
            .flatMap { $0.wholeMatch(of: /[0-9]+\.[0-9]+/) == nil ? nil : $0 }
    }
}
