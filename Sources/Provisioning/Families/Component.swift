/// What a unit holds that is brought up to date, in the order in which it is.
public enum Component: String, Sendable, CaseIterable, Codable, Comparable {
    case firmware, fpga, scripts

    public static func < (left: Component, right: Component) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}
