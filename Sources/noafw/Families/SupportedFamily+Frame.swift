import Assistant
import FrameFamily
import Provisioning
import VirtualDevices

extension SupportedFamily {
    static let frame = SupportedFamily(
        family: .frame,
        virtual: VirtualModel(
            openFolder: { try UnitFolder.frame(root: $0, name: $1) },
            versionCommand: { [FrameConfiguration.interpreter(python: $0), "--version"] },
            makeUnit: { folder, search, air in
                var configuration = FrameConfiguration(python: try InterpreterSearch(search: search).python())
                configuration.trustedKeys += search.bootloaderKeys(for: .frame)
                return try .frame(folder: folder, configuration: configuration, air: air)
            }),
        chat: .frame, prompt: .lua)
}
