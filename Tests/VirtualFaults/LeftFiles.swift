import Foundation
import VirtualDevices

extension UnitFolder {
    private struct Bootloader: Decodable {
        struct Page: Decodable { let bank0: Bank }
        struct Bank: Decodable { let size: Int }
        let settingsPage: Page
    }

    /// A Frame as an earlier host left it: bonded, with these files in its file system.
    /// - Returns: the bond's key.
    @discardableResult
    package func leaveFrameFiles(_ content: [String: [UInt8]]) throws -> [UInt8] {
        let key = [UInt8](1...16)
        let hexadecimal = key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try Data(#"{"key":"\#(hexadecimal)"}"#.utf8).write(to: root.appendingPathComponent("bond.json"))
        let bootloader = try JSONDecoder().decode(
            Bootloader.self, from: try Data(contentsOf: root.appendingPathComponent("bootloader.json")))
        // From the page behind the application to the one of the bond, less one.
        let blocks = 0xF4 - (0x27000 + bootloader.settingsPage.bank0.size + 0xFFF) / 0x1000 - 1
        try Data(#"{"blocks":\#(blocks)}"#.utf8).write(to: root.appendingPathComponent("filesystem.json"))
        for (name, bytes) in content { try Data(bytes).write(to: root.appendingPathComponent("files/\(name)")) }
        return key
    }
}
