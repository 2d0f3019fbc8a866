import Assistant
import MonocleFamily
import Provisioning
import VirtualDevices

extension SupportedFamily {
    static let monocle = SupportedFamily(
        family: .monocle,
        virtual: VirtualModel(
            openFolder: { try UnitFolder.monocle(root: $0, name: $1) }, versionCommand: { VirtualUnit.monocleVersionCommand(python: $0) },
            makeUnit: { try .monocle(folder: $0, configuration: $1, air: $2) }),
        chat: .monocle, prompt: .python, released: VendorFile.monocle)
}
