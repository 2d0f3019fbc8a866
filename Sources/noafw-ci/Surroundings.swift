import FrameFamily
import MonocleFamily
import Provisioning

/// A release job has no station.
protocol Services: Sendable {}

struct LiveServices: Services {}

/// The families that a release is made for.
struct SupportedFamily: Sendable {
    let family: Family
    let bench: [String] = []

    var id: FamilyID { family.id }

    static let all = [SupportedFamily(family: .monocle), SupportedFamily(family: .frame)]
}

extension FamilyList {
    static let supported = FamilyList(SupportedFamily.all.map(\.family))
}

/// What no result may replace.
enum OwnFiles {
    static func all(in context: CommandContext) -> [String] {
        (try? TrustInputs(given: [], search: context.assetSearch(nil)).folder()).flatMap { $0.map { [$0.location] } } ?? []
    }

    static func catalogue(in root: String) -> [String] { [root] }
}
