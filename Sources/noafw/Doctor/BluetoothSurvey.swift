import BlueZ
import Bluetooth
import Provisioning
import Support

enum BluetoothSurvey {
    private static let surveyTimeout = Duration.seconds(5)

    static func take(_ request: DoctorRequest) async -> DoctorFacts.Bluetooth {
        var facts = DoctorFacts.Bluetooth(version: await daemonVersion(request), wanted: request.adapter)
        do {
            let survey = try await BlueZSurvey.take(before: request.clock.deadline(in: surveyTimeout))
            facts.isBusReachable = survey.isBusReachable
            facts.blockingError = survey.blockingError.map { .init(diagnosis: $0.diagnosis) }
            facts.processID = survey.daemonProcess
            facts.adapters = survey.adapters.map(fact)
            facts.hidden = survey.hiddenAdapters
            facts.blocks = survey.radioSwitches.compactMap(block)
            facts.openSwitches = Set(survey.radioSwitches.filter { $0.state == .open }.map(\.name))
        } catch {
            facts.blockingError = .init(diagnosis: diagnose(error))
        }
        facts.kernel = facts.chosen.map { AdapterCapabilities(of: $0.name) } ?? AdapterCapabilities()
        facts.settings = DaemonSettings(of: DaemonSettings.file)
        return facts
    }

    private static func fact(_ adapter: BlueZSurvey.Adapter) -> DoctorFacts.Bluetooth.Adapter {
        .init(
            name: adapter.object.kernelName, address: adapter.object.address.description, isPowered: adapter.object.isPowered,
            isDiscovering: adapter.object.isDiscovering,
            connected: adapter.connectedDevices.map { device in
                (device.name ?? device.address.description) + (device.mtu.map { " (MTU \($0))" } ?? "")
            }, usbPort: adapter.object.usbPort, twins: adapter.twins, remembered: adapter.rememberedDevices)
    }

    private static func block(_ radioSwitch: RadioSwitch) -> DoctorFacts.Bluetooth.Block? {
        switch radioSwitch.state {
        case .open: nil
        case .softBlocked: .init(name: radioSwitch.name, by: "by software")
        case .hardBlocked: .init(name: radioSwitch.name, by: "by a switch on the machine")
        }
    }

    /// bluetoothctl reports the version that it shares with bluetoothd; D-Bus does not.
    private static func daemonVersion(_ request: DoctorRequest) async -> String? {
        let output = try? await ShortCommand.run(
            ["bluetoothctl", "--version"], path: request.search.environment["PATH"], clock: request.clock)
        return output?.split(whereSeparator: \.isWhitespace).last.map(String.init)
            .flatMap { $0.wholeMatch(of: /[0-9]+\.[0-9]+/) == nil ? nil : $0 }
    }
}
