import Bluetooth
import Foundation

/// What is connected to the processor's pins on a virtual Frame: display, microphone, camera.
struct FrameHardware {
    var microphone = FrameMicrophone()
    var camera = FrameCamera()
    private let folder: UnitFolder

    init(folder: UnitFolder) { self.folder = folder }

    /// Shows drawn items as `Port/display.c` records them.
    func show(_ drawn: [UInt8]) {
        var rest = drawn[...]
        var items: [VirtualDisplay.Item] = []
        func short(_ offset: Int) -> Int { Int(UInt16(littleEndian: rest.dropFirst(offset))) }
        while rest.count >= 11 {
            let (x, y) = (short(1), short(3))
            if rest.first == UInt8(ascii: "T") {
                let length = short(9)
                let text = String(decoding: rest.dropFirst(11).prefix(length), as: UTF8.self)
                items.append(VirtualDisplay.Item(kind: "text", text: text, x: x, y: y, color: Int(UInt32(littleEndian: rest.dropFirst(5)))))
                rest = rest.dropFirst(11 + length)
            } else {
                items.append(
                    VirtualDisplay.Item(kind: "bitmap", x: x, y: y, width: short(5), bytes: Int(UInt32(littleEndian: rest.dropFirst(7)))))
                rest = rest.dropFirst(11)
            }
        }
        VirtualDisplay.show(items, in: folder.display)
    }

    func showPaired(as address: DeviceAddress) {
        VirtualDisplay.show([
            .init(kind: "text", text: "Frame is Paired", x: 185, y: 140, color: 0xFFFFFF),
            .init(kind: "text", text: "Frame \(address.description.prefix(2))", x: 245, y: 210, color: 0xEB8931),
        ], in: folder.display)
    }
}
