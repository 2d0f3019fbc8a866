import Provisioning
import Support

/// Events of a made-up job, at its beginning.
extension JobEvent {
    private static func make(_ content: Content) -> JobEvent { JobEvent(unit: nil, time: .init(offset: .zero), content: content) }

    static func stage(_ stage: Stage) -> JobEvent { make(.stage(stage)) }
    static func probed(_ unit: UnitIdentity) -> JobEvent { make(.probed(unit)) }
    static func step(_ step: StepReport) -> JobEvent { make(.step(step)) }

    static func progress(stage: Stage, overall: Double, bytesDone: Int, bytesTotal: Int) -> JobEvent {
        make(.progress(stage: stage, overall: overall, bytesDone: bytesDone, bytesTotal: bytesTotal))
    }
}
