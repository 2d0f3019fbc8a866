// Sends a signed DFU package to a unit that waits in Nordic's bootloader, with the products NordicDFU and BlueZCentral:
// SendFirmware PACKAGE KEY.pem ADDRESS
import BlueZ
import Bluetooth
import DFU
import Glibc
import Support

let (words, central) = (Array(CommandLine.arguments.dropFirst()), BlueZCentral())
guard words.count == 3, let address = DeviceAddress(words[2]) else { exit(64) }
do {
    let package = try DFUPackage(bytes: FileReader.read(words[0], limit: DFUPackage.fileSizeLimit))
    let key = try TrustedKey(name: words[1], pem: FileReader.read(words[1], limit: 16_384))
    for image in package.images {
        try image.checkIntegrity()
        _ = try image.verify(with: [key])
        let unit = try await central.connect(to: address, deadline: central.clock.deadline(in: .seconds(30)))
        let summary = try await DFUSession(connection: unit, clock: central.clock).transfer(image) { print($0) }
        print(image.kind, summary)
    }
} catch {
    print("failed:", SystemError.text(error))
}
await central.close()
