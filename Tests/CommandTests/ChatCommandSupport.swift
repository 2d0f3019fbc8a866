import Assistant
import REPL
import Synchronization

@testable import noafw

/// Pieces that come one by one, then the end.
final class CannedInput: TypedInput {
    private let pieces: Mutex<[String]>
    private let sink: TextSource.Sink

    init(_ pieces: [String], _ sink: @escaping TextSource.Sink) {
        self.pieces = Mutex(pieces)
        self.sink = sink
    }

    func more() {
        let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        sink(piece.map { Array($0.utf8) })
    }

    func close() {}
}

/// What a chat tells of a console.
enum ConsoleSample {
    static func events(_ text: String) -> [ChatEvent] {
        var reader = ConsoleReader()
        return reader.receive(Array(text.utf8)).map {
            switch $0 {
            case .line(let line): .console(line)
            case .raised(let exception): .raised(ProgramFault(exception))
            case .ended: .programEnded
            }
        }
    }
}
