import OpenBotFamily
import Provisioning
import VirtualDevices

extension SupportedFamily {
    static let openbot = SupportedFamily(
        family: .openbot,
        virtual: VirtualModel(
            openFolder: { try UnitFolder.openbot(root: $0, name: $1) }, versionCommand: nil,
            makeUnit: { try .openbot(folder: $0, configuration: $1, air: $2) }),
        identify: { try await RobotText.details(of: RobotSession.open($0, clock: $1)) }, bench: [RobotCommand.self])
}
