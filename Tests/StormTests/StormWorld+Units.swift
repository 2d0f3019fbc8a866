import Bluetooth
import FPGA
import Foundation
import TestSupport
import VirtualDevices

// What the units of a world hold before.
extension StormWorld {
    func place(of unit: StormPlan.Unit) -> URL { state.appendingPathComponent("virtual/\(unit.family)/\(unit.name)", isDirectory: true) }

    func prepare(_ bases: StormBases) async throws {
        for (number, unit) in plan.units.enumerated() {
            if unit.prior != .factory, plan.verb.family == nil { try await bases.copy(unit, catalogue, to: self) }
            let folder = try open(unit)
            if unit.family == "openbot" {
                try surround(unit)
                continue
            }
            if unit.prior == .drifted { try drift(unit) }
            if unit.prior == .older { try age(unit) }
            if plan.verb == .remove {
                try FileManager.default.copyItem(atPath: "\(path)/lib", toPath: folder.root.appendingPathComponent("files/lib").path)
            }
            if unit.prior == .owned, plan.verb != .restore {
                for (name, text) in own(unit) { try Data(text.utf8).write(to: folder.root.appendingPathComponent("files/\(name)")) }
            }
            if unit.prior == .factory, unit.family == "monocle", !plan.seed.isMultiple(of: 8) { try blankFPGA(unit) }
            if plan.faults.contains(where: { $0.kind == .battery && $0.unit == number }) { try charge(unit, percent: 5) }
        }
    }

    func open(_ unit: StormPlan.Unit, at place: URL? = nil) throws -> UnitFolder {
        let place = place ?? self.place(of: unit)
        return switch unit.family {
        case "monocle": try .monocle(root: place, name: unit.name)
        case "frame": try .frame(root: place, name: unit.name)
        case "openbot": try .openbot(root: place, name: unit.name)
        default: try .keyboard(root: place, name: unit.name)
        }
    }

    func address(of unit: StormPlan.Unit) throws -> String {
        guard let address = try UnitFolder.address(root: place(of: unit), name: unit.name, family: unit.family) else {
            throw StormBases.NotMade(text: unit.name)
        }
        return address.description
    }

    /// What a person has on the unit: their own program, where the verb replaces it and keeps it.
    func own(_ unit: StormPlan.Unit) -> [String: String] {
        guard unit.prior == .owned else { return [:] }
        let isLua = unit.family == "frame"
        var files = ["notes.txt": "mine\n", isLua ? "mine.lua" : "mine.py": isLua ? "return 1 -- mine\n" : "MINE = 1\n"]
        if ![.copy, .remove, .update].contains(plan.verb) {
            files[isLua ? "main.lua" : "main.py"] = isLua
                ? "while true do frame.sleep(0.1) end -- mine\n" : "import time\nwhile True:\n    time.sleep(1) # mine\n"
        }
        return files
    }

    private func drift(_ unit: StormPlan.Unit) throws {
        if plan.verb == .verify, plan.seed.isMultiple(of: 5) {
            let firmware = place(of: unit).appendingPathComponent("bootloader.json")
            let new = try open(unit, at: URL(fileURLWithPath: folder.path("new"), isDirectory: true))
            try FileManager.default.removeItem(at: firmware)
            return try FileManager.default.copyItem(at: new.root.appendingPathComponent("bootloader.json"), to: firmware)
        }
        let isFPGA = unit.family == "monocle" && plan.seed.isMultiple(of: 8)
        let script = unit.family == "monocle" ? "files/states.py" : "files/odd.lua"
        let file = place(of: unit).appendingPathComponent(isFPGA ? "fpga-flash.bin" : script)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
    }

    private func age(_ unit: StormPlan.Unit) throws {
        for name in try station.scripts(of: unit.family, catalogue).keys {
            let file = place(of: unit).appendingPathComponent("files/\(name)")
            let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
            let other = text.replacing(/SHA256 digest: [0-9a-f]{8}/, with: "SHA256 digest: 00000000")
            try Data((other + (unit.family == "frame" ? "\n-- older\n" : "\n# older\n")).utf8).write(to: file)
        }
    }

    /// An old image that is soon written over: a unit's own takes most of a world's time.
    private func blankFPGA(_ unit: StormPlan.Unit) throws {
        let old = BitstreamBytes.make(seed: 2)
        let flash = old + [UInt8](repeating: 0xFF, count: FPGALimits.imageByteCount - old.count) + Array("done".utf8)
        try Data(flash).write(to: place(of: unit).appendingPathComponent("fpga-flash.bin"))
    }

    /// What is around a robot, or wrong with it.
    private func surround(_ unit: StormPlan.Unit, isMended: Bool = false) throws {
        var around: [String: Any] = ["battery": 11.9, "bumper": 0, "obstacle": 120]
        // An MTV has neither voltage nor sonar.
        let kinds = plan.verb == .drive ? 0...0 : unit.name == "mtv" ? 2...3 : 0...3
        switch unit.prior == .drifted && !isMended ? kinds.lowerBound + Int(plan.seed % UInt64(kinds.count)) : nil {
        case 0: around["battery"] = 8.2
        case 1: around["obstacle"] = nil
        case 2: around["blocked"] = "left"
        case 3: around["blocked"] = "right"
        default: break
        }
        try JSONSerialization.data(withJSONObject: ["body": unit.name, "surroundings": around]).write(
            to: place(of: unit).appendingPathComponent("robot.json"))
    }

    /// What a person does between two runs.
    func mend() throws {
        try server?.end()
        for fault in plan.faults where fault.kind == .battery { try charge(plan.units[fault.unit], percent: 80) }
        for unit in plan.units where unit.family == "openbot" { try surround(unit, isMended: true) }
        for unit in plan.units {
            for name in ["motors.csv", "hid-reports.txt"] {
                try? FileManager.default.removeItem(at: place(of: unit).appendingPathComponent(name))
            }
        }
    }

    private func charge(_ unit: StormPlan.Unit, percent: Int) throws {
        let file = place(of: unit).appendingPathComponent("unit.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing(/"batteryPercent":\d+/, with: "\"batteryPercent\":\(percent)").utf8).write(to: file)
    }
}
