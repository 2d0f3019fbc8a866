import Bluetooth
import Support
import Testing

@testable import DFU

@Suite struct ControlPointTests {
    @Test func requestsAreLittleEndian() {
        #expect(ControlPointRequest.create(.data, size: 0x1000).bytes == [1, 2, 0, 0x10, 0, 0])
        #expect(ControlPointRequest.create(.command, size: 0x0102_0304).bytes == [1, 1, 4, 3, 2, 1])
        #expect(ControlPointRequest.setReceiptInterval(packets: 0x0112).bytes == [2, 0x12, 1])
        #expect(ControlPointRequest.execute.bytes == [4])
        #expect(ControlPointRequest.select(.command).bytes == [6, 1])
        #expect(ControlPointRequest.abort.bytes == [0x0C])
    }

    @Test func answersAreParsed() {
        let checksum = Checksum(offset: 0x0000_1000, crc: 0xDEAD_BEEF)
        let payload: [UInt8] = [0, 0x10, 0, 0, 0xEF, 0xBE, 0xAD, 0xDE]
        #expect(ControlPointResponse(parsing: [0x60, 1, 1]) == .init(operation: .create, outcome: .done))
        #expect(
            ControlPointResponse(parsing: [0x60, 3, 1] + payload)
                == .init(operation: .checksum, outcome: .checksum(checksum)))
        #expect(
            ControlPointResponse(parsing: [0x60, 6, 1, 0, 2, 0, 0] + payload)
                == .init(operation: .select, outcome: .selected(objectLimit: 512, checksum)))
    }

    @Test(arguments: [
        [], [0x60], [0x60, 1], [0x61, 1, 1], [0x60, 0x55, 1], [0x60, 3, 1], [0x60, 3, 1, 0, 0, 0, 0, 0, 0, 0],
        [0x60, 6, 1, 0, 2, 0, 0], [0x60, 4, 1, 9], [0x60, 4, 0x0B], [0x60, 4, 0x0B, 1, 2], [0x60, 4, 5, 0],
    ] as [[UInt8]])
    func malformedAnswersAreNamed(bytes: [UInt8]) {
        #expect(ControlPointResponse(parsing: bytes) == nil)
        var driver = MachineDriver()
        _ = driver.handle(.linkReady(payloadSize: 244))
        #expect(failure(driver.handle(.notification(bytes))) == .transfer(.malformedAnswer(bytes: bytes)))
    }

    @Test func malformedAnswersAreShownInHex() {
        let diagnosis = DFUError.transfer(.malformedAnswer(bytes: [0x61, 0x0A])).diagnosis
        #expect(diagnosis.message.contains("61 0A"))
        #expect(diagnosis.fault == .unit && diagnosis.category == .unitFailed)
        for count in [20, 21] {
            let message = DFUError.transfer(.malformedAnswer(bytes: [UInt8](repeating: 0x61, count: count))).diagnosis.message
            #expect(message.ranges(of: "61").count == 20 && message.hasSuffix("61 … (21 bytes)") == (count == 21), "\(message)")
        }
    }

    @Test func everyRefusalHasItsOwnCodeAndText() {
        let results: [UInt8] = [0, 2, 3, 4, 5, 7, 8, 0x0A]
        let extended = Array(UInt8(2)...0x0D)
        var codes: Set<String> = []
        var messages: Set<String> = []
        let answers = results.map { [0x60, 4, $0] } + extended.map { [0x60, 4, 0x0B, $0] }
        for answer in answers {
            guard case .refused(let refusal)? = ControlPointResponse(parsing: answer)?.outcome else {
                Issue.record("\(answer) is no refusal")
                continue
            }
            let diagnosis = DFUError.refused(.execute, refusal).diagnosis
            #expect(diagnosis.fault == .unit && diagnosis.category == .unitFailed)
            #expect(!diagnosis.cause.isEmpty && !diagnosis.remedy.isEmpty)
            codes.insert(diagnosis.code)
            messages.insert(diagnosis.message)
        }
        #expect(codes.count == answers.count && messages.count == answers.count)
        #expect(codes.isSuperset(of: ["DFU-0000", "DFU-0005", "DFU-000A", "DFU-0B02", "DFU-0B05", "DFU-0B0D"]))
    }

    @Test func unknownRefusalsKeepTheirNumber() {
        #expect(Refusal(result: 0x42) == .unknownResult(0x42))
        #expect(DFUError.refused(.create, Refusal(result: 0x42)).diagnosis.code == "DFU-0042")
        #expect(DFUError.refused(.create, Refusal(extended: 0x7F)).diagnosis.code == "DFU-0B7F")
    }

    @Test func linkProblemsAskToTryAgain() {
        let faults: [TransferFault] = [
            .objectLost(.data, offset: 4096, attempts: 3), .noAnswer(.create), .linkLost(offset: 1, of: 2, kept: 0),
        ]
        for fault in faults {
            #expect(fault.diagnosis.category == .tryAgain)
            #expect(fault.diagnosis.fault == .radio)
        }
    }
}
