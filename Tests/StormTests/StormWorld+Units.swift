import FPGA
import Foundation
import TestSupport
import VirtualDevices

// What the units of a world hold before.
extension StormWorld {
    func place(of unit: StormPlan.Unit) -> URL { state.appendingPathComponent("virtual/\(unit.family)/\(unit.name)", isDirectory: true) }

    func prepare(_ bases: StormBases) async throws {
        for (number, unit) in plan.units.enumerated() {
            if unit.prior != .factory { try await bases.copy(unit, catalogue, to: self) }
            let folder = try open(unit)
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
        return unit.family == "monocle" ? try .monocle(root: place, name: unit.name) : try .frame(root: place, name: unit.name)
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

    func charge(_ unit: StormPlan.Unit, percent: Int) throws {
        let file = place(of: unit).appendingPathComponent("unit.json")
        let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        try Data(text.replacing(/"batteryPercent":\d+/, with: "\"batteryPercent\":\(percent)").utf8).write(to: file)
    }
}
