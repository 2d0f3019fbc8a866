import Provisioning
import Support

/// Events of a made-up job, at its beginning.
extension RunEvent {
    private static func make(_ content: Content) -> RunEvent { RunEvent(unit: nil, time: .init(offset: .zero), content: content) }

    static func stage(_ stage: Stage) -> RunEvent { make(.stage(stage)) }
    static func probed(_ unit: UnitIdentity) -> RunEvent { make(.probed(unit)) }
    static func step(_ step: StepReport) -> RunEvent { make(.step(step)) }

    static func progress(stage: Stage, overall: Double, bytesDone: Int, bytesTotal: Int) -> RunEvent {
        make(.progress(stage: stage, overall: overall, bytesDone: bytesDone, bytesTotal: bytesTotal))
    }
}
