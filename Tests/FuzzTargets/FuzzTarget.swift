import Bluetooth
import Support

/// A reader of foreign bytes, as a fuzzer feeds it. A new reader is one line in ``all``.
public struct FuzzTarget: Sendable {
    public static let all: [FuzzTarget] = [
        .archive,
        .bitstream,
        .bundle,
        .bundleKey,
        .bundleManifest,
        .busSignal,
        .controlPoint,
        .espImage,
        .frameMessages,
        .helperAnswer,
        .package,
        .packageContent,
        .initPacket,
        .intelHex,
        .intelHexRecords,
        .keyboardTrace,
        .luaPrompt,
        .monocleMessages,
        .picture,
        .pieceSigns,
        .pngContent,
        .programOutput,
        .rawPrompt,
        .recordLine,
        .robotLine,
        .serverAnswer,
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
