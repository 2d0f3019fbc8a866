/// Reduces a picture's colours by median cut (Heckbert, 1982) and spreads each pixel's error over its neighbours (Floyd and Steinberg,
/// 1976).
enum ColourReduction {
    private struct Box {
        var pixels: [SIMD3<Int32>]

        var spread: (channel: Int, size: Int32) {
            (0..<3).map { channel in
                let values = pixels.map { $0[channel] }
                return (channel, (values.max() ?? 0) - (values.min() ?? 0))
            }.max { $0.1 < $1.1 } ?? (0, 0)
        }

        var mean: SIMD3<Int32> {
            var sum = SIMD3<Int64>()
            for pixel in pixels { sum &+= SIMD3<Int64>(truncatingIfNeeded: pixel) }
            return SIMD3<Int32>(truncatingIfNeeded: sum / Int64(max(1, pixels.count)))
        }
    }

    /// Pixels that determine the palette.
    private static let sampleLimit = 20_000

    /// - Returns: red, green, blue of each colour, the first one black; and each pixel's colour.
    static func reduce(_ picture: PixelPicture, to count: Int) -> (palette: [UInt8], indices: [UInt8]) {
        let palette = [SIMD3<Int32>()] + medianCut(samples(of: picture), into: count - 1)
        let filled = palette + Array(repeating: SIMD3<Int32>(), count: count - palette.count)
        return (filled.flatMap { [UInt8($0.x), UInt8($0.y), UInt8($0.z)] }, dithered(picture, palette))
    }

    private static func pixel(_ picture: PixelPicture, _ index: Int) -> SIMD3<Int32> {
        SIMD3(Int32(picture.pixels[index * 3]), Int32(picture.pixels[index * 3 + 1]), Int32(picture.pixels[index * 3 + 2]))
    }

    private static func samples(of picture: PixelPicture) -> [SIMD3<Int32>] {
        let count = picture.width * picture.height
        return stride(from: 0, to: count, by: max(1, count / sampleLimit)).map { pixel(picture, $0) }
    }

    private static func medianCut(_ pixels: [SIMD3<Int32>], into count: Int) -> [SIMD3<Int32>] {
        var boxes = [Box(pixels: pixels)]
        while boxes.count < count {
            let spreads = boxes.map(\.spread)
            guard let widest = boxes.indices.max(by: { spreads[$0].size < spreads[$1].size }), spreads[widest].size > 0 else { break }
            let channel = spreads[widest].channel
            let sorted = boxes[widest].pixels.sorted { $0[channel] < $1[channel] }
            let values = sorted.map { $0[channel] }
            // Between two values, or equal to both.
            let median = values[sorted.count / 2]
            let cut = median == values[0] ? values.firstIndex { $0 > median } : values.firstIndex(of: median)
            guard let cut else { break }
            boxes[widest] = Box(pixels: Array(sorted[..<cut]))
            boxes.append(Box(pixels: Array(sorted[cut...])))
        }
        return boxes.map(\.mean)
    }

    private static func dithered(_ picture: PixelPicture, _ palette: [SIMD3<Int32>]) -> [UInt8] {
        var indices: [UInt8] = []
        indices.reserveCapacity(picture.width * picture.height)
        // Sixteenths of the errors to add, with a margin on either side.
        var here = [SIMD3<Int32>](repeating: SIMD3(), count: picture.width + 2)
        for row in 0..<picture.height {
            var below = [SIMD3<Int32>](repeating: SIMD3(), count: picture.width + 2)
            for column in 0..<picture.width {
                let carried = (here[column + 1] / 16).clamped(lowerBound: SIMD3(repeating: -64), upperBound: SIMD3(repeating: 64))
                let wanted = pixel(picture, row * picture.width + column) &+ carried
                let index = nearest(to: wanted, in: palette)
                indices.append(UInt8(index))
                let rest = wanted &- palette[index]
                here[column + 2] &+= rest &* 7
                below[column] &+= rest &* 3
                below[column + 1] &+= rest &* 5
                below[column + 2] &+= rest
            }
            here = below
        }
        return indices
    }

    private static func nearest(to colour: SIMD3<Int32>, in palette: [SIMD3<Int32>]) -> Int {
        var best = (index: 0, distance: Int32.max)
        for (index, candidate) in palette.enumerated() {
            let difference = colour &- candidate
            let distance = (difference &* difference).wrappedSum()
            if distance < best.distance { best = (index, distance) }
        }
        return best.index
    }
}
