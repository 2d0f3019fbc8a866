import Assistant
import Bluetooth
import Foundation
import Provisioning
import Support
import TestSupport
import Testing

@testable import noafw

/// `noafw chat` in-process, in front of a person.
@Suite(.timeLimit(.minutes(2))) struct ChatTerminalTests {
    private let harness = Harness(wakingUntil: .seconds(1_000_000))
    private let terminal = FakeTerminal()
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the command beside the person.
    private func run(
        _ arguments: [String], _ services: FakeServices, environment: [String: String] = [:], clock: SessionClock? = nil,
        person: @escaping @Sendable () async throws -> Void
    ) async throws -> Int32 {
        let here = ["HOME": folder.path, "NOAFW_STATE_DIR": folder.path, "NO_COLOR": "1", "PATH": "/usr/bin:/bin"]
        var surroundings = terminal.attach(
            harness.context(["chat"] + arguments, services: services, environment: here.merging(environment) { $1 }))
        if let clock { surroundings.clock = clock }
        let context = surroundings
        async let code = Noafw.execute(in: context)
        do {
            try await person()
        } catch {
            harness.interrupts.requests.deliver(())
        }
        return await code
    }

    // MARK: - A unit with other versions

    private let flashes = Inbox<FlashRequest>()
    private let chats = Inbox<ChatRequest>()

    private func driftedRunner(flashError: Diagnosis? = nil) -> FakeServices {
        FakeServices(
            onFlash: { [flashes] request, _ in
                flashes.deliver(request)
                return try Sample.flashed(error: flashError)
            },
            onVerify: { _, _ in try Sample.verified(scriptsMatch: false) },
            onChat: { [chats] preparation, _ in
                chats.deliver(preparation)
                return ChatVerdict()
            })
    }

    @Test(arguments: ["y\n", "Yes\n", "  YES \n"]) func yesFlashesWhatDiffersAndGoesOn(answer: String) async throws {
        let code = try await run(["--nearest", "--adapter", "hci1"], driftedRunner()) { [terminal] in
            try await terminal.waitFor("note: the unit differs from the catalogue in: scripts")
            try await terminal.waitFor("flash now? [y/N] ")
            terminal.type(answer)
            try await terminal.waitFor("PASS  the unit is verified")
        }
        #expect(code == 0)
        let request = try #require(flashes.poll())
        let unit = UnitSelection(units: .one(.nearest), adapters: ["hci1"])
        #expect(request.options.components == [.scripts] && request.fleet == unit)
        #expect(!request.options.force && !request.options.allowDowngrade)
        #expect(chats.poll()?.unit == unit)
    }

    @Test(arguments: ["n\n", "\n", "yellow\n", "\u{1B}[A\n"]) func anythingElseEndsWithTheCommandToRun(answer: String) async throws {
        let code = try await run(["--virtual", "monocle"], driftedRunner()) { [terminal] in
            try await terminal.waitFor("flash now? [y/N] ")
            terminal.type(answer)
            try await terminal.waitFor("error NOA-0013: the unit differs from the catalogue in: scripts")
            try await terminal.waitFor("run: noafw flash --virtual monocle --only scripts")
        }
        #expect(code == 1)
        #expect(flashes.poll() == nil && chats.poll() == nil)
    }

    @Test func theEndOfInputIsNoYes() async throws {
        let code = try await run([], driftedRunner()) { [terminal] in
            try await terminal.waitFor("flash now? [y/N] ")
            terminal.type("y")
            terminal.endInput()
        }
        #expect(code == 0, "a yes without a line end is one, too")
        let other = try await run([], driftedRunner()) { [terminal] in
            try await terminal.waitFor("flash now? [y/N] ")
            terminal.endInput()
        }
        #expect(other == 1)
    }

    @Test func theQuestionCanBeInterrupted() async throws {
        let code = try await run([], driftedRunner()) { [terminal, harness] in
            try await terminal.waitFor("flash now? [y/N] ")
            harness.interrupts.requests.deliver(())
        }
        #expect(code == 130)
        #expect(flashes.poll() == nil && chats.poll() == nil)
    }

    @Test func aFlashThatFailsEndsTheCourse() async throws {
        let code = try await run([], driftedRunner(flashError: Sample.failure)) { [terminal] in
            try await terminal.waitFor("flash now? [y/N] ")
            terminal.type("y\n")
            try await terminal.waitFor("error DFU-0B05")
        }
        #expect(code == 1)
        #expect(chats.poll() == nil)
    }

    @Test(arguments: [["--json"], ["--query", "hi", "--json"]]) func programsAreNotAsked(arguments: [String]) async throws {
        let code = try await run(arguments, driftedRunner()) { [terminal] in
            try await terminal.waitFor("run: noafw flash --device D3:5A:00:11:22:33 --only scripts")
        }
        #expect(code == 1)
        #expect(!terminal.screen.contains("flash now?"))
    }

    // MARK: - Pictures

    /// 16 by 12 pixels.
    private static let jpeg = Data(base64Encoded: """
        /9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqm\
        x5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAMABAD\
        ASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABAX/xAAZEAACAwEAAAAAAAAAAAAAAAAAAwIEUWH/xAAVAQEBAAAAAAAAAAAAAAAAAAAAAv/E\
        ABgRAAMBAQAAAAAAAAAAAAAAAAABBAID/9oADAMBAAIRAxEAPwCeqpwWqpwYpccFqXHBvsyZaGf/2Q==
        """).map(Array.init) ?? []

    /// A unit that sends a picture whenever something is asked.
    private func photographer(_ jpeg: [UInt8]) -> FakeServices {
        FakeServices(onChat: { _, body in
            // Real time: a program needs some to draw.
            try await body(ChatEnvironment(clock: .continuous, family: "monocle", sensors: nil) { commands, report in
                report(.ready)
                while let command = try await commands.next(before: SessionClock.continuous.deadline(in: .seconds(600)), on: .continuous) {
                    if case .ask = command { report(.photo(Photo(jpeg: jpeg))) }
                }
            })
        })
    }

    private static let saved = ["--no-verify", "--save-media"]

    @Test(.enabled(if: TestTools.mayDraw, "chafa or libsixel-bin is missing: run Tools/setup tests"), arguments: [
            (["TERM": "xterm-kitty"], "", "\u{1B}_Ga=T"),
            (["TERM": "xterm", "TERM_PROGRAM": "WezTerm"], "", "\u{1B}]1337;File=inline=1;size=310;"),
        (["TERM": "xterm"], "\u{1B}[?62;4;22c", "\u{1B}P"),
    ] as [([String: String], String, String)])
    func aPictureAppears(environment: [String: String], says: String, graphics: String) async throws {
        let code = try await run(Self.saved + [folder.path("media")], photographer(Self.jpeg), environment: environment, clock: .continuous)
        { [terminal] in
            try await terminal.waitFor("Type a question")
            terminal.type(says + "look\r")
            try await terminal.waitFor("photo-0001.jpg")
            try await terminal.waitFor(graphics)
            try await terminal.waitFor("> ")
            terminal.type("\u{04}")
        }
        #expect(code == 0)
        #expect(try folder.read("media/photo-0001.jpg") == Self.jpeg)
    }

    /// What is no picture draws nothing, whatever else it holds.
    @Test(.enabled(if: TestTools.mayDraw, "chafa or libsixel-bin is missing: run Tools/setup tests"))
    func whatIsNoPictureDrawsNothing() async throws {
        let junk = Array("\u{1B}]0;title\u{07}\u{1B}P0q\u{1B}\\".utf8)
        let code = try await run(["--no-verify"], photographer(junk), environment: ["TERM": "xterm-kitty"], clock: .continuous) {
            [terminal] in
            try await terminal.waitFor("Type a question")
            terminal.type("look\r")
            try await terminal.waitFor("to see pictures here, install chafa")
            terminal.type("\u{04}")
        }
        #expect(code == 0)
        #expect(!terminal.screen.contains("title") && !terminal.screen.contains("\u{1B}P"))
    }

    @Test func withoutTheProgramThatIsSaidOnce() async throws {
        let environment = ["TERM": "xterm-kitty", "PATH": "/nonexistent"]
        let code = try await run(["--no-verify"], photographer(Self.jpeg), environment: environment, clock: .continuous) { [terminal] in
            try await terminal.waitFor("Type a question")
            terminal.type("look\r")
            try await terminal.waitFor("to see pictures here, install chafa")
            terminal.type("again\r")
            try await terminal.waitFor("310 bytes")
            terminal.type("\u{04}")
        }
        #expect(code == 0)
        #expect(terminal.screen.components(separatedBy: "install chafa").count == 2)
    }

    // MARK: - The window

    @Test func theStatusLineFollowsTheWindow() async throws {
        let code = try await run(["--no-verify"], photographer([])) { [terminal] in
            try await terminal.waitFor("[ monocle | ready | assistant: echo ]")
            terminal.resize(columns: 30)
            try await terminal.waitFor("[ monocle | ready | assistant\r\n")
            terminal.resize(columns: 100)
            try await terminal.waitFor("[ monocle | ready | assistant: echo ]")
            terminal.type("\u{04}")
        }
        #expect(code == 0)
    }
}
