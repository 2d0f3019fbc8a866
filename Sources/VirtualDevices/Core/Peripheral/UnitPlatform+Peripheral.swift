import Bluetooth

extension UnitPlatform {
    /// The application's radio is on from here.
    package mutating func startRadio(as profile: PeripheralProfile) {
        mode = .application
        peripheral = profile
        publish()
    }

    var isAdvertising: Bool { peripheral != nil && link == nil }

    /// Shows the air what the unit offers now.
    func publish() {
        let shown = isAdvertising ? peripheral : nil
        air.publish(
            shown.map {
                Advertising(advertisement: $0.advertisement, largestMTU: $0.mtu(requested: .max), table: $0.table,
                    requestsSecurity: $0.requestsSecurity, unit: events)
            }, from: place)
    }

    func isSubscribed(_ characteristic: AttributeID) -> Bool { link?.subscriptions.contains(characteristic) == true }

    /// Places in the radio's queue of notifications.
    var freeNotificationPlaces: Int { (peripheral?.notificationQueue ?? 0) - (link?.queuedNotifications ?? 0) }

    /// Queues a notification; a link without the subscription takes none.
    /// - Parameter isData: it belongs to the app's own service, which faults count by itself.
    package mutating func notify(_ characteristic: AttributeID, _ value: [UInt8], isData: Bool = false) {
        guard isSubscribed(characteristic) else { return }
        link?.downlink.append(.notification(characteristic, value, isData: isData))
        scheduleConnectionEvent()
    }
}
