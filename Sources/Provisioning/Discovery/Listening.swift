import Bluetooth
import Support

/// How many consecutive radio failures are tolerated.
private let lossLimit = 3
private let lossPause = Duration.milliseconds(500)

extension Central {
    /// Listens to the air: calls `hear` with every sighting, and with `nil` after each `interval` without one, until it returns
    /// `true` or the deadline. A discovery that ends early, as when bluetoothd restarts, is started again; the radio may return
    /// after the deadline.
    /// - Throws: ``LinkError`` or the radio's own error if it is missing at the start or does not return.
    public func listen(
        until deadline: SessionClock.Instant, every interval: Duration, _ hear: (Advertisement?) -> Bool
    ) async throws {
        var discovery = try await discover()
        var losses = 0
        while true {
            do {
                while clock.now < deadline {
                    let sighting = try await discovery.sightings.next(before: min(deadline, clock.deadline(in: interval)), on: clock)
                    if sighting != nil { losses = 0 }
                    if hear(sighting) { break }
                }
                return await discovery.stop()
            } catch is CancellationError {
                await discovery.stop()
                throw CancellationError()
            } catch {
                await discovery.stop()
                discovery = try await discoverAgain(after: error, &losses, before: deadline)
            }
        }
    }

    private func discoverAgain(
        after loss: any Error, _ losses: inout Int, before deadline: SessionClock.Instant
    ) async throws -> any Discovery {
        var loss = loss
        while losses < lossLimit, clock.now < deadline {
            losses += 1
            try await clock.sleep(until: clock.deadline(in: lossPause))
            do {
                return try await discover()
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                loss = error
            }
        }
        throw loss
    }
}
