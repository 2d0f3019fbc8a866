import Bluetooth
import Provisioning

extension Examples {
    static let fleet = CataloguedErrors([
        FleetError.notReached(.name("NAME"), listened: .seconds(15)), .sameUnit(address), .hung(after: .seconds(3600)),
        .notStarted(.repeated(code: "CODE", count: 2)), .drained, .interrupted, .noAdapterLeft, .noneCame,
    ])

    static let rollout = CataloguedErrors([
        RolloutStop.repeated(code: "CODE", count: 2), .share(failed: 3, of: 20), .canary(failed: 2, code: "CODE"),
    ])
}
