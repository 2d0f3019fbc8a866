extension VirtualFamily {
    static let monocle = VirtualFamily(
        name: MonocleModel.family, largestMTU: MonocleModel.largestMTU,
        openFolder: { try UnitFolder.monocle(root: $0, name: $1.name) },
        makeUnit: { folder, settings, air in
            var configuration = MonocleConfiguration(python: settings.python)
            configuration.trustedKeys += (settings.trustedKeys ?? []).map(\.bytes)
            configuration.fpgaVersions = settings.fpgaVersions ?? [:]
            configuration.faults = settings.faults?.plan ?? FaultPlan()
            if let mtu = settings.mtu { configuration.largestMTU = mtu }
            // A real host finds and connects.
            configuration.linkSetUp = .zero
            return try VirtualUnit.monocle(folder: folder, configuration: configuration, air: air)
        })
}
