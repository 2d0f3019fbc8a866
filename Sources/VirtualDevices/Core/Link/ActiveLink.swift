import Bluetooth
import Support

/// The unit's end of a link.
struct ActiveLink {
    enum Downlink {
        /// - Parameter isData: it belongs to the app's own service, which faults count by itself.
        case notification(AttributeID, [UInt8], isData: Bool)
        case reply(Inbox<UInt8?>, UInt8?)
        case security(Inbox<SecurityAnswer>, SecurityAnswer)
    }

    let link: VirtualLink
    let pace: LinkPace
    /// Connection events happen at whole intervals after this.
    let anchor: Duration
    var nextEvent: Duration?
    var subscriptions: Set<AttributeID> = []
    var isEncrypted = false
    var downlink: [Downlink] = []

    var queuedNotifications: Int {
        downlink.count { if case .notification = $0 { true } else { false } }
    }
}
