/// Chooses an adapter. Never one of several that share an address: bluetoothd keeps keys and attribute tables by address and would mix
/// them up.
struct AdapterChoice {
    /// Sorted by path.
    let adapters: [AdapterObject]

    init(_ adapters: some Sequence<AdapterObject>) { self.adapters = adapters.sorted { $0.path < $1.path } }

    init(_ mirror: ObjectMirror) { self.init(mirror.adapters.values) }

    enum Outcome: Hashable {
        case chosen(AdapterObject)
        case none
        /// They share the wanted one's address.
        case shared([AdapterObject])
    }

    /// - Parameter wanted: `nil` for the first adapter that is on, or else the first one.
    func find(_ wanted: AdapterSelector?) -> Outcome {
        let meant = wanted.map { wanted in adapters.filter { $0.matches(wanted) } } ?? adapters
        let alone = meant.filter { twins(of: $0).isEmpty }
        if let chosen = alone.first(where: \.isPowered) ?? alone.first { return .chosen(chosen) }
        return meant.first.map { .shared([$0] + twins(of: $0)) } ?? .none
    }

    var usable: [AdapterObject] { adapters.filter { $0.isPowered && twins(of: $0).isEmpty } }

    func twins(of adapter: AdapterObject) -> [AdapterObject] {
        adapters.filter { $0.address == adapter.address && $0.path != adapter.path }
    }
}

extension AdapterObject {
    fileprivate func matches(_ selector: AdapterSelector) -> Bool {
        switch selector {
        case .kernelName(let name): kernelName == name
        case .address(let wanted): address == wanted
        case .usbPort(let wanted): usbPort == wanted
        }
    }
}

extension BlueZError {
    static func shared(_ adapters: [AdapterObject]) -> BlueZError {
        .adaptersShareAddress(adapters.map(\.kernelName).sorted().joined(separator: ", "))
    }
}
