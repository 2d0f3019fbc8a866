import Assistant
import MonocleFamily
import Provisioning
import VirtualDevices

extension SupportedFamily {
    static let monocle = SupportedFamily(
        family: .monocle,
        virtual: VirtualModel(
            openFolder: { try UnitFolder.monocle(root: $0, name: $1) },
            versionCommand: { MonocleConfiguration.versionCommand(python: $0) },
            makeUnit: { folder, search, air in
                var configuration = MonocleConfiguration(python: try InterpreterSearch(search: search).python())
                configuration.trustedKeys += search.bootloaderKeys(for: .monocle)
                configuration.fpgaVersions = (try? search.locate().fpgaVersions(for: FamilyID.monocle.rawValue)) ?? [:]
                return try .monocle(folder: folder, configuration: configuration, air: air)
            }),
        chat: .monocle, prompt: .python)
}
