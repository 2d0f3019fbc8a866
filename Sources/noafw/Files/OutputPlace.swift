import Bluetooth
import FoundationEssentials
import Glibc
import Support
import Synchronization

/// The state of the files when a signal ends a command.
enum FileState: Sendable, Hashable {
    case unchanged
    /// All files are complete.
    case complete
    case notWritten(path: String)
    case untouched(path: String)
    case written(path: String)

    var diagnosis: Diagnosis {
        let (state, remedy) = switch self {
        case .unchanged: ("nothing was changed", "run the same command again")
        case .complete: ("every file that is there is whole", "run the same command again")
        case .notWritten(let path): ("\(path) was not written", "run the same command again")
        case .untouched(let path): ("\(path) is as it was before", "run the same command again")
        case .written(let path): ("\(path) is written, but was not read back", "run the same command again to verify it")
        }
        return CommandError.interrupted(condition: state, nextAction: remedy).diagnosis
    }
}

/// Where a result goes. It exists from the moment of the move on, and never after the run was abandoned.
final class OutputPlace: Sendable {
    private enum Phase {
        case begun(temporary: String?)
        case written
        case abandoned
    }

    let path: NamedPath
    private let phase = Mutex(Phase.begun(temporary: nil))

    init(_ path: NamedPath) { self.path = path }

    func begin(_ temporary: String) { phase.withLock { if case .begun = $0 { $0 = .begun(temporary: temporary) } } }

    /// - Throws: ``CommandError/outputNotWritten(path:reason:)``.
    func move(_ temporary: String) throws(CommandError) {
        let reason: String? = phase.withLock { phase in
            guard case .begun = phase else { return "the run was given up" }
            guard rename(temporary, path.location) == 0 else { return String(cString: strerror(errno)) }
            phase = .written
            return nil
        }
        guard let reason else { return }
        unlink(temporary)
        throw .outputNotWritten(path: path.name, reason: reason)
    }

    /// Abandons the run, unless the result already exists.
    @Sendable func abandon() -> FileState {
        phase.withLock { phase in
            if case .written = phase { return .written(path: path.name) }
            if case .begun(let temporary?) = phase { unlink(temporary) }
            phase = .abandoned
            return access(path.location, F_OK) == 0 ? .untouched(path: path.name) : .notWritten(path: path.name)
        }
    }
}
