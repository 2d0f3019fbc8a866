import VirtualDevices

/// One line of the table: a link, and what it can carry at best.
struct LinkSetting: Codable, Hashable, Sendable {
    var intervalMilliseconds: Double
    /// One value each way in an event; otherwise as many as fit its length, which is the interval.
    var hasOnePacketPerEvent: Bool
    var payload: Int
    var loss: Double

    static let all = [7.5, 15, 30, 50].flatMap { interval in
        [true, false].flatMap { isOne in
            [244, 182, 253, 20].flatMap { payload in
                [0, 0.004].map {
                    LinkSetting(intervalMilliseconds: interval, hasOnePacketPerEvent: isOne, payload: payload, loss: $0)
                }
            }
        }
    }

    /// - Parameter wanted: an interval, a payload, a job; or fewer.
    func isMeant(by wanted: [Substring]) -> Bool {
        wanted.first.flatMap { Double($0) } == intervalMilliseconds && (wanted.count < 2 || Int(wanted[1]) == payload)
    }

    var interval: Duration { .microseconds(Int64(intervalMilliseconds * 1000)) }

    var pace: LinkPace {
        LinkPace(interval: interval, eventLength: interval, supervisionTimeout: .seconds(4), turns: hasOnePacketPerEvent ? 1 : .max)
    }

    /// Bytes a second that the air takes to the unit, without anything on its way back: what the controller holds goes in an event.
    /// - Parameter payload: of this link; a bootloader takes less than an application.
    func airRate(payload: Int) -> Double {
        let fitting = (interval / LinkPace.airtime(valueCount: payload)).rounded(.down)
        let packets = hasOnePacketPerEvent ? 1 : min(fitting, Double(VirtualLink.controllerBuffers))
        return Double(payload) * packets / (intervalMilliseconds / 1000)
    }
}

/// The least time for a job by each resource that it passes, in seconds.
struct Limit: Codable, Sendable {
    var air: Double
    /// Through the receive ring: what an event fills is free again for the event after the next.
    var ring: Double?
    var flash: Double?

    /// (monocle-micropython, `main.c`)
    private static let ringByteCount = 1023
    /// (monocle-micropython, `modules/update.c`: two busy waits of whole ticks)
    private static let programSeconds = 0.002_44
    private static let programByteCount = 256

    var seconds: Double { max(air, ring ?? 0, flash ?? 0) }

    /// - Parameters:
    ///   - byteCount: on the air, at least.
    ///   - flashed: bytes of the FPGA's flash.
    init(throughREPL byteCount: Int, flashed: Int, _ link: LinkSetting) {
        air = Double(byteCount) / link.airRate(payload: link.payload)
        ring = Double(byteCount) / Double(Self.ringByteCount) * 2 * link.intervalMilliseconds / 1000
        flash = flashed > 0 ? Double(flashed) / Double(Self.programByteCount) * Self.programSeconds : nil
    }

    init(firmware byteCount: Int, _ link: LinkSetting, _ bootloader: BootloaderConfiguration) {
        let payload = min(link.payload, 244) / 4 * 4
        let pages = (Double(byteCount) / 4096).rounded(.up)
        air = Double(byteCount) / link.airRate(payload: payload)
        flash = pages * (bootloader.pageEraseTime / .seconds(1)) + Double(byteCount) / 4 * (bootloader.wordWriteTime / .seconds(1))
    }
}
