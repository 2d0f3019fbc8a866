import Support

/// The task of a unit's Bluetooth host. While it does something else the controller keeps the link and takes what comes, but nothing is
/// answered and nobody else can connect.
struct HostTask {
    /// ESP-IDF: 24 buffers of 255 bytes from the controller to the host. What comes when they are full is lost without a word.
    private static let bufferCount = 24
    private static let bufferSize = 255
    /// Of L2CAP and of a write, in bytes.
    private static let headerSize = 7

    private(set) var isBusy = false
    private var held: [(packet: HostPacket, link: VirtualLink)] = []
    private var usedBuffers = 0

    mutating func setBusy(_ isBusy: Bool) { self.isBusy = isBusy }

    mutating func hold(_ packet: HostPacket, over link: VirtualLink) {
        let buffers = Self.buffers(of: packet)
        guard usedBuffers + buffers <= Self.bufferCount else { return }
        usedBuffers += buffers
        held.append((packet, link))
    }

    /// The next one that came meanwhile; none while the task is busy.
    mutating func takeHeld() -> (HostPacket, VirtualLink)? {
        guard !isBusy, !held.isEmpty else { return nil }
        let (packet, link) = held.removeFirst()
        usedBuffers -= Self.buffers(of: packet)
        return (packet, link)
    }

    func failures(over link: VirtualLink) -> [HostPacket.Failure] { held.filter { $0.link === link }.compactMap(\.packet.failure) }

    private static func buffers(of packet: HostPacket) -> Int {
        guard case .write(_, let value, _) = packet else { return 1 }
        return (value.count + headerSize + bufferSize - 1) / bufferSize
    }
}

extension UnitPlatform {
    /// The host task does something else from now on.
    package mutating func occupyHost() { host.setBusy(true) }

    package mutating func releaseHost() {
        host.setBusy(false)
        after(.zero, .hostIdle)
        if link?.downlink.isEmpty == false { scheduleConnectionEvent() }
    }
}
