import Cryptography
import DFU
import Foundation

/// Writes the development assets under one root.
struct AssetGenerator {
    static let scriptsVersions = ["monocle": "v26.326.0616", "frame": "v26.326.1430"]
    /// The scripts of each family in the order in which they are hashed and installed: the Monocle's is the phone app's
    /// (noa-for-ios, `Controller.swift`).
    static let scriptNames = [
        "monocle": ["states.py", "graphics.py", "audio.py", "photo.py", "main.py"],
        "frame": ["state.lua", "graphics.lua", "link.lua", "media.lua", "picture.lua", "main.lua"],
    ]
    private static let keyName = "development-key.pem"
    private static let publicKeyName = "development-key.pub.pem"

    let root: URL
    /// Small images in place of those of realistic size.
    var isSmall = false

    func run() throws {
        try writeFirmware()
        try writeFPGA()
        for (family, names) in Self.scriptNames { try writeScriptManifest(of: names, for: family) }
    }

    private func writeFirmware() throws {
        let folder = try folder("Firmware")
        let key = try signingKey(in: folder)
        let publicText = "# noafw development key, public half. Not the vendor's.\n" + (try key.publicPEM())
        try write(Array(publicText.utf8), to: folder.appendingPathComponent(Self.publicKeyName))
        for standIn in FirmwareStandIn.all {
            let file = folder.appendingPathComponent(standIn.fileName)
            let package = try package(of: standIn, signedBy: key, previous: try? DFUPackage(path: file.path))
            try write(package, to: file)
            try AssetManifest(folder: folder).put([
                "version": standIn.version, "hardware": standIn.hardware, "file": standIn.fileName,
                "sha256": SHA256.text(of: package), "development": true, "key": Self.publicKeyName,
            ])
        }
    }

    private func writeFPGA() throws {
        let folder = try folder("FPGA")
        let image = isSmall ? FPGAStandIn.sparseImage() : FPGAStandIn.image()
        try write(image, to: folder.appendingPathComponent(FPGAStandIn.fileName))
        try AssetManifest(folder: folder).put([
            "version": FPGAStandIn.version, "hardware": FPGAStandIn.hardware, "file": FPGAStandIn.fileName,
            "sha256": SHA256.text(of: image), "development": true,
        ])
    }

    /// The scripts themselves are written by hand; only their digests are kept here.
    private func writeScriptManifest(of names: [String], for family: String) throws {
        let folder = try folder("Scripts/\(family)")
        let files = try names.map { name in
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
            return ["file": name, "sha256": SHA256.text(of: bytes)]
        }
        try AssetManifest(folder: folder).put([
            "version": Self.scriptsVersions[family] ?? "", "hardware": family, "files": files, "development": true,
        ])
    }

    /// A signature is random, so the previous one stays as long as it is right: the file then stays the same, too.
    private func package(of standIn: FirmwareStandIn, signedBy key: SigningKey, previous: DFUPackage?) throws -> [UInt8] {
        let image = standIn.image(byteCount: isSmall ? FirmwareStandIn.smallByteCount : standIn.byteCount)
        let builder = InitPacketBuilder(
            image: image, firmwareVersion: standIn.initPacketVersion, target: standIn.target)
        let command = try builder.commandBytes()
        var signature = try key.sign(command)
        if let packet = previous?.images.first?.initPacket, packet.signedBytes == command,
            let kept = packet.signature?.bytes, key.trusted(as: Self.keyName).verifies(kept, over: command)
        {
            signature = kept
        }
        return try DFUPackageWriter(image: image, initPacket: try builder.signed(with: signature)).archive()
    }

    /// The key in the folder, or a fresh one, which is then kept there. It is public and protects nothing.
    private func signingKey(in folder: URL) throws -> SigningKey {
        let file = folder.appendingPathComponent(Self.keyName)
        if FileManager.default.fileExists(atPath: file.path) {
            return try SigningKey(name: Self.keyName, pem: [UInt8](try Data(contentsOf: file)))
        }
        let key = try SigningKey.generate()
        let warning = "# noafw development key: published on purpose, protects nothing. Never sign a release with it.\n"
        try write(Array((warning + key.pem).utf8), to: file)
        return key
    }

    private func folder(_ name: String) throws -> URL {
        let folder = root.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Leaves a file that is right already alone, its date included.
    private func write(_ bytes: [UInt8], to file: URL) throws {
        let content = Data(bytes)
        if let present = try? Data(contentsOf: file), present == content { return }
        try content.write(to: file, options: .atomic)
    }
}
