import Foundation
import Glibc
import TestSupport

/// A network namespace with one cable to this machine's, which a test can cut.
final class NetworkCut {
    let name: String
    /// This machine's end of the cable.
    let address: String
    let network: String

    private var near: String { "\(name)a" }

    static let isPermitted = getuid() == 0 && (try? NetworkCut()) != nil

    init() throws {
        let number = Int.random(in: 0..<4096)
        name = "nfw\(number)"
        let (middle, last) = (number / 64, number % 64 * 4)
        (address, network) = ("10.23\(1 + middle % 8).\(middle).\(last + 1)", "10.23\(1 + middle % 8).\(middle).\(last)/30")
        let far = "10.23\(1 + middle % 8).\(middle).\(last + 2)"
        try Self.ip("netns", "add", name)
        try Self.ip("link", "add", near, "type", "veth", "peer", "name", "\(name)b", "netns", name)
        try Self.ip("addr", "add", "\(address)/30", "dev", near)
        try Self.ip("link", "set", near, "up")
        try Self.ip("-n", name, "addr", "add", "\(far)/30", "dev", "\(name)b")
        try Self.ip("-n", name, "link", "set", "\(name)b", "up")
        try Self.ip("-n", name, "link", "set", "lo", "up")
    }

    deinit {
        try? Self.ip("link", "del", near)
        try? Self.ip("netns", "del", name)
    }

    func cut() throws { try Self.ip("-n", name, "link", "set", "\(name)b", "down") }

    func mend() throws { try Self.ip("-n", name, "link", "set", "\(name)b", "up") }

    private static func ip(_ arguments: String...) throws {
        guard let program = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first(where: FileManager.default.isExecutableFile) else {
            throw PostgresCluster.Failure(description: "ip is missing")
        }
        let result = try runProgram(program, arguments)
        guard result.status == 0 else { throw PostgresCluster.Failure(description: result.output) }
    }
}
