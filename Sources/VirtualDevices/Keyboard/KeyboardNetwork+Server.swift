import Support

extension KeyboardNetwork: UnitNetwork {
    var url: String { "http://127.0.0.1:\(listener.port)" }

    func run(on clock: SessionClock, opened: @escaping @Sendable () -> Void, wake: @escaping @Sendable () -> Void) async throws {
        let downloads = Inbox<KeyboardDownload>()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                while let download = try await downloads.next(before: clock.deadline(in: .forever), on: clock) {
                    try await download.run()
                }
            }
            group.addTask { [self] in
                try await listener.serve(on: clock, opened: opened) { request in
                    await KeyboardHTTP(network: self, clock: clock, wake: wake, downloads: downloads).answer(request)
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
