/// The control point: one request, one answer. Facts: nRF5 SDK 17, `nrf_dfu_req_handler.c` and `nrf_dfu_ble.c`.
extension SecureBootloader {
    private enum Operation: UInt8 {
        case create = 0x01
        case setReceipts = 0x02
        case checksum = 0x03
        case execute = 0x04
        case select = 0x06
        case abort = 0x0C
    }

    private static let response: UInt8 = 0x60
    private static let commandObject: UInt8 = 1
    private static let dataObject: UInt8 = 2

    /// Bytes that a short request lacks read as zero.
    mutating func handleRequest(_ bytes: [UInt8]) {
        let opcode = bytes.first ?? 0
        switch Operation(rawValue: opcode) {
        case .create:
            session.packetsUntilReceipt = session.receiptInterval
            session.objectType = Self.field(bytes, at: 1, width: 1).byte
            answer(opcode, create(size: Int(Self.field(bytes, at: 2, width: 4))))
        case .setReceipts:
            session.receiptInterval = UInt16(truncatingIfNeeded: Self.field(bytes, at: 1, width: 2))
            session.packetsUntilReceipt = session.receiptInterval
            answer(opcode, .success)
        case .checksum: answerChecksum(opcode)
        case .execute: execute(opcode)
        case .select:
            session.objectType = Self.field(bytes, at: 1, width: 1).byte
            answerSelect(opcode)
        case .abort:
            answer(opcode, .success)
            advance(to: now)
            reset()
        case nil: answer(opcode, .notSupported)
        }
    }

    /// A packet for the open object. It is answered only where a receipt is due, and then errors come out there too.
    mutating func handlePacket(_ bytes: [UInt8]) {
        guard session.buffersInUse < configuration.packetBuffers else { return }
        session.buffersInUse += 1
        var result = BootloaderResult.invalidObject
        var payload: [UInt8] = []
        switch session.objectType {
        case Self.commandObject:
            result = appendCommand(bytes)
            session.buffersInUse -= 1
            payload = Self.checksum(offset: session.command.bytes.count, crc: session.command.crc)
        case Self.dataObject: (result, payload) = appendData(bytes)
        // The SDK never frees the buffer of a packet it refuses, here and in `appendData`.
        default: break
        }
        session.packetsUntilReceipt &-= 1
        guard session.receiptInterval > 0, session.packetsUntilReceipt == 0 else { return }
        session.packetsUntilReceipt = session.receiptInterval
        answer(Operation.checksum.rawValue, result, payload)
    }

    /// What an EXECUTE of data does once the flash is idle.
    mutating func completeExecute() {
        guard let accepted = session.accepted, session.data.offset == accepted.size else {
            return answer(Operation.execute.rawValue, .success)
        }
        processorFreeAt = max(now, processorFreeAt) + configuration.imageCheckTime
        let refusal = imageRefusal()
        answer(Operation.execute.rawValue, refusal ?? .success)
        if refusal == nil {
            session.hasActivated = true
            let version = accepted.packet.command.firmwareVersion ?? 0
            enqueue(.settings(.activated(size: accepted.size, version: version)))
        } else {
            enqueue(.settings(.rejected))
        }
        // Right or wrong, the SDK writes its settings and resets.
        enqueue(.settingsBackup(isLast: true))
        session.isFinishing = true
    }

    // MARK: - Objects

    private mutating func create(size: Int) -> BootloaderResult {
        switch session.objectType {
        case Self.commandObject:
            restartInactivity()
            return createCommand(size: size)
        case Self.dataObject:
            restartInactivity()
            return createData(size: size)
        default: return .invalidObject
        }
    }

    private mutating func createCommand(size: Int) -> BootloaderResult {
        guard size > 0 else { return .invalidParameter }
        guard size <= configuration.largestInitPacket else { return .insufficientResources }
        session.accepted = nil
        session.data = DataProgress()
        session.command = CommandProgress(size: size)
        return .success
    }

    private mutating func createData(size: Int) -> BootloaderResult {
        guard let accepted = session.accepted else { return .notPermitted }
        let end = session.data.executedOffset + size
        guard size > 0, size.isMultiple(of: configuration.pageSize) || end == accepted.size else {
            return .invalidParameter
        }
        guard size <= configuration.pageSize else { return .insufficientResources }
        guard end <= accepted.size else { return .notPermitted }
        session.data.objectSize = size
        session.data.offset = session.data.executedOffset
        session.data.crc = session.data.executedCRC
        guard flash.count < configuration.flashQueueDepth else { return .invalidObject }
        enqueue(.erase(offset: session.data.offset, count: configuration.pageSize))
        return .success
    }

    private mutating func appendCommand(_ bytes: [UInt8]) -> BootloaderResult {
        guard session.command.bytes.count + bytes.count <= session.command.size else { return .invalidParameter }
        session.command.bytes += bytes
        session.command.crc = BootloaderCryptography.crc32(bytes, continuing: session.command.crc)
        return .success
    }

    private mutating func appendData(_ bytes: [UInt8]) -> (BootloaderResult, [UInt8]) {
        guard session.accepted != nil else { return (.notPermitted, []) }
        let received = session.data.offset - session.data.executedOffset
        guard received + bytes.count <= session.data.objectSize else { return (.invalidParameter, []) }
        guard flash.count < configuration.flashQueueDepth else {
            // Dropped: the buffer is free again, and a receipt due now carries zeros.
            session.buffersInUse -= 1
            return (.success, Self.checksum(offset: 0, crc: 0))
        }
        enqueue(.write(offset: session.data.offset, bytes: bytes))
        session.data.offset += bytes.count
        session.data.crc = BootloaderCryptography.crc32(bytes, continuing: session.data.crc)
        return (.success, Self.checksum(offset: session.data.offset, crc: session.data.crc))
    }

    private mutating func execute(_ opcode: UInt8) {
        switch session.objectType {
        case Self.commandObject: answer(opcode, executeCommand())
        case Self.dataObject:
            let received = session.data.offset - session.data.executedOffset
            guard session.accepted != nil, received == session.data.objectSize else {
                return answer(opcode, .notPermitted)
            }
            session.data.objectSize = 0
            session.data.executedOffset = session.data.offset
            session.data.executedCRC = session.data.crc
            restartInactivity()
            session.pendingExecutes += 1
            if !flash.isBusy {
                session.pendingExecutes = 0
                completeExecute()
            }
        default: answer(opcode, .invalidObject)
        }
    }

    private mutating func executeCommand() -> BootloaderResult {
        guard session.command.bytes.count == session.command.size else { return .notPermitted }
        guard session.accepted == nil else { return .success }
        guard let packet = try? BootloaderInitPacket(session.command.bytes) else { return .invalidObject }
        processorFreeAt = max(now, processorFreeAt) + configuration.signatureCheckTime
        switch admission().judge(packet) {
        case .refused(let result):
            session.command = CommandProgress()
            session.data = DataProgress()
            return result
        case .accepted(let accepted):
            session.accepted = (packet, accepted.size)
            session.savedInitPacket = session.command.bytes
            enqueue(
                .settings(
                    .accepted(
                        initPacket: session.command.bytes, givesUpApplication: accepted.givesUpApplication)))
            enqueue(.settingsBackup(isLast: false))
            return .success
        }
    }

    /// Compares the flash, not what was sent, with the init packet's digest; then the boot validation it asks for.
    private func imageRefusal() -> BootloaderResult? {
        guard let accepted = session.accepted, let hash = accepted.packet.command.hash else {
            return .extended(.verificationFailed)
        }
        let image = Array(storage.incoming.prefix(accepted.size))
        guard image.count == accepted.size, BootloaderCryptography.sha256(image) == hash.bytes.reversed() else {
            return .extended(.verificationFailed)
        }
        guard let validation = accepted.packet.command.bootValidations.first else { return nil }
        switch validation.type {
        case 0, 1, 2: return nil
        case 3: return admission().trusts(validation.bytes, of: image) ? nil : .invalidObject
        default: return .invalidObject
        }
    }

    private mutating func restartInactivity() { inactivityDeadline = now + configuration.inactivityTimeout }

    // MARK: - Answers

    private mutating func answer(_ opcode: UInt8, _ result: BootloaderResult, _ payload: [UInt8] = []) {
        notify([Self.response, opcode] + result.bytes + (result == .success ? payload : []))
    }

    private mutating func answerSelect(_ opcode: UInt8) {
        switch session.objectType {
        case Self.commandObject:
            let state = Self.checksum(offset: session.command.bytes.count, crc: session.command.crc)
            answer(opcode, .success, UInt32(configuration.largestInitPacket).littleEndianBytes + state)
        case Self.dataObject:
            let state = Self.checksum(offset: session.data.offset, crc: session.data.crc)
            answer(opcode, .success, UInt32(configuration.pageSize).littleEndianBytes + state)
        default: answer(opcode, .invalidObject)
        }
    }

    private mutating func answerChecksum(_ opcode: UInt8) {
        switch session.objectType {
        case Self.commandObject:
            answer(opcode, .success, Self.checksum(offset: session.command.bytes.count, crc: session.command.crc))
        case Self.dataObject:
            answer(opcode, .success, Self.checksum(offset: session.data.offset, crc: session.data.crc))
        default: answer(opcode, .invalidObject)
        }
    }

    private static func checksum(offset: Int, crc: UInt32) -> [UInt8] {
        UInt32(truncatingIfNeeded: offset).littleEndianBytes + crc.littleEndianBytes
    }

    private static func field(_ bytes: [UInt8], at start: Int, width: Int) -> UInt32 {
        (0..<width).reduce(0) { value, index in
            start + index < bytes.count ? value | UInt32(bytes[start + index]) << (8 * UInt32(index)) : value
        }
    }
}

extension UInt32 {
    fileprivate var littleEndianBytes: [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * UInt32($0))) }
    }

    fileprivate var byte: UInt8 { UInt8(truncatingIfNeeded: self) }
}
