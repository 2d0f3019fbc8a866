import Foundation
import VirtualDevices

extension VirtualFamily {
    /// Every family that can be played.
    static let all: [VirtualFamily] = [.monocle, .frame, .openbot, .keyboard]

    static let openbot = VirtualFamily(
        name: "openbot", largestMTU: 517, openFolder: { try UnitFolder.openbot(root: $0, name: $1.name) },
        makeUnit: { try VirtualUnit.openbot(folder: $0, configuration: $1, air: $2) })

    static let monocle = VirtualFamily(
        name: "monocle", largestMTU: 256, openFolder: { try UnitFolder.monocle(root: $0, name: $1.name) },
        makeUnit: { try VirtualUnit.monocle(folder: $0, configuration: $1, air: $2) })

    static let frame = VirtualFamily(
        name: "frame", largestMTU: 247,
        openFolder: { root, settings in
            let firmware = settings.firmware.map(FrameFirmware.init) ?? .v24_248
            try firmware.requirePlayed(in: root.path)
            return try UnitFolder.frame(root: root, name: settings.name, firmware: firmware)
        },
        makeUnit: { try VirtualUnit.frame(folder: $0, configuration: $1, air: $2) })

    static let keyboard = VirtualFamily(
        name: "keyboard", largestMTU: 256, openFolder: { try UnitFolder.keyboard(root: $0, name: $1.name) },
        makeUnit: { try VirtualUnit.keyboard(folder: $0, configuration: $1, air: $2) })
}
