import DFU
import FPGA
import Foundation
import Support
import VirtualDevices

/// Measures noafw and the clients that it is compared with on the link model, and prints a JSON document a line.
///
///     LinkBench FIRMWARE.zip KEY.pem FPGA.bin FILE [INTERVAL[/PAYLOAD[/JOB]]…]
///     LinkBench serial
///
/// Intervals in milliseconds, payloads, and a job (fpga, firmware, file) choose a part of the table. Progress goes to standard error.
/// `serial` opens a serial port to a unit instead, at 15 ms and with as many packets as fit.
@main
enum Program {
    struct Line: Codable {
        var job: String
        var link: LinkSetting
        /// Of what is sent.
        var byteCount: Int
        var limit: Limit
        var limitSeconds: Double
        /// By client.
        var clients: [String: Measurement]
    }

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        if words == ["serial"] {
            return try await SerialPort(link: LinkSetting(intervalMilliseconds: 15, hasOnePacketPerEvent: false, payload: 244, loss: 0)).serve()
        }
        guard words.count >= 4 else {
            FileHandle.standardError.write(Data("usage: LinkBench FIRMWARE.zip KEY.pem FPGA.bin FILE [INTERVAL[/PAYLOAD[/JOB]]...] | serial\n".utf8))
            exit(64)
        }
        let clients = try clients(words)
        let wanted = words.dropFirst(4).map { $0.split(separator: "/") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        for link in LinkSetting.all {
            for job in Job.allCases where wanted.isEmpty || wanted.contains(where: { link.isMeant(by: $0) && job.isMeant(by: $0) }) {
                let line = await job.measure(clients, link)
                FileHandle.standardOutput.write(try encoder.encode(line) + Data("\n".utf8))
            }
        }
    }

    private static func clients(_ words: [String]) throws -> Clients {
        let package = try DFUPackage(bytes: FileReader.read(words[0], limit: DFUPackage.fileSizeLimit))
        let key = try TrustedKey(name: words[1], pem: FileReader.read(words[1], limit: 16_384))
        guard let firmware = package.images.first else { throw DFUError.package(.manifestInvalid(reason: "it names no image")) }
        let image = try FPGAImage(FileReader.read(words[2], limit: FPGALimits.imageByteCount), isChecked: false)
        return Clients(
            image: image, firmware: firmware, file: try FileReader.read(words[3], limit: 1 << 20),
            keys: [key.coordinates[..<32].reversed() + key.coordinates[32...].reversed()])
    }
}

/// What is sent, and by whom.
enum Job: String, CaseIterable {
    case fpga, firmware, file

    /// - Parameter wanted: an interval, a payload, a job; or fewer.
    func isMeant(by wanted: [Substring]) -> Bool { wanted.count < 3 || wanted[2] == rawValue }

    func measure(_ clients: Clients, _ link: LinkSetting) async -> Program.Line {
        switch self {
        case .fpga:
            let noafw = await clients.writeFPGA(link)
            let app = await clients.writeFPGALikeTheApp(link)
            let count = clients.image.bytes.count
            return line(link, count, Limit(throughREPL: noafw.bytes, flashed: count, link), ["noafw": noafw, "phone app": app])
        case .firmware:
            let noafw = await clients.sendFirmware(link)
            let receipts = await clients.sendFirmwarePlainly(link, receiptInterval: 12)
            let objects = await clients.sendFirmwarePlainly(link, receiptInterval: 0)
            let count = clients.firmware.bytes.count
            let limit = Limit(firmware: count, link, BootloaderConfiguration(trustedKeys: []))
            return line(link, count, limit, ["noafw": noafw, "PRN 12": receipts, "CRC an object": objects])
        case .file:
            let noafw = await clients.putFile(link)
            let mpremote = await clients.putFileLikeMpremote(link)
            let count = clients.file.count
            return line(link, count, Limit(throughREPL: count, flashed: 0, link), ["noafw": noafw, "mpremote": mpremote])
        }
    }

    private func line(_ link: LinkSetting, _ byteCount: Int, _ limit: Limit, _ clients: [String: Measurement]) -> Program.Line {
        let figures = clients.sorted { $0.key < $1.key }.map { name, measured in
            "\(name) \(measured.seconds.map { "\(($0 * 100).rounded() / 100) s" } ?? measured.remark ?? "")"
        }
        let packets = link.hasOnePacketPerEvent ? "1" : "all"
        let place = "\(rawValue) \(link.intervalMilliseconds) ms, \(packets), \(link.payload) B, \(link.loss)"
        FileHandle.standardError.write(Data("\(place): \(figures.joined(separator: "; "))\n".utf8))
        return Program.Line(job: rawValue, link: link, byteCount: byteCount, limit: limit, limitSeconds: limit.seconds, clients: clients)
    }
}
