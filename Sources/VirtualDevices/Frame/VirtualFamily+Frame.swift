import Foundation

extension VirtualFamily {
    static let frame = VirtualFamily(
        name: FrameModel.family, largestMTU: FrameModel.largestMTU,
        openFolder: { root, settings in
            let firmware = settings.firmware.map(FrameFirmware.init) ?? .v24_248
            try firmware.requirePlayed(in: root.path)
            return try UnitFolder.frame(root: root, name: settings.name, firmware: firmware)
        },
        makeUnit: { folder, settings, air in
            var configuration = FrameConfiguration(python: settings.python)
            configuration.trustedKeys += (settings.trustedKeys ?? []).map(\.bytes)
            configuration.faults = settings.faults?.plan ?? FaultPlan()
            if let mtu = settings.mtu { configuration.largestMTU = mtu }
            // A real host finds and connects.
            configuration.linkSetUp = .zero
            return try VirtualUnit.frame(folder: folder, configuration: configuration, air: air)
        })
}
