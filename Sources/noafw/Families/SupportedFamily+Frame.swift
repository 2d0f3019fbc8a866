import Assistant
import FrameFamily
import Provisioning

extension SupportedFamily {
    static let frame = SupportedFamily(
        family: .frame, chat: ChatSupport(makeRelay: { FrameRelay() }, makeStarter: { FrameProgram.restart(clock: $0) }))
}
