import FrameFamily
import MonocleFamily
import Provisioning

enum TestFamilies {
    static let all = FamilyList([.monocle, .frame])
}
