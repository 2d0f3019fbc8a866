/// How fast a unit receives files.
public struct ScriptPace: Sendable {
    private let roundTrip, pieceTrips, pieceByteCount, fileTrips, setTrips, byteSeconds: Double

    /// - Parameters:
    ///   - roundTrip: seconds for one command and its answer.
    ///   - pieceTrips: round trips for a piece of a file of `pieceByteCount` bytes.
    ///   - fileTrips: further round trips for each file; `setTrips` for a whole set.
    ///   - byteSeconds: time on the unit to write, read back and digest a byte.
    public init(
        roundTrip: Double, pieceTrips: Double, pieceByteCount: Double, fileTrips: Double, setTrips: Double, byteSeconds: Double
    ) {
        (self.roundTrip, self.pieceTrips, self.pieceByteCount) = (roundTrip, pieceTrips, max(1, pieceByteCount))
        (self.fileTrips, self.setTrips, self.byteSeconds) = (fileTrips, setTrips, byteSeconds)
    }

    /// Assumed before the unit's prompt was timed: a connection interval of 15 ms, for which units ask.
    public static let typical = ScriptPace(
        roundTrip: 0.025, pieceTrips: 1, pieceByteCount: 190, fileTrips: 6, setTrips: 8, byteSeconds: 0.000_05)

    /// Expected time for a unit that has none of the files.
    public func seconds(for files: [ScriptSet.File]) -> Double {
        guard !files.isEmpty else { return 0 }
        let trips = files.reduce(setTrips) { sum, file in
            sum + fileTrips + pieceTrips * (Double(file.bytes.count) / pieceByteCount).rounded(.up)
        }
        return trips * roundTrip + byteSeconds * Double(files.reduce(0) { $0 + $1.bytes.count })
    }
}
