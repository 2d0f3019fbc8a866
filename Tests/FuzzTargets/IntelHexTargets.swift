import DFU

extension FuzzTarget {
    static let intelHex = FuzzTarget("intel-hex", seeds: { [Samples.intelHex] }) { input in
        let file = try FirmwareFile(name: "a.hex", format: .intelHex, bytes: input)
        try BrokenPromise.check(!file.image.isEmpty && file.image.count.isMultiple(of: 4), "an image of half words")
        try BrokenPromise.check(file.image.count <= DFUPackage.imageSizeLimit, "\(file.image.count) bytes of image")
    }

    /// Records with the right count and checksum, which a fuzzer does not find by itself. Each is a length, two bytes
    /// of address, a type and the data.
    static let intelHexRecords = FuzzTarget("intel-hex-records", seeds: { [Samples.recordContents] }) { input in
        var text: [UInt8] = []
        var rest = input[...]
        while rest.count >= 4 {
            let head = Array(rest.prefix(4))
            let data = Array(rest.dropFirst(4).prefix(Int(head[0] % 24)))
            rest = rest.dropFirst(4 + data.count)
            text += Samples.record(address: UInt16(head[1]) << 8 | UInt16(head[2]), type: head[3] % 7, data)
        }
        let file = try FirmwareFile(name: "a.hex", format: .intelHex, bytes: text + Array(":00000001FF\n".utf8), limit: 1 << 15)
        try BrokenPromise.check(file.image.count <= 1 << 15, "\(file.image.count) bytes of image")
    }
}
