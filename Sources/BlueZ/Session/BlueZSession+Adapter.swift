import Bluetooth
import Support

extension BlueZSession {
    /// Waits until bluetoothd has said what it knows, or cannot.
    /// - Throws: ``BlueZError/daemonSilent`` at the deadline.
    func awaitObjects(before deadline: SessionClock.Instant) async throws {
        do {
            try await wait(for: "bluetoothd's objects", before: deadline) { state -> Void? in
                if case .loading = state.phase { nil } else { () }
            }
        } catch LinkError.timedOut {
            throw BlueZError.daemonSilent
        }
    }

    /// Turns to an adapter: of the others' devices nothing is heard any more. What this one's were meanwhile has to be asked.
    func use(_ adapter: String, before deadline: SessionClock.Instant) async throws {
        let isChange = change { state in
            defer { state.adapterInUse = adapter }
            return state.adapterInUse.map { $0 != adapter } ?? false
        }
        if isChange { try await refresh(before: deadline) }
    }

    /// Waits until there is a powered adapter.
    /// - Parameters:
    ///   - wanted: `nil` for the first that is on.
    ///   - isRecovering: it worked before, so that a missing bluetoothd is probably restarting.
    /// - Throws: ``BlueZError``, which says what is missing.
    func usableAdapter(
        _ wanted: AdapterSelector?, before deadline: SessionClock.Instant, isRecovering: Bool
    ) async throws -> AdapterObject {
        if case .noDaemon = read(\.phase) { load() }
        do {
            return try await wait(for: "the adapter", before: deadline) { state in
                switch state.phase {
                case .loading: return nil
                case .gone(let error): throw error
                case .noDaemon(let error):
                    if isRecovering, error.mayPass { return nil }
                    throw error
                case .ready:
                    guard case .chosen(let adapter) = state.adapter(wanted), adapter.isPowered else { return nil }
                    return adapter
                }
            }
        } catch LinkError.timedOut {
            // A copy: what is missing is asked of the system's files, which must not hold up the bus thread.
            throw read { $0 }.whatIsMissing(wanted)
        }
    }
}

extension BlueZError {
    /// What a restart of bluetoothd looks like from here.
    fileprivate var mayPass: Bool {
        switch self {
        case .daemonNotRunning, .daemonStopped, .daemonSilent: true
        default: false
        }
    }
}

extension SessionState {
    func whatIsMissing(_ wanted: AdapterSelector?) -> BlueZError {
        switch phase {
        case .loading: return .daemonSilent
        case .noDaemon(let error), .gone(let error): return error
        case .ready: break
        }
        switch adapter(wanted) {
        case .none:
            if case .kernelName(let name) = wanted, mirror.ports.kernelNames.contains(name) { return .adapterNotShown(name) }
            return .noAdapter(wanted?.description)
        case .shared(let adapters): return .shared(adapters)
        case .chosen(let adapter):
            switch RadioSwitch.state(of: adapter.kernelName) {
            case .hardBlocked: return .adapterHardBlocked(adapter.kernelName)
            case .softBlocked: return .adapterSoftBlocked(adapter.kernelName)
            case .open: return adapter.isPowered ? .notReady : .adapterOff(adapter.kernelName)
            }
        }
    }
}
