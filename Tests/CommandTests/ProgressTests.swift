import Bluetooth
import Provisioning
import Support
import Testing

@testable import noafw

@Suite struct ProgressTests {
    private func model(_ fraction: Double, bytes: Int, seconds: Int) -> ProgressModel {
        var model = ProgressModel()
        model.apply(.stage(.fpga), at: .zero)
        model.apply(.progress(stage: .fpga, overall: 0, bytesDone: 0, bytesTotal: 444_430), at: .zero)
        model.apply(.progress(stage: .fpga, overall: fraction, bytesDone: bytes, bytesTotal: 444_430), at: .seconds(seconds))
        return model
    }

    @Test(arguments: [
        (100, "fpga       [================                        ]  40 %   20.0 kB/s    0:03 left"),
        (60, "fpga       [======         ]  40 %   20.0 kB/s    0:03 left"),
        (45, "fpga       [=====        ]  40 %   20.0 kB/s"),
        (33, "fpga       [=====        ]  40 %"),
        (20, "fpga        40 %"),
        (8, "fpga   "),
        (0, ""),
    ])
    func theBarFitsTheTerminal(columns: Int, expected: String) {
        let line = ProgressBar.line(model(0.4, bytes: 40_000, seconds: 2), at: .seconds(2), columns: columns)
        #expect(line == expected)
        #expect(line.count < max(columns, 1))
    }

    @Test func progressNeverGoesBackAndIgnoresNonsense() {
        var model = model(0.4, bytes: 40_000, seconds: 2)
        for fraction in [0.1, Double.nan, -.infinity] {
            model.apply(.progress(stage: .fpga, overall: fraction, bytesDone: 0, bytesTotal: 1), at: .seconds(3))
            #expect(model.overall == 0.4)
        }
        model.apply(.progress(stage: .fpga, overall: 7, bytesDone: 0, bytesTotal: 1), at: .seconds(3))
        #expect(model.overall == 1)
    }

    @Test func theRateIsOfTheLastSecondsAndOfOneStage() {
        var model = ProgressModel()
        for second in 0...10 {
            let bytes = second <= 5 ? second * 1000 : 5000 + (second - 5) * 10_000
            model.apply(.progress(stage: .fpga, overall: 0.5, bytesDone: bytes, bytesTotal: 1), at: .seconds(second))
        }
        #expect(model.bytesPerSecond == 10_000)
        model.apply(.stage(.scripts), at: .seconds(11))
        #expect(model.bytesPerSecond == nil)
    }

    @Test func aTransferThatWasSetBackHasNoNegativeRate() {
        var model = model(0.4, bytes: 40_000, seconds: 2)
        model.apply(.progress(stage: .fpga, overall: 0.4, bytesDone: 4_096, bytesTotal: 1), at: .seconds(3))
        #expect(model.bytesPerSecond == nil)
    }

    @Test func noGuessBeforeThereIsGroundForOne() {
        #expect(model(0.01, bytes: 1, seconds: 60).secondsLeft(at: .seconds(60)) == nil)
        #expect(model(0.5, bytes: 1, seconds: 0).secondsLeft(at: .zero) == nil)
        #expect(model(1, bytes: 1, seconds: 60).secondsLeft(at: .seconds(60)) == nil)
        #expect(model(0.5, bytes: 1, seconds: 60).secondsLeft(at: .seconds(60)) == 60)
    }

    @Test func aTerminalSeesOneRewrittenLineAndItIsGoneAtTheEnd() {
        let harness = Harness()
        let renderer = RunRenderer(context: harness.context([], isTerminal: true, columns: 33), isVerbose: false, isSingle: true)
        renderer.handle(.stage(.erase))
        renderer.handle(.progress(stage: .erase, overall: 0.5, bytesDone: 1, bytesTotal: 2))
        harness.time.advance(.milliseconds(100))
        renderer.handle(.notice("slower"))
        renderer.finish()
        renderer.finish()
        renderer.tick()
        renderer.handle(.notice("too late"))
        let clear = "\r\u{1B}[J"
        #expect(harness.diagnostics == """
            \(clear)erase      [             ]   0 %\(clear)note: slower
            \(clear)erase      [======       ]  50 %\(clear)
            """)
        #expect(harness.output == "")
    }

    @Test func aDumbTerminalGetsLines() {
        let harness = Harness()
        let context = harness.context([], environment: ["TERM": "dumb"], isTerminal: true)
        RunRenderer(context: context, isVerbose: false, isSingle: true).handle(.stage(.erase))
        #expect(harness.diagnostics == "erase\n")
    }
}
