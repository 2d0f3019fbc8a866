import FrameFamily
import MonocleFamily
import Provisioning

extension FamilyList {
    /// The families that this tool works with; nothing else lists them.
    static let supported = FamilyList([.monocle, .frame])

    /// The family that is meant where none is named.
    static let standard = Family.monocle

    /// Those whose units can be flashed, verified and talked to.
    var asked: [Family] { all.filter { $0.console != nil } }
}
