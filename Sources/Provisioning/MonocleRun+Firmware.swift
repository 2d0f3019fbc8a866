import Bluetooth
import DFU
import Support

extension MonocleRun {
    /// Whole images that are sent to a bootloader which goes on advertising.
    static let transferLimit = 2

    func updateFirmware(_ visit: inout MonocleVisit, _ record: inout RunRecord) async throws {
        let session = try await visit.session()
        let identity = try await probe(session, &record)
        guard options.parts.contains(.firmware), let firmware = assets.firmware else { return }
        if record.transferCount > 0 { return try conclude(firmware, identity.firmware, &record) }
        if identity.firmware == firmware.version && !record.isForced(.firmware, options) {
            return record.current(.firmware, version: firmware.version, bytes: firmware.image.bytes.count)
        }
        try preflight(identity, &record)
        if options.dryRun { return record.planned(.firmware, from: identity.firmware, to: firmware.version) }
        record.start(.firmware, from: identity.firmware)
        record.begin(.bootloader)
        try await session.jumpToBootloader()
        await visit.end()
        guard try await radio.find([.bootloader]) != nil else { throw ProvisioningError.staysInApplication }
        try await transfer(firmware, &record)
        try conclude(firmware, try await visit.session().firmwareVersion(), &record)
    }

    /// What the unit says after the transfer is what it has; a bootloader that took everything proves nothing.
    private func conclude(_ firmware: MonocleAssets.Firmware, _ version: String?, _ record: inout RunRecord) throws {
        guard version == firmware.version else {
            throw ProvisioningError.wrongVersion(.firmware, expected: firmware.version, actual: version)
        }
        record.updated(.firmware, to: firmware.version, bytes: firmware.image.bytes.count)
    }

    func transfer(_ firmware: MonocleAssets.Firmware, _ record: inout RunRecord) async throws {
        guard record.transferCount < Self.transferLimit else {
            throw ProvisioningError.staysInBootloader(radio.address, transfers: record.transferCount)
        }
        record.begin(.firmware)
        let relay = record.relay(.firmware)
        let lostLinks = record.lostTransfers
        record.lostTransfers += 1
        let summary = try await radio.withConnection(.bootloader) { connection in
            let session = DFUSession(connection: connection, clock: radio.clock, lostLinks: lostLinks)
            let summary = try await session.transfer(firmware.image) { event in
                switch event {
                case .progress(let done, let total): relay.progress(done, of: total)
                case .notice(let notice): relay.notice("\(notice)")
                }
            }
            try? await connection.waitUntilGone(deadline: radio.clock.deadline(in: .seconds(10)))
            return summary
        }
        if summary.isConfirmed {
            record.lostTransfers = 0
            record.transferCount += 1
        }
        record.begin(.restart)
        guard try await radio.find([.application]) == nil else { return }
        if try await radio.find([.bootloader], within: .seconds(3)) != nil {
            // A link that is lost before the flash rests leaves the last EXECUTE undone.
            guard summary.isConfirmed else { throw summary.lostLink(byteCount: firmware.image.bytes.count) }
            throw ProvisioningError.staysInBootloader(radio.address, transfers: record.transferCount)
        }
        throw ProvisioningError.doesNotReturn
    }

    func probe(_ session: UnitSession, _ record: inout RunRecord) async throws -> UnitIdentity {
        record.begin(.probe)
        let identity = try await session.identity(address: radio.address)
        record.probed(identity)
        return identity
    }
}
