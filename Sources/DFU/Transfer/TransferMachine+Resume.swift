/// What to do with what the unit already holds.
extension TransferMachine {
    mutating func resumeInitPacket(limit: UInt32, _ checksum: Checksum) -> [TransferAction] {
        guard command.count <= Int(limit) else { return fail(.transfer(.objectLimitTooSmall(.command, limit: limit))) }
        let offset = Int(checksum.offset)
        guard offset > 0, command.matches(checksum) else { return createInitPacket() }
        // A kept init packet is executed again: after a power cut it is still in flash, but only EXECUTE tells the bootloader where the
        // image goes and how long it is; within a power cycle it does no harm.
        if offset == command.count { return execute(.initPacket(isKept: true)) }
        guard offset % 4 == 0 else { return createInitPacket() }
        return send(OpenObject(.command, 0..<command.count, proved: offset))
    }

    mutating func resumeImage(limit: UInt32, _ checksum: Checksum) -> [TransferAction] {
        guard limit >= Self.pageSize else { return fail(.transfer(.objectLimitTooSmall(.data, limit: limit))) }
        objectSize = min(Int(limit), 16 * Self.pageSize) / Self.pageSize * Self.pageSize
        let offset = Int(checksum.offset)
        provedImageBytes = 0
        savedImageBytes = min(savedImageBytes, offset)
        // A write now could spoil a finished update; a unit that went on from the start would have lost the link.
        if offset == 0, hasSentLastExecute {
            state = .vanishing
            return [.wait(.disconnection, .seconds(10))]
        }
        if offset == 0 { return begin(object(from: 0)) }
        guard offset <= image.count else { return startOver() }
        let isAligned = offset % 4 == 0 || offset == image.count
        guard isAligned, image.matches(checksum) else {
            return createOverKept(object(from: (offset - 1) / objectSize * objectSize))
        }
        provedImageBytes = offset
        if !hasSettled { savedImageBytes = offset }
        let known: [TransferAction] = [.notice(.resumed(offset)), .progress(offset)]
        // At an object's end the unit does not say whether it was executed. Executing twice does no harm.
        if offset % objectSize == 0 || offset == image.count {
            return known + execute(.object(end: offset, isFound: true))
        }
        let open = object(from: offset / objectSize * objectSize)
        var rest = OpenObject(.data, open.range, proved: offset)
        rest.drainsFrom = now + pacing.settingsTime
        guard !hasSettled else { return known + send(rest) }
        hasSettled = true
        return known + pause(pacing.settingsTime, then: .send(rest))
    }

    /// What the unit executed so far is checked after CREATE, which must not come while the settings are written: the first packets
    /// would find no room.
    mutating func createOverKept(_ object: OpenObject) -> [TransferAction] {
        guard !hasSettled else { return create(object, checksBase: true) }
        hasSettled = true
        return pause(pacing.settingsTime, then: .create(object, checksBase: true))
    }

    func object(from start: Int) -> OpenObject { OpenObject(.data, start..<min(start + objectSize, image.count)) }

    /// After CREATE the unit is at the end of what it executed: this must be ours, and where we expect it.
    mutating func checkBase(of object: OpenObject, _ checksum: Checksum) -> [TransferAction] {
        let offset = Int(checksum.offset)
        guard offset < image.count, offset % objectSize == 0, image.matches(checksum) else { return startOver() }
        var actual = self.object(from: offset)
        (actual.drainsFrom, actual.isCounted) = (object.drainsFrom, object.isCounted)
        guard actual.range.count == object.range.count else { return startOver() }
        provedImageBytes = offset
        return send(actual)
    }

    /// Creating a command object makes the bootloader forget all progress (nRF5 SDK, `nrf_dfu_validation.c`).
    mutating func startOver() -> [TransferAction] {
        guard !hasStartedOver else { return fail(.transfer(.foreignData)) }
        hasStartedOver = true
        setbacks = 0
        (provedImageBytes, savedImageBytes, reached) = (0, 0, 0)
        return [.notice(.startedOver), .progress(0)] + createInitPacket()
    }
}
