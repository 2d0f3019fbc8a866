import Cryptography
import Support

/// The two objects: init packet and image. Facts: nRF5 SDK 17, `nrf_dfu_req_handler.c`, `nrf_dfu_validation.c`.
extension SecureBootloader {
    mutating func create(size: UInt32) -> BootloaderResult {
        switch memory.objectType {
        case Self.commandObject:
            restartInactivity()
            return createCommand(size: size)
        case Self.dataObject: return createData(size: size)
        default: return .invalidObject
        }
    }

    private mutating func createCommand(size: UInt32) -> BootloaderResult {
        guard size > 0 else { return .invalidParameter }
        guard size <= BootloaderSettings.initCommandLimit else { return .insufficientResources }
        memory.isAccepted = false
        settings.resetProgress()
        settings.progress.commandSize = size
        return .success
    }

    private mutating func createData(size: UInt32) -> BootloaderResult {
        guard memory.isAccepted else { return .notPermitted }
        guard size > 0 else { return .invalidParameter }
        let end = settings.progress.executedOffset &+ size
        guard size.isMultiple(of: UInt32(configuration.pageSize)) || end == memory.imageSize else { return .invalidParameter }
        guard size <= configuration.pageSize else { return .insufficientResources }
        guard end <= memory.imageSize else { return .notPermitted }
        settings.progress.objectSize = size
        settings.progress.imageCRC = settings.progress.executedCRC
        settings.progress.imageOffset = settings.progress.executedOffset
        settings.writeOffset = settings.progress.executedOffset
        let page = offset(of: memory.imageStart &+ settings.progress.imageOffset)
        return enqueue(.erase(.image(page))) ? .success : .invalidObject
    }

    /// - Parameter frees: the packet has a buffer to release.
    mutating func append(_ bytes: [UInt8], frees: Bool) -> (BootloaderResult, payload: [UInt8]) {
        switch memory.objectType {
        case Self.commandObject:
            if frees { memory.buffersInUse -= 1 }
            return appendCommand(bytes)
        case Self.dataObject: return appendData(bytes, frees: frees)
        // The SDK never frees the buffer of a packet that it refuses, here and in `appendData`.
        default: return (.invalidObject, [])
        }
    }

    private mutating func appendCommand(_ bytes: [UInt8]) -> (BootloaderResult, payload: [UInt8]) {
        var progress = settings.progress
        let start = Int(progress.commandOffset)
        var result = BootloaderResult.success
        if start + bytes.count > progress.commandSize {
            result = .invalidParameter
        } else {
            settings.initCommand.replaceSubrange(start..<start + bytes.count, with: bytes)
            progress.commandOffset += UInt32(bytes.count)
            progress.commandCRC = CRC32.of(bytes, continuing: progress.commandCRC)
            settings.progress = progress
        }
        return (result, Self.checksum(progress.commandOffset, progress.commandCRC))
    }

    private mutating func appendData(_ bytes: [UInt8], frees: Bool) -> (BootloaderResult, payload: [UInt8]) {
        guard memory.isAccepted else { return (.notPermitted, []) }
        let received = settings.progress.imageOffset &- settings.progress.executedOffset
        guard received &+ UInt32(bytes.count) <= settings.progress.objectSize else { return (.invalidParameter, []) }
        let target = offset(of: memory.imageStart &+ settings.writeOffset)
        if bytes.isEmpty {
            if frees { memory.buffersInUse -= 1 }
        } else if !enqueue(.write(offset: target, bytes: bytes)) {
            // Dropped: the buffer is free again, and a due receipt contains zeros.
            memory.buffersInUse -= 1
            return (.success, Self.checksum(0, 0))
        }
        settings.writeOffset += UInt32(bytes.count)
        settings.progress.imageOffset += UInt32(bytes.count)
        settings.progress.imageCRC = CRC32.of(bytes, continuing: settings.progress.imageCRC)
        return (.success, Self.checksum(settings.progress.imageOffset, settings.progress.imageCRC))
    }

    /// - Returns: `false` when the object is not full.
    mutating func closeObject() -> Bool {
        let progress = settings.progress
        guard progress.imageOffset &- progress.executedOffset == progress.objectSize else { return false }
        settings.progress.objectSize = 0
        settings.progress.executedCRC = progress.imageCRC
        settings.progress.executedOffset = progress.imageOffset
        return true
    }

    // MARK: - The init packet

    /// An accepted packet is not checked again; it only states again where the image goes.
    mutating func executeCommand() -> BootloaderResult {
        guard settings.progress.commandOffset == settings.progress.commandSize else { return .notPermitted }
        if memory.isAccepted {
            memory.imageStart = bank1Start
            guard let size = memory.packet?.command.imageSize else { return .initCommandInvalid }
            memory.imageSize = size
            return .success
        }
        guard let packet = storedInitPacket() else { return .invalidObject }
        memory.packet = packet
        processorFreeAt = max(now, processorFreeAt) + configuration.signatureCheckTime
        (memory.imageStart, memory.imageSize) = (0, 0)
        let result = admit(packet)
        if result == .success { memory.isAccepted = true } else { settings.resetProgress() }
        return result
    }

    private mutating func admit(_ packet: BootloaderInitPacket) -> BootloaderResult {
        if let refusal = refusal(of: packet) { return refusal }
        guard packet.command.bootloaderFits(configuration) else { return .insufficientResources }
        guard let size = packet.command.imageSize else { return .initCommandInvalid }
        memory.imageSize = size
        let room = configuration.applicationCapacity
        if size > room - Int(bank1Start - configuration.applicationStart) {
            guard size <= room else { return .insufficientResources }
            settings.bank0 = .init()
        }
        memory.imageStart = bank1Start
        return .success
    }

    // MARK: - The end

    /// Compares the flash, not the received bytes, with the init packet's digest, and records what the next reset must do.
    mutating func finishImage() -> BootloaderResult {
        let start = offset(of: memory.imageStart)
        let image = start < 0 ? [] : storage.image(at: start, count: Int(memory.imageSize))
        let result = judge(image)
        settings.resetProgress()
        settings.progress.imageCRC = memory.imageStart
        if result == .success {
            settings.bank1.crc = CRC32.of(image)
            settings.bank1.size = memory.imageSize
        } else {
            settings.bank1 = .init()
        }
        return result
    }

    private mutating func judge(_ image: [UInt8]) -> BootloaderResult {
        guard let command = memory.packet?.command, let hash = command.hash,
            SHA256.of(image) == (hash.bytes + [UInt8](repeating: 0, count: 32 - hash.bytes.count)).reversed()
        else { return .verificationFailed }
        guard let validation = validation(command, of: image) else { return .invalidObject }
        switch command.kind {
        case .application:
            settings.applicationValidation = validation
            settings.bank1.content = .application
            settings.bank0.content = .nothing
            settings.applicationVersion = command.firmwareVersion ?? 0
            return .success
        case .bootloader:
            settings.bank1.content = .bootloader
            settings.bootloaderVersion = command.firmwareVersion ?? 0
            return .success
        // A SoftDevice has its own structure, which no image sent here has.
        case .softDevice, .softDeviceAndBootloader: return .invalidObject
        }
    }

    /// - Returns: `nil` if the image does not match the packet's boot validation.
    private func validation(_ command: BootloaderInitPacket.Command, of image: [UInt8]) -> BootloaderSettings.Validation? {
        let wanted = command.bootValidations.first
        let usual: BootloaderSettings.Validation.Kind = command.kind == .application ? .crc : .none
        guard let kind = wanted.map({ .init(rawValue: $0.type) }) ?? usual else { return nil }
        let validation = BootloaderSettings.Validation(kind: kind, bytes: kind == .ecdsa ? wanted?.bytes ?? [] : Self.digest(image, kind))
        return isValid(validation, image) ? validation : nil
    }

    func isValid(_ validation: BootloaderSettings.Validation, _ image: [UInt8]) -> Bool {
        switch validation.kind {
        case .none: true
        case .crc, .sha256: validation.bytes == Self.digest(image, validation.kind)
        case .ecdsa: configuration.trusts(validation.bytes, of: image)
        }
    }

    private static func digest(_ image: [UInt8], _ kind: BootloaderSettings.Validation.Kind) -> [UInt8] {
        switch kind {
        case .none, .ecdsa: []
        case .crc: CRC32.of(image).littleEndianBytes
        case .sha256: SHA256.of(image)
        }
    }
}
