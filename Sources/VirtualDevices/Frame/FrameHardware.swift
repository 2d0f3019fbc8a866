import Bluetooth
import Foundation

/// What the processor's pins lead to on a virtual Frame: display, microphone, camera.
struct FrameHardware {
    var microphone = FrameMicrophone()
    var camera = FrameCamera()
    private let folder: UnitFolder

    init(folder: UnitFolder) { self.folder = folder }

    private struct Item: Encodable {
        var kind: String
        var text: String?
        var x: Int
        var y: Int
        var color: Int?
        var width: Int?
        var bytes: Int?
    }

    /// Shows what was drawn: items as `Port/display.c` notes them.
    func show(_ drawn: [UInt8]) {
        var rest = drawn[...]
        var items: [Item] = []
        func short(_ offset: Int) -> Int { Int(FrameInterpreter.word(rest.dropFirst(offset))) & 0xFFFF }
        while rest.count >= 11 {
            let (x, y) = (short(1), short(3))
            if rest.first == UInt8(ascii: "T") {
                let length = short(9)
                let text = String(decoding: rest.dropFirst(11).prefix(length), as: UTF8.self)
                items.append(Item(kind: "text", text: text, x: x, y: y, color: Int(FrameInterpreter.word(rest.dropFirst(5)))))
                rest = rest.dropFirst(11 + length)
            } else {
                items.append(Item(kind: "bitmap", x: x, y: y, width: short(5), bytes: Int(FrameInterpreter.word(rest.dropFirst(7)))))
                rest = rest.dropFirst(11)
            }
        }
        put(items)
    }

    /// The radio's interrupt draws over whatever a program shows.
    func showPaired(as address: DeviceAddress) {
        put([
            Item(kind: "text", text: "Frame is Paired", x: 185, y: 140, color: 0xFFFFFF),
            Item(kind: "text", text: "Frame \(address.description.prefix(2))", x: 245, y: 210, color: 0xEB8931),
        ])
    }

    private func put(_ items: [Item]) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        if let document = try? encoder.encode(items) { try? UnitFolder.replace(folder.display, with: document) }
    }
}
