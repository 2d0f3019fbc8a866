/// The control point: one request, one answer. Facts: nRF5 SDK 17, `nrf_dfu_req_handler.c` and `nrf_dfu_ble.c`.
extension SecureBootloader {
    private enum Operation: UInt8 {
        case create = 0x01, setReceipts, checksum, execute, select = 0x06
        /// Internal code of a packet; from the control point it is an empty packet.
        case write = 0x08
        case abort = 0x0C
    }

    private static let response: UInt8 = 0x60
    static let commandObject: UInt8 = 1
    static let dataObject: UInt8 = 2

    /// Bytes missing from a short request read as zero.
    mutating func handleRequest(_ bytes: [UInt8]) {
        let opcode = bytes.first ?? 0
        switch Operation(rawValue: opcode) {
        case .create:
            memory.packetsUntilReceipt = memory.receiptInterval
            selectType(bytes)
            answer(opcode, create(size: UInt32(littleEndian: bytes.dropFirst(2))))
        case .setReceipts:
            memory.receiptInterval = UInt16(littleEndian: bytes.dropFirst())
            memory.packetsUntilReceipt = memory.receiptInterval
            answer(opcode, .success)
        case .checksum: answer(opcode, known ? .success : .invalidObject, checksum)
        case .execute: execute(opcode)
        case .select:
            selectType(bytes)
            let limit = memory.objectType == Self.commandObject ? BootloaderSettings.initCommandLimit : configuration.pageSize
            answer(opcode, known ? .success : .invalidObject, UInt32(limit).littleEndianBytes + checksum)
        case .write: countPacket(append([], frees: false))
        case .abort: endLinkAndReset()
        case nil: answer(opcode, .notSupported)
        }
    }

    /// A packet for the open object. Only a due receipt answers it, even if it fails.
    mutating func handlePacket(_ bytes: [UInt8]) {
        guard memory.buffersInUse < configuration.packetBuffers else { return }
        memory.buffersInUse += 1
        countPacket(append(bytes, frees: true))
    }

    private mutating func countPacket(_ outcome: (BootloaderResult, payload: [UInt8])) {
        memory.packetsUntilReceipt &-= 1
        guard memory.receiptInterval > 0, memory.packetsUntilReceipt == 0 else { return }
        memory.packetsUntilReceipt = memory.receiptInterval
        answer(Operation.checksum.rawValue, outcome.0, outcome.payload)
    }

    private mutating func selectType(_ bytes: [UInt8]) { memory.objectType = UInt8(littleEndian: bytes.dropFirst()) }

    private var known: Bool { [Self.commandObject, Self.dataObject].contains(memory.objectType) }

    /// Offset and CRC received so far for the current object type.
    private var checksum: [UInt8] {
        let progress = settings.progress
        return memory.objectType == Self.commandObject
            ? Self.checksum(progress.commandOffset, progress.commandCRC) : Self.checksum(progress.imageOffset, progress.imageCRC)
    }

    private mutating func execute(_ opcode: UInt8) {
        switch memory.objectType {
        case Self.commandObject:
            var result = executeCommand()
            if result == .success, !writeSettings(then: .none) { result = .operationFailed }
            answer(opcode, result)
        case Self.dataObject:
            guard closeObject() else { return answer(opcode, .notPermitted) }
            if flash.isBusy { memory.pendingExecutes += 1 } else { executeData() }
            restartInactivity()
        default: answer(opcode, .invalidObject)
        }
    }

    /// Completes an EXECUTE of data once the flash is idle.
    mutating func executeData() {
        guard settings.progress.imageOffset == memory.imageSize else { return answer(Operation.execute.rawValue, .success) }
        processorFreeAt = max(now, processorFreeAt) + configuration.imageCheckTime
        answer(Operation.execute.rawValue, finishImage())
        // Right or wrong, the settings are written and the unit resets.
        _ = writeSettings(then: .finishUpdate)
    }

    mutating func restartInactivity() { inactivityDeadline = now + configuration.inactivityTimeout }

    private mutating func answer(_ opcode: UInt8, _ result: BootloaderResult, _ payload: [UInt8] = []) {
        notify([Self.response, opcode] + result.bytes + (result == .success ? payload : []))
    }

    static func checksum(_ offset: UInt32, _ crc: UInt32) -> [UInt8] { offset.littleEndianBytes + crc.littleEndianBytes }
}
