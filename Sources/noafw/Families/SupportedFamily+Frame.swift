import FrameFamily
import Provisioning

extension SupportedFamily {
    static let frame = SupportedFamily(family: .frame)
}
