import Foundation
import Support

/// Brings an image to a unit: offers it, makes the unit fetch it, and waits for the restart.
struct KeyboardUpdate: Sendable {
    private static let pollInterval = Duration.milliseconds(500)
    /// The firmware's buffer for the URL, including its end (`ota_handler.c`).
    private static let longestURL = 255
    private static let occupiedTimeout = Duration.seconds(30)
    /// Reset, Wi-Fi (10 s at most), HTTP.
    private static let returnTimeout = Duration.seconds(45)

    let http: UnitHTTP
    let image: [UInt8]
    private var clock: SessionClock { http.clock }

    func status() async throws -> (status: KeyboardStatus, answer: UnitHTTP.Answer) {
        let answer = try await http.get("/status")
        return (try KeyboardStatus(answer), answer)
    }

    /// Returns once the unit has the image and is about to restart.
    /// - Parameters:
    ///   - progress: gets percents.
    ///   - refused: gets the number of refused connections from others, whenever it grows.
    func send(progress: @escaping @Sendable (Int) -> Void, refused: @escaping @Sendable (Int) -> Void) async throws {
        let answer = try await free()
        try await FirmwareServer.with(image, for: answer.peer, at: answer.local, on: clock) { server in
            try await order(server.url)
            var machine = UpdateMachine(url: server.url, at: clock.now)
            var known = 0
            while true {
                try await clock.sleep(until: clock.deadline(in: Self.pollInterval))
                let step = try await look(&machine, server)
                if server.counts.refused > known {
                    known = server.counts.refused
                    refused(known)
                }
                switch step {
                case .ask: continue
                case .progress(let percent): progress(percent)
                case .written: return progress(100)
                case .failed(let error): throw error
                }
            }
        }
    }

    private func look(_ machine: inout UpdateMachine, _ server: FirmwareServer) async throws -> UpdateMachine.Step {
        do {
            let status = try await status().status
            return machine.receive(status, isFetched: server.counts.requests > 0, at: clock.now)
        } catch let error as OTAError {
            return machine.silence(error, at: clock.now)
        }
    }

    /// Waits for the end of another update.
    private func free() async throws -> UnitHTTP.Answer {
        let end = clock.deadline(in: Self.occupiedTimeout)
        while true {
            let (status, answer) = try await status()
            guard answer.peer == status.address else { throw OTAError.otherAddress(answers: answer.peer, says: status.address) }
            switch status.update {
            case .idle, .failed: return answer
            case .downloading, .verifying, .success: break
            }
            guard clock.now < end else { throw OTAError.occupied }
            try await clock.sleep(until: clock.deadline(in: Self.pollInterval))
        }
    }

    private struct Order: Encodable { var url: String }
    private struct Receipt: Decodable {
        var success: Bool
        var message: String?
    }

    private func order(_ url: String) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        guard url.utf8.count <= Self.longestURL else { throw OTAError.notServed(reason: "its address is too long for the unit") }
        let answer = try await http.post("/ota", json: Array(try encoder.encode(Order(url: url))))
        guard answer.status == 200, let receipt = try? JSONDecoder().decode(Receipt.self, from: Data(answer.body)) else {
            throw OTAError.notUnderstood(path: "/ota", reason: "HTTP \(answer.status)")
        }
        guard receipt.success else { throw OTAError.notTaken(reason: PrintableText.ascii(receipt.message ?? "no reason", limit: 64)) }
    }

    /// - Parameter order: before the restart.
    func waitForRestart(since order: SessionClock.Instant) async throws {
        let end = clock.deadline(in: Self.returnTimeout)
        var stillRuns = true
        while clock.now < end {
            do {
                let status = try await status().status
                // Whole seconds, rounded down.
                if .seconds(status.uptime) < order.duration(to: clock.now) { return }
                stillRuns = true
            } catch is OTAError {
                stillRuns = false
            }
            try await clock.sleep(until: clock.deadline(in: Self.pollInterval))
        }
        throw stillRuns ? OTAError.doesNotRestart : .doesNotReturn(url: "\(http.url)")
    }
}
