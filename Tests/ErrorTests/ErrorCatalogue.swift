import Foundation
import Support

/// Every error of the product.
enum ErrorCatalogue {
    static let types: [CataloguedErrors] = [
        Examples.support, Examples.inbox, Examples.archive, Examples.link, Examples.blueZ, Examples.repl, Examples.fpga, Examples.package,
        Examples.firmwareFile, Examples.transfer, Examples.refusal, Examples.script, Examples.unitFile,
        Examples.bundle, Examples.provisioning,
        Examples.unitName,
        Examples.robot, Examples.robotCommand, Examples.frame,
        Examples.selection, Examples.catalogue, Examples.stateFile, Examples.assistant, Examples.unitFolder, Examples.command,
        Examples.ledger, Examples.claim, Examples.server, Examples.ledgerNotice, Examples.fleet, Examples.rollout,
        Examples.inputFile, Examples.privateFile, Examples.chatScript, Examples.pictureInput, Examples.soak, Examples.chat, Examples.bond,
        Examples.deviceList, Examples.comparison, Examples.serial, Examples.keyboard, Examples.espImage, Examples.overTheAir,
        Examples.bareFirmware, Examples.download, Examples.kept,
    ]

    static var all: [CataloguedError] { types.flatMap(\.errors) }

    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The Swift files of the product, as text.
    static func sources() throws -> [(path: String, text: String)] {
        let folder = root.appendingPathComponent("Sources")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        return try files.filter { $0.pathExtension == "swift" }.map { ($0.path, try String(contentsOf: $0, encoding: .utf8)) }
    }
}

/// One value for each case. Words in capitals stand for names and reasons.
enum Examples {
    static let reason = "REASON"
    static let path = "PATH"
}
