import Archive
import DFU
import FrameFamily
import MonocleFamily

extension FuzzTarget {
    static let archive = FuzzTarget("archive", seeds: { try [Samples.package(), Samples.archive()] }) { input in
        let limits = ArchiveLimits(entryCount: 64, contentByteCount: 1 << 20, allowsFolders: true)
        try ArchiveReader.open(input, limits: limits) { archive in
            for name in archive.names {
                let bytes = try archive.read(name, limit: 1 << 16)
                try BrokenPromise.check(bytes.count <= 1 << 16, "\(bytes.count) bytes past the limit")
            }
        }
    }

    static let package = FuzzTarget("package", seeds: { try [Samples.package(), Samples.combinedPackage()] }) { input in
        try examine(DFUPackage(bytes: input))
    }

    /// Checksums of the archive would keep a fuzzer out of the files in it: here it writes them alone. The first four
    /// bytes are the lengths of the manifest and the init packet, the rest is the image.
    static let packageContent = FuzzTarget("package-content", seeds: { try [Samples.packageContent()] }) { input in
        let lengths = (0..<4).map { $0 < input.count ? Int(input[$0]) : 0 }
        let content = input.dropFirst(4)
        let manifest = content.prefix(lengths[0] | lengths[1] << 8)
        let packet = content.dropFirst(manifest.count).prefix(lengths[2] | lengths[3] << 8)
        let image = content.dropFirst(manifest.count + packet.count)
        let archive = try ArchiveWriter.archive([
            "manifest.json": Array(manifest), "a.dat": Array(packet), "a.bin": Array(image),
        ])
        try examine(DFUPackage(bytes: archive))
    }

    static let initPacket = FuzzTarget("init-packet", seeds: { try Samples.initPackets() }) { input in
        let packet = try InitPacket(parsing: input)
        try BrokenPromise.check(packet.bytes == input, "the packet is not kept as it came")
        try BrokenPromise.check(packet.signedBytes.count < input.count, "the signature covers more than there is")
    }

    private static func examine(_ package: DFUPackage) throws {
        try BrokenPromise.check(!package.images.isEmpty, "a package without an image")
        for image in package.images {
            try BrokenPromise.check(image.bytes.count <= DFUPackage.imageSizeLimit, "\(image.bytes.count) bytes of image")
            _ = image.versions
            try image.checkIntegrity()
            let key = try image.verify(with: [.monocleVendor, .frameVendor])
            try image.verifyBootValidation(with: key)
        }
    }
}
