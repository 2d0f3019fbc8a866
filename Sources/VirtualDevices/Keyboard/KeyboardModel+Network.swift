import Support

extension KeyboardModel {
    private static let crashTime = Duration.milliseconds(200)

    /// What starts is the bootloader's choice; the program's first act is to call itself valid (`main.c`, `ota_handler.c`).
    /// - Returns: whether the program goes on.
    mutating func startProgram(at now: Duration) throws -> Bool {
        var (slots, version) = try folder.startKeyboard()
        self.version = version
        guard !settings.network.dies.contains(version) else {
            timers.add(.crash, at: now + Self.crashTime)
            return false
        }
        slots.confirm()
        try folder.save(slots)
        return !settings.network.hangs.contains(version)
    }

    mutating func stopNetwork() {
        network.end()
        endWebTyping(false)
    }

    mutating func endWebTyping(_ isWhole: Bool) {
        webReply?.deliver(isWhole)
        webReply = nil
    }

    mutating func networkChanged(on unit: inout UnitPlatform) throws {
        for request in network.takeRequests() {
            switch request {
            case .type(let text, let reply): try type(text, reply, on: &unit)
            case .restart(let delay): timers.add(.restart, at: unit.now + delay)
            case .forgetWiFi:
                var storage = try folder.keyboardStorage()
                storage.knowsWiFi = false
                try folder.save(storage)
            }
        }
    }

    /// The server types one text after another.
    private mutating func type(_ text: [UInt8], _ reply: Inbox<Bool>, on unit: inout UnitPlatform) throws {
        guard usb.isMounted, webReply == nil else { return reply.deliver(false) }
        webReply = reply
        begin(KeyboardTypist(.text(text), stack: []), as: .web)
        try type(as: .web, on: &unit)
    }
}
