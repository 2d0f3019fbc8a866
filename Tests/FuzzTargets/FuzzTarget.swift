import Bluetooth
import Foundation
import Support

/// A reader of foreign bytes, as a fuzzer feeds it. A new reader is one line in ``all``.
public struct FuzzTarget: Sendable {
    public static let all: [FuzzTarget] = [
        .allowList,
        .archive,
        .assistantSettings,
        .baseline,
        .bitstream,
        .bundle,
        .bundleKey,
        .bundleManifest,
        .busSignal,
        .catalogue,
        .chatScript,
        .controlPoint,
        .daemonSettings,
        .deviceList,
        .espImage,
        .frameMessages,
        .helperAnswer,
        .initPacket,
        .inputHistory,
        .intelHex,
        .intelHexRecords,
        .keptList,
        .keyboardTrace,
        .knownUnits,
        .luaPrompt,
        .monocleMessages,
        .package,
        .packageContent,
        .packageKey,
        .picture,
        .pieceSigns,
        .pngContent,
        .programOutput,
        .provenance,
        .rawPrompt,
        .recordedPlan,
        .recordLine,
        .robotLine,
        .robotScript,
        .serialNumbers,
        .serverAnswer,
        .serviceFile,
        .signedStatement,
        .terminalKeys,
        .unfinishedChat,
        .unitNames,
        .unitPrompt,
    ]

    public let name: String
    /// Good inputs, for a fuzzer to start from.
    public let seeds: @Sendable () throws -> [[UInt8]]
    private let read: @Sendable ([UInt8]) throws -> Void

    public init(_ name: String, seeds: @escaping @Sendable () throws -> [[UInt8]], read: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.seeds = seeds
        self.read = read
    }

    /// What campaigns have learnt: inputs that reach more than the seeds, in base64, one a line.
    public func corpus() throws -> [[UInt8]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Fuzz/Corpus/\(name)")
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            guard let input = Data(base64Encoded: String(line)) else { throw BrokenPromise(what: "a line of \(name)'s corpus is no input") }
            return [UInt8](input)
        }
    }

    /// What a reader did with an input that it should not do: `nil` when it accepted it, or refused it in words.
    public func complaint(about input: [UInt8]) -> String? {
        do {
            try read(input)
            return nil
        } catch let broken as BrokenPromise {
            return broken.what
        } catch let error as any DiagnosableError {
            let diagnosis = error.diagnosis
            let isRefusal = diagnosis.category == .badData && !diagnosis.message.isEmpty && diagnosis.fault == nil
            return isRefusal ? nil : "\(diagnosis.code) is no refusal of bad data: \(diagnosis.message)"
        } catch {
            return "an error without a diagnosis: \(error)"
        }
    }
}

/// A property that every accepted input has.
struct BrokenPromise: Error {
    let what: String

    static func check(_ holds: Bool, _ what: @autoclosure () -> String) throws(BrokenPromise) {
        if !holds { throw BrokenPromise(what: what()) }
    }
}
