import Support

/// Resets and their consequences. Facts: nRF5 SDK 17, `nrf_bootloader.c`, `nrf_bootloader_fw_activation.c`.
extension SecureBootloader {
    /// Resets the unit. A power cut has no such choice: the owner makes a new value from ``storage``.
    mutating func reset() {
        boot(staysInBootloader: false)
        emit(hasLeft ? .startedApplication : .restarted)
    }

    /// - Parameter staysInBootloader: requested by the cause of the reset.
    mutating func boot(staysInBootloader: Bool) {
        forgetOutput()
        flash = BootloaderFlash()
        memory = Memory()
        resetsAt = nil
        processorFreeAt = now
        settings = storage.settings
        storeSettings()
        if settings.bank1.content != .nothing {
            activate()
            if !power.hasFailed { settings.bank1 = .init() }
            storeSettings()
            if power.hasFailed { return }
            emit(.storageChanged)
            // The activation ends in a reset of its own, which requests nothing.
            return boot(staysInBootloader: false)
        }
        if power.hasFailed { return }
        guard staysInBootloader || !applicationBoots else {
            hasLeft = true
            return
        }
        inactivityDeadline = now + configuration.inactivityTimeout
        takeUpInitPacket()
    }

    /// At boot the flash is written immediately.
    private mutating func storeSettings() {
        for page in [\BootloaderStorage.settingsPage, \.backupPage] where storage[keyPath: page] != settings {
            guard power.takes(1) == 1 else { return }
            storage[keyPath: page] = nil
            if power.takes(configuration.settingsWords) == configuration.settingsWords { storage[keyPath: page] = settings }
        }
    }

    /// An application replaces the old one; its CRC shows whether it arrived. Another bootloader would be copied over this one;
    /// the model remembers its version and stays as it is.
    private mutating func activate() {
        guard settings.bank1.content == .application else { return }
        let source = offset(of: settings.progress.imageCRC)
        let image = storage.image(at: source, count: Int(settings.bank1.size))
        if source > 0 {
            for start in stride(from: 0, to: image.count, by: configuration.pageSize) {
                guard power.takes(1) == 1 else { return }
                storage.erase(at: start, count: configuration.pageSize)
                let page = image[start..<min(start + configuration.pageSize, image.count)], words = (page.count + 3) / 4
                let taken = power.takes(words)
                storage.write(page.prefix(taken * 4), at: start)
                guard taken == words else { return }
            }
            settings.writeOffset = settings.bank1.size
        }
        let crc = CRC32.of(storage.image(at: 0, count: image.count))
        if crc == settings.bank1.crc {
            settings.bank0 = .init(content: .application, size: settings.bank1.size, crc: crc)
        }
    }

    private var applicationBoots: Bool {
        guard settings.bank0.content == .application else { return false }
        return isValid(settings.applicationValidation, storage.image(at: 0, count: Int(settings.bank0.size)))
    }

    private mutating func takeUpInitPacket() {
        guard settings.progress.commandSize > 0, let packet = storedInitPacket() else { return }
        memory.packet = packet
        memory.isAccepted = true
        _ = executeCommand()
    }

    func storedInitPacket() -> BootloaderInitPacket? {
        try? BootloaderInitPacket(Array(settings.initCommand.prefix(Int(settings.progress.commandSize))))
    }

    /// From the application's first byte on; negative for an address before it.
    func offset(of address: UInt32) -> Int { Int(address) - Int(configuration.applicationStart) }

    func pages(_ byteCount: Int) -> Int { (byteCount + configuration.pageSize - 1) / configuration.pageSize }

    /// Where an image goes that does not replace the application yet.
    var bank1Start: UInt32 {
        configuration.applicationStart + UInt32(pages(Int(settings.bank0.size)) * configuration.pageSize)
    }
}
