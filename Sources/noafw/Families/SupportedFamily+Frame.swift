import Assistant
import FrameFamily
import Provisioning
import VirtualDevices

extension SupportedFamily {
    static let frame = SupportedFamily(
        family: .frame,
        virtual: VirtualModel(
            openFolder: { try UnitFolder.frame(root: $0, name: $1) }, versionCommand: { VirtualUnit.frameVersionCommand(python: $0) },
            makeUnit: { try .frame(folder: $0, configuration: $1, air: $2) }),
        chat: .frame, prompt: .lua, released: VendorFile.frame)
}
