import Bluetooth
import Foundation

/// What is connected to the processor's pins on a virtual Frame: display, microphone, camera.
struct FrameHardware {
    var microphone = FrameMicrophone()
    var camera = FrameCamera()
    private let folder: UnitFolder
    /// Drawn, and not yet shown.
    private var pending: [UInt8] = []
    private static let pendingLimit = 512 << 10

    init(folder: UnitFolder) { self.folder = folder }

    mutating func draw(_ drawn: [UInt8]) { if pending.count + drawn.count <= Self.pendingLimit { pending += drawn } }

    /// Shows drawn items as `Port/display.c` records them.
    mutating func show(_ drawn: [UInt8]) {
        draw(drawn)
        var rest = pending[...]
        pending = []
        var items: [VirtualDisplay.Item] = []
        func short(_ offset: Int) -> Int { Int(UInt16(littleEndian: rest.dropFirst(offset))) }
        while rest.count >= 11 {
            let (x, y) = (short(1), short(3))
            if rest.first == UInt8(ascii: "T") {
                let length = short(9)
                let text = String(decoding: rest.dropFirst(11).prefix(length), as: UTF8.self)
                let color = Int(UInt32(littleEndian: rest.dropFirst(5)))
                let count = short(11 + length)
                let places = (0..<count).flatMap { [short(13 + length + 3 * $0), Int(rest.dropFirst(15 + length + 3 * $0).first ?? 0)] }
                items.append(VirtualDisplay.Item(kind: "text", text: text, x: x, y: y, color: color, places: places))
                rest = rest.dropFirst(13 + length + 3 * count)
            } else {
                let length = Int(UInt32(littleEndian: rest.dropFirst(7)))
                let kinds = rest.dropFirst(11).prefix(2).map(Int.init)
                let palette = (0..<16).map { Int(UInt32(littleEndian: rest.dropFirst(13 + 4 * $0))) }
                items.append(
                    VirtualDisplay.Item(
                        kind: "bitmap", x: x, y: y, width: short(5), bytes: length, data: Data(rest.dropFirst(77).prefix(length)),
                        colors: kinds.first, offset: kinds.last, palette: palette))
                rest = rest.dropFirst(77 + length)
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
