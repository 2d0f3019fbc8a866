import Bluetooth
import Foundation
import Support
import Synchronization
import Testing

@testable import BlueZ

/// A socket that takes connections and never says anything, as a bus that hangs does. It hangs up by itself after a while,
/// so that a test whose tasks are all blocked fails instead of hanging.
private final class SilentBus: Sendable {
    private struct Failure: Error {}

    let address: String
    private let path: String
    private let listener: Int32
    private let hasHungUp = Mutex(false)

    init(silence: TimeInterval) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("noafw-\(UUID().uuidString.prefix(8))").path
        address = "unix:path=" + path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: &name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        // Connections wait in the listener's queue: nobody accepts them.
        guard bound == 0, listen(listener, 128) == 0 else { throw Failure() }
        Thread { [weak self] in
            Thread.sleep(forTimeInterval: silence)
            self?.hangUp()
        }.start()
    }

    deinit { hangUp() }

    var isSilent: Bool { hasHungUp.withLock { !$0 } }

    func hangUp() {
        hasHungUp.withLock { hasHungUp in
            guard !hasHungUp else { return }
            hasHungUp = true
            close(listener)
            unlink(path)
        }
    }
}

/// A packet socket of bluetoothd's, without a bus.
@Suite struct AcquiredSocketTests {
    /// Nobody waits for room in a socket that has ended, whatever the kernel calls its end.
    @Test(arguments: [POLLOUT, POLLHUP, POLLERR, POLLNVAL]) func roomOrTheEndWakesWhoeverWaits(event: Int32) {
        let socket = AcquiredSocket(OwnedDescriptor(-1), traffic: BusTraffic(), receiver: nil)
        let bell = socket.roomBell()
        socket.handle(Int16(event))
        let isRung = bell.poll() != nil
        #expect(isRung)
    }
}

/// However many calls wait for a bus that answers nothing, everything else of the process goes on.
@Suite(.timeLimit(.minutes(1))) struct BlockingTests {
    @Test func waitingCallsHoldNoThread() async throws {
        let bus = try SilentBus(silence: 20)
        defer { bus.hangUp() }
        let soon = Station.clock.deadline(in: .seconds(30))
        let count = ProcessInfo.processInfo.activeProcessorCount * 4
        let timeouts = BlueZCentral.Timeouts(first: .seconds(30), recovery: .seconds(30))
        let central = BlueZCentral(
            adapter: nil, bus: .at(bus.address), clock: Station.clock, timeouts: timeouts)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    switch number % 4 {
                    case 0: _ = try? await central.discover()
                    case 1: _ = try? await central.connect(to: Station.address, deadline: soon)
                    case 2: _ = try? await central.forgetBond(with: Station.address, deadline: soon)
                    default: _ = try? await BlueZSurvey.take(bus: .at(bus.address), before: soon)
                    }
                }
            }
            // Others get their turn, again and again, while all of those wait.
            for _ in 0..<100 { await Task.detached { await Task.yield() }.value }
            #expect(bus.isSilent)
            group.cancelAll()
        }
        #expect(bus.isSilent, "cancelled calls end at once")
        await central.close()
    }
}
