import KeyboardFamily
import Provisioning
import VirtualDevices

extension SupportedFamily {
    static let keyboard = SupportedFamily(
        family: .keyboard,
        virtual: VirtualModel(
            openFolder: { try UnitFolder.keyboard(root: $0, name: $1) }, versionCommand: nil,
            makeUnit: { try .keyboard(folder: $0, configuration: $1, air: $2) }),
        bareFirmware: { try KeyboardFirmware($0, version: $1) },
        identify: { _, _ in
            [UnitDetail(name: "firmware", value: "its version is told over its network alone: add --family keyboard, or --url")]
        },
        bench: [TypeCommand.self])
}
