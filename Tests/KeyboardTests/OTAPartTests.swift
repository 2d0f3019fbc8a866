import ESPImage
import Foundation
import Glibc
import Support
import TestSupport
import Testing

@testable import KeyboardFamily

@Suite struct KeyboardVersionTests {
    private func stated(_ version: String, build: String = "v2.11.0-3-g0123abc", _ others: String...) throws -> String? {
        var recipe = ESPImageRecipe(version: version)
        (recipe.buildVersion, recipe.otherTexts) = (build, others)
        return KeyboardVersion.stated(by: try ESPImage(recipe.bytes))?.description
    }

    /// The unit reports the text of `config.h`, whatever the build was called.
    @Test func theTextCounts() throws {
        #expect(try stated("2.11.0") == "2.11.0")
        #expect(try stated("2.11.0", build: "3.0.0") == "2.11.0")
        #expect(try stated("2.11.0", "192.168.4.1", "version 1.2.3", "1.2", "1.2.3.4", "1234.1.1") == "2.11.0")
    }

    @Test func severalTextsAreDecidedByTheBuildOrNotAtAll() throws {
        #expect(try stated("2.11.0", "1.2.3") == nil)
        #expect(try stated("2.11.0", build: "v1.2.3", "1.2.3") == "1.2.3")
        #expect(try stated("2.11.0", build: "9.9.9", "1.2.3") == nil)
        #expect(try stated("none", build: "v2.12.0") == "2.12.0")
        #expect(try stated("none", build: "7110d03") == nil)
    }

    @Test func aGivenVersionCounts() throws {
        #expect(try KeyboardFirmware(ESPImageRecipe(version: "none").bytes, version: "4.5.6").version == "4.5.6")
        #expect(throws: OTAError.versionUnclear) { try KeyboardFirmware(ESPImageRecipe(version: "none").bytes) }
    }

    @Test func theyAreCompared() throws {
        let versions = try ["2.9.0", "2.10.0", "2.10.1", "10.0.0"].map { try #require(KeyboardVersion($0)) }
        #expect(versions.sorted() == versions)
        for text in ["", "1", "1.2", "1.2.3.4", "a.b.c", "1..2", "1.2.3 ", "1234.0.0", "+1.0.0", "١.0.0"] {
            #expect(KeyboardVersion(text) == nil, "\(text)")
        }
    }
}

@Suite struct UnitURLTests {
    @Test func plainHTTPWithoutAPath() throws {
        #expect(try "\(UnitURL("http://IOS-Keyboard.local/"))" == "http://ios-keyboard.local")
        #expect(try UnitURL("http://127.0.0.1:8080").port == 8080)
        for text in [
            "", "ios-keyboard.local", "https://unit", "http://unit/status", "http://unit?x", "http://me:pw@unit", "http://",
            "http://unit:0",
            "http://unit:70000", "http://" + String(repeating: "a", count: 300),
        ] { #expect(throws: OTAError.self, "\(text)") { try UnitURL(text) } }
    }
}

/// Answers in, steps out.
@Suite struct UpdateMachineTests {
    private func at(_ seconds: Double) -> SessionClock.Instant { .init(offset: .seconds(seconds)) }
    private func status(_ update: KeyboardStatus.Update, _ progress: Int = 0) -> KeyboardStatus {
        KeyboardStatus(version: "2.10.0", update: update, progress: progress)
    }

    @Test func anUpdateGoesItsWay() {
        var machine = UpdateMachine(url: "u", at: at(0))
        #expect(machine.receive(status(.idle), isFetched: false, at: at(0.5)) == .ask)
        #expect(machine.receive(status(.downloading, 10), isFetched: true, at: at(1)) == .progress(10))
        #expect(machine.receive(status(.verifying, 100), isFetched: true, at: at(2)) == .progress(100))
        #expect(machine.receive(status(.success, 100), isFetched: true, at: at(2.5)) == .written)
    }

    /// Before the unit has begun, it shows how an earlier update ended.
    @Test func anEarlierEndIsNotTakenForThisOne() {
        var machine = UpdateMachine(url: "u", at: at(0))
        #expect(machine.receive(status(.failed), isFetched: false, at: at(1)) == .ask)
        #expect(machine.receive(status(.success), isFetched: false, at: at(2)) == .ask)
        #expect(machine.receive(status(.failed), isFetched: false, at: at(5)) == .failed(.notFetched(url: "u")))
        var other = UpdateMachine(url: "u", at: at(0))
        #expect(other.receive(status(.success), isFetched: false, at: at(6)) == .failed(.notTaken(reason: "it still shows an earlier one")))
    }

    @Test func aFailureSaysWhere() {
        var machine = UpdateMachine(url: "u", at: at(0))
        _ = machine.receive(status(.downloading, 40), isFetched: true, at: at(1))
        #expect(machine.receive(status(.failed, 40), isFetched: true, at: at(2)) == .failed(.cut(percent: 40)))
        _ = machine.receive(status(.verifying, 100), isFetched: true, at: at(3))
        #expect(machine.receive(status(.failed, 100), isFetched: true, at: at(4)) == .failed(.refusedByUnit))
        var lost = UpdateMachine(url: "u", at: at(0))
        _ = lost.receive(status(.downloading, 40), isFetched: true, at: at(1))
        #expect(lost.receive(status(.idle), isFetched: true, at: at(9)) == .failed(.cut(percent: 40)))
    }

    @Test func nothingIsWaitedForWithoutEnd() {
        var machine = UpdateMachine(url: "u", at: at(0))
        #expect(machine.receive(status(.downloading, 40), isFetched: true, at: at(1)) == .progress(40))
        #expect(machine.receive(status(.downloading, 40), isFetched: true, at: at(60)) == .progress(40))
        #expect(machine.receive(status(.downloading, 40), isFetched: true, at: at(61)) == .failed(.stalled(percent: 40)))
        let silence = OTAError.noAnswer(url: "u", reason: "r")
        #expect(machine.silence(silence, at: at(90)) == .ask)
        #expect(machine.silence(silence, at: at(91)) == .failed(silence))
    }
}

@Suite struct FirmwareServerTests {
    private let image = [UInt8](repeating: 7, count: 100_000)

    @Test func theUnitGetsTheImageAndNobodyElseDoes() async throws {
        try await FirmwareServer.with(image, for: "127.0.0.1", at: "127.0.0.1", on: .continuous) { [image] server in
            let url = try #require(URLComponents(string: server.url))
            let port = try #require(url.port)
            let whole = await Self.fetch(url.path, port: port, from: "127.0.0.1")
            #expect(whole.suffix(image.count) == image[...] && whole.starts(with: Array("HTTP/1.1 200".utf8)))
            #expect(server.counts == .init(requests: 1, refused: 0))
            #expect(await Self.fetch(url.path, port: port, from: "127.0.0.2").isEmpty)
            #expect(server.counts == .init(requests: 1, refused: 1))
            let other = await Self.fetch("/other.bin", port: port, from: "127.0.0.1")
            #expect(other.starts(with: Array("HTTP/1.1 404".utf8)) && other.count < 300)
            #expect(server.counts == .init(requests: 1, refused: 2))
        }
    }

    @Test func itIsGoneAfterwards() async throws {
        let url = try await FirmwareServer.with(image, for: "127.0.0.1", at: "127.0.0.1", on: .continuous) { $0.url }
        let parts = try #require(URLComponents(string: url))
        #expect(await Self.fetch(parts.path, port: try #require(parts.port), from: "127.0.0.1").isEmpty)
    }

    @Test func anAddressThatIsNotThisMachinesIsNotServed() async throws {
        await #expect(throws: OTAError.self) {
            try await FirmwareServer.with(image, for: "127.0.0.1", at: "192.0.2.1", on: .continuous) { _ in }
        }
    }

    /// On a thread of its own: its reads block.
    private static func fetch(_ path: String, port: Int, from source: String) async -> [UInt8] {
        await withCheckedContinuation { done in Thread { done.resume(returning: ask(path, port, source)) }.start() }
    }

    private static func ask(_ path: String, _ port: Int, _ source: String) -> [UInt8] {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        func address(_ host: String, _ port: Int) -> sockaddr_in {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr(host)
            address.sin_port = UInt16(port).bigEndian
            return address
        }
        func with(_ address: sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Bool {
            withUnsafePointer(to: address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call($0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
            }
        }
        guard with(address(source, 0), { bind(descriptor, $0, $1) }), with(address("127.0.0.1", port), { connect(descriptor, $0, $1) })
        else { return [] }
        let request = Array("GET \(path) HTTP/1.1\r\nHost: unit\r\n\r\n".utf8)
        _ = send(descriptor, request, request.count, Int32(MSG_NOSIGNAL))
        var answer: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        // The server hangs up behind its answer.
        while case let count = read(descriptor, &piece, piece.count), count > 0 { answer += piece.prefix(count) }
        return answer
    }
}
