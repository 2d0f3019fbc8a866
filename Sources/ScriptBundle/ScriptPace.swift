/// How fast a unit takes files over its link.
public struct ScriptPace: Sendable {
    /// Of one command and its answer, in seconds.
    var roundTrip: Double
    /// Round trips for a piece of a file, and the bytes of one.
    var pieceTrips: Double
    var pieceByteCount: Double
    /// Round trips beside the pieces, for each file and for a whole set.
    var fileTrips: Double
    var setTrips: Double
    /// On the unit: to write, read back and digest a byte, in seconds.
    var byteSeconds: Double

    public init(
        roundTrip: Double, pieceTrips: Double, pieceByteCount: Double, fileTrips: Double, setTrips: Double, byteSeconds: Double
    ) {
        (self.roundTrip, self.pieceTrips, self.pieceByteCount) = (roundTrip, pieceTrips, max(1, pieceByteCount))
        (self.fileTrips, self.setTrips, self.byteSeconds) = (fileTrips, setTrips, byteSeconds)
    }

    /// Before a link is there: that of BlueZ's first connection interval, 30 to 50 ms.
    public static let typical = ScriptPace(
        roundTrip: 0.09, pieceTrips: 1, pieceByteCount: 190, fileTrips: 6, setTrips: 8, byteSeconds: 0.000_05)

    /// Expected, to bring the files to a unit that has none of them.
    public func seconds(for files: [ScriptSet.File]) -> Double {
        guard !files.isEmpty else { return 0 }
        let trips = files.reduce(setTrips) { sum, file in
            sum + fileTrips + pieceTrips * (Double(file.bytes.count) / pieceByteCount).rounded(.up)
        }
        return trips * roundTrip + byteSeconds * Double(files.reduce(0) { $0 + $1.bytes.count })
    }
}
