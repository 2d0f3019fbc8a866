import Foundation
import VirtualDevices

extension VirtualFamily {
    /// Every family that can be played.
    static let all: [VirtualFamily] = [.monocle, .frame]

    static let monocle = VirtualFamily(
        name: "monocle", largestMTU: MonocleConfiguration(python: "").largestMTU,
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

    static let frame = VirtualFamily(
        name: "frame", largestMTU: FrameConfiguration(python: "").largestMTU,
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
