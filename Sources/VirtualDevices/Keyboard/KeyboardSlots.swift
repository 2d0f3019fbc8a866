import Cryptography
import Foundation
import Support

/// The two places for a program, and which of them starts (ESP-IDF, `app_update`, with rollback).
struct KeyboardSlots: Codable, Sendable {
    enum State: String, Codable, Sendable {
        /// Written, and not started yet.
        case new
        /// Started, and nobody has called it valid: the next start goes back.
        case pending
        case valid
    }

    /// What the factory wrote by cable.
    static let factoryVersion = "2.10.0"

    private(set) var running = 0
    private(set) var state = State.valid

    /// What the bootloader does.
    mutating func start() {
        switch state {
        case .new: state = .pending
        case .pending: (running, state) = (1 - running, .valid)
        case .valid: break
        }
    }

    /// The program's first act (`ota_handler.c`).
    mutating func confirm() { state = .valid }

    mutating func startNext() { (running, state) = (1 - running, .new) }
}

extension UnitFolder {
    private var otadata: URL { root.appendingPathComponent("otadata.json") }
    private func slot(_ number: Int) -> URL { root.appendingPathComponent("ota_\(number).bin") }

    func keyboardSlots() throws -> KeyboardSlots {
        guard FileManager.default.fileExists(atPath: otadata.path) else { return KeyboardSlots() }
        let slots: KeyboardSlots = try Self.decode(otadata, limit: 4 << 10)
        guard (0...1).contains(slots.running) else { throw Self.damaged(otadata) }
        return slots
    }

    func save(_ slots: KeyboardSlots) throws { try Self.replace(otadata, with: try JSONEncoder().encode(slots)) }

    /// - Returns: the version of the program that starts.
    func startKeyboard() throws -> (slots: KeyboardSlots, version: String) {
        var slots = try keyboardSlots()
        slots.start()
        try save(slots)
        let file = slot(slots.running)
        // The factory's own is not kept: nobody asks for its bytes.
        guard FileManager.default.fileExists(atPath: file.path) else { return (slots, KeyboardSlots.factoryVersion) }
        return (slots, try Self.reading(file, limit: KeyboardImage.slotByteCount) { KeyboardImage.version(of: $0) })
    }

    /// Writes the slot that does not run, and has the next start take it.
    /// - Returns: `false` for an image that would not start.
    func takeKeyboard(_ image: [UInt8]) throws -> Bool {
        guard KeyboardImage.mayBeStarted(image, digest: { SHA256.of($0) }) else { return false }
        var slots = try keyboardSlots()
        try Self.replace(slot(1 - slots.running), with: image)
        slots.startNext()
        try save(slots)
        return true
    }
}
