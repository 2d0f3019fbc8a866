import Cryptography
import DFU
import Foundation

/// Makes the stand-ins that the manifests under one root describe, and writes their digests and those of the scripts there.
struct AssetGenerator {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private static let keyName = "development-key.pem"
    private static let publicKeyName = "development-key.pub.pem"

    let root: URL
    /// Small images in place of those of realistic size.
    var isSmall = false

    func run() throws {
        let firmware = root.appendingPathComponent("Firmware")
        let key = try signingKey(in: firmware)
        let publicText = "# noafw development key, public half. Not the vendor's.\n" + (try key.publicPEM())
        try write(publicText.utf8, to: firmware.appendingPathComponent(Self.publicKeyName))
        try update("Firmware") { folder, entry in
            guard let standIn = try StandIn<FirmwareMarks>(entry) else { return }
            let file = folder.appendingPathComponent(standIn.file)
            let package = try package(of: standIn, signedBy: key, previous: try? DFUPackage(bytes: Array(Data(contentsOf: file))))
            try write(package, to: file)
            (entry["sha256"], entry["key"]) = (SHA256.text(of: package), Self.publicKeyName)
        }
        try update("FPGA") { folder, entry in
            guard let standIn = try StandIn<ImageMarks>(entry) else { return }
            let image = standIn.bitstream(isSmall: isSmall)
            try write(image, to: folder.appendingPathComponent(standIn.file))
            entry["sha256"] = SHA256.text(of: image)
        }
        for family in try FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent("Scripts").path) {
            let hasManifest = FileManager.default.fileExists(atPath: root.appendingPathComponent("Scripts/\(family)/manifest.json").path)
            if hasManifest { try update("Scripts/\(family)", digestScripts) }
        }
    }

    private func digestScripts(_ folder: URL, _ entry: inout [String: Any]) throws {
        entry["files"] = try (entry["files"] as? [[String: Any]])?.compactMap { $0["file"] as? String }.map { name in
            ["file": name, "sha256": SHA256.text(of: [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))]
        }
    }

    /// Lets `change` bring each development entry of a folder's manifest up to date; everything else in it stays.
    private func update(_ name: String, _ change: (URL, inout [String: Any]) throws -> Void) throws {
        let folder = root.appendingPathComponent(name)
        let file = folder.appendingPathComponent("manifest.json")
        guard var document = try JSONSerialization.jsonObject(with: try Data(contentsOf: file)) as? [String: Any],
            var entries = document["entries"] as? [[String: Any]]
        else { throw Failure(description: "\(file.path) is no manifest") }
        for index in entries.indices where entries[index]["development"] as? Bool == true { try change(folder, &entries[index]) }
        document["entries"] = entries
        let text = try JSONSerialization.data(withJSONObject: document, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
        try write(text + [UInt8(ascii: "\n")], to: file)
    }

    /// A signature is random: the previous one stays while it is right, and with it the file.
    private func package(of standIn: StandIn<FirmwareMarks>, signedBy key: SigningKey, previous: DFUPackage?) throws -> [UInt8] {
        let image = standIn.application(isSmall: isSmall)
        let builder = InitPacketBuilder(
            kind: .application, image: image, firmwareVersion: standIn.marks.number, hardwareVersion: standIn.marks.hardwareVersion,
            softDevices: [standIn.marks.softDevice])
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
        try write((warning + key.pem).utf8, to: file)
        return key
    }

    /// Leaves a file that is right already alone, its date included.
    private func write(_ bytes: some Sequence<UInt8>, to file: URL) throws {
        let content = Data(bytes)
        if (try? Data(contentsOf: file)) != content { try content.write(to: file, options: .atomic) }
    }
}
