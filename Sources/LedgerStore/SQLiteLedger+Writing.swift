import GRDB
import Ledger
import Support

extension SQLiteLedger {
    private enum Entry {
        case kept(Recorded)
        case refused(LedgerError)
        /// It breaks the file's rules by noafw's fault: the spool keeps it, so that it blocks no other.
        case misfit(reason: String)
    }

    func write(_ requests: [WriteQueue.Request], _ state: inout State) -> [WriteQueue.Answer] {
        if requests.contains(where: \.begins) { state.spooling = nil }
        var entries: [Entry]?
        var refusal: LedgerError?
        if state.spooling == nil {
            do {
                entries = try inFile(requests, &state)
            } catch let error as LedgerError {
                (refusal, state.spooling) = (error, error.diagnosis.message)
            } catch {
                state.spooling = StorageFault(error).reason
            }
        }
        let broken = brokenNotices()
        return requests.indices.map { index in
            // A run under way keeps its record; none begins in a foreign file.
            if let refusal, requests[index].begins { return .failure(refusal) }
            let answer: WriteQueue.Answer =
                switch entries?[index] {
                case .kept(let recorded): .success(recorded)
                case .refused(let conflict): .failure(conflict)
                case .misfit(let reason): inSpool(requests[index].record, reason: reason, &state)
                case nil: inSpool(requests[index].record, reason: state.spooling ?? "", &state)
                }
            return answer.map { Recorded($0.record, notices: $0.notices + broken) }
        }
    }

    public func withdraw(_ run: RunID) async -> Bool {
        await OwnThread.run {
            let isGone = try? self.writing { database in
                try database.pool.write { db in
                    try db.execute(sql: "DELETE FROM runs WHERE id = ? AND outcome IS NULL", arguments: ["\(run)"])
                    return db.changesCount > 0
                }
            }
            return isGone == true
        }
    }

    /// Moves a damaged file aside once; if the new one is damaged, too, the disk is at fault.
    private func inFile(_ requests: [WriteQueue.Request], _ state: inout State) throws -> [Entry] {
        if state.database == nil || files.identity() == nil { try prepareFolder() }
        return try writerLock.hold {
            do {
                return try commit(requests, &state)
            } catch {
                guard case .broken = StorageFault(error) else { throw error }
                try? state.database?.pool.close()
                state.database = nil
                try files.moveAside(at: now())
                return try commit(requests, &state)
            }
        }
    }

    /// Needs the lock.
    private func commit(_ requests: [WriteQueue.Request], _ state: inout State) throws -> [Entry] {
        let database = try opened(&state)
        let mark = try marked(&state)
        var notices = takeSpool(database, mark)
        var entries = try database.pool.write { db in
            let transaction = RunTransaction(db: db, mark: mark)
            return try requests.map { try enter($0, transaction) }
        }
        // Any one run reports it.
        for index in entries.indices where !notices.isEmpty {
            guard case .kept(var recorded) = entries[index] else { continue }
            recorded.notices = notices + recorded.notices
            (entries[index], notices) = (.kept(recorded), [])
        }
        if requests.contains(where: { !$0.record.isOpen }) { try? database.checkpoint() }
        return entries
    }

    private func enter(_ request: WriteQueue.Request, _ transaction: RunTransaction) throws -> Entry {
        let record = request.record
        let (abandoned, odd) = request.begins ? try transaction.closeAbandoned(station: record.station, at: now()) : ([], [])
        let closed: [LedgerNotice] = abandoned.isEmpty ? [] : [.closedAbandoned(abandoned.map { "\($0.id) (\($0.unitAddress))" })]
        let notices = closed + [LedgerNotice(odd: odd)].compactMap(\.self)
        if request.begins, !request.rebindsSerial, let serial = record.serial,
            let conflict = try transaction.db.conflict(serial, at: record.unitAddress)
        {
            return .refused(conflict)
        }
        return switch try transaction.tryPut(record, owner: transaction.mark.place) {
        case .success(let kept): .kept(Recorded(kept, notices: notices))
        case .failure(let misfit): .misfit(reason: misfit.reason)
        }
    }

    private func inSpool(_ record: RunRecord, reason: String, _ state: inout State) -> WriteQueue.Answer {
        do {
            try prepareFolder()
            try spool.append(record, owner: try marked(&state).place)
            return .success(Recorded(record, notices: [.spooling(path: files.spool, reason: reason)]))
        } catch let error as LedgerError {
            return .failure(error)
        } catch {
            return .failure(.notRecorded(ledger: reason, spool: StorageFault(error).reason))
        }
    }

    /// Each record separately: a misfit blocks no other.
    private func takeSpool(_ database: LedgerDatabase, _ mark: ProcessMark) -> [LedgerNotice] {
        var taken = 0
        do {
            let rejected = try spool.take { lines in
                let misfits = try database.pool.write { db in
                    let transaction = RunTransaction(db: db, mark: mark)
                    return try lines.filter { line in
                        if case .failure = try transaction.tryPut(line.record, owner: line.owner) { true } else { false }
                    }
                }
                taken = Set(lines.map(\.record.id)).subtracting(misfits.map(\.record.id)).count
                return misfits
            }
            let notices: [LedgerNotice] = rejected > 0 ? [.spoolLinesRejected(lines: rejected, path: files.rejected)] : []
            return (taken > 0 ? [.spoolTakenIn(records: taken)] : []) + notices
        } catch {
            return [.spoolUnreadable(path: files.spool, reason: StorageFault(error).reason)]
        }
    }

    private func brokenNotices() -> [LedgerNotice] { files.brokenFolders().map { .brokenMovedAside(path: $0) } }
}
