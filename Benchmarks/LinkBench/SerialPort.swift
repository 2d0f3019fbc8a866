import Bluetooth
import Foundation
import Glibc
import ReferenceClients
import Support
import VirtualDevices

/// A virtual Monocle's REPL as a serial port, at the pace of its link: for the real mpremote.
struct SerialPort: Sendable {
    private struct NoPort: Error {}

    let link: LinkSetting

    /// Prints the port's name, and goes on until it is stopped.
    func serve() async throws {
        let (master, slave, name) = try Self.open()
        // Held open: a client that leaves would otherwise end the port.
        defer { _ = [master, slave].map(close) }
        let stage = Stage(link: link)
        defer { stage.remove() }
        print(name)
        fflush(nil)
        let typed = AsyncStream<[UInt8]> { bytes in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while case let count = read(master, &buffer, buffer.count), count > 0 { bytes.yield(Array(buffer[..<count])) }
                bytes.finish()
            }
        }
        try await stage.play(time: .real()) { central, address in
            let connection = try await central.connect(to: address, deadline: central.clock.deadline(in: .seconds(30)))
            let prompt = try await TextPrompt(connection, clock: central.clock)
            try await withThrowingTaskGroup { group in
                group.addTask { for await bytes in typed { try await prompt.send(bytes) } }
                group.addTask {
                    while true {
                        let bytes = try await prompt.read(patience: .seconds(86_400)) { $0.isEmpty ? nil : $0.count }
                        guard write(master, bytes, bytes.count) == bytes.count else { throw NoPort() }
                    }
                }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private static func open() throws -> (master: Int32, slave: Int32, name: String) {
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY)
        // Linux's TIOCSPTLCK and TIOCGPTN, which Swift's view of glibc leaves out.
        var unlocked: Int32 = 0
        var number: Int32 = 0
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else { throw NoPort() }
        let name = "/dev/pts/\(number)"
        let slave = Glibc.open(name, O_RDWR | O_NOCTTY)
        var settings = termios()
        guard slave >= 0, tcgetattr(slave, &settings) == 0 else { throw NoPort() }
        cfmakeraw(&settings)
        guard tcsetattr(slave, TCSANOW, &settings) == 0 else { throw NoPort() }
        return (master, slave, name)
    }
}
