import Foundation
import TestSupport

/// Verbs that work on files alone: packages, the catalogue, bundles and their keys.
extension GoldenTests {
    private static let images = "--application STATE/app.bin --application-version 12"

    static let packages = [
        Step(
            "package-create",
            "package create --family monocle \(images) --key-file STATE/key.pem --app-boot-validation ecdsa -o STATE/app.zip --json"
        ) {
            try write($0, PrivateKey.package, mode: 0o600, to: "key.pem")
            var image = (0..<9001).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }
            image.replaceSubrange(100..<114, with: "\0v26.123.0415\0".utf8)
            try Data(image).write(to: $0.state.appendingPathComponent("app.bin"))
        },
        Step("package-create-text", "package create --family monocle \(images) --key-file STATE/key.pem -o STATE/app.zip"),
        Step("package-create-all",
            """
            package create --family frame \(images) --softdevice STATE/app.bin --sd-id 0x0123,0xFFFE --sd-boot-validation none \
            --bootloader STATE/app.bin --bootloader-version 3 --debug-mode --unsigned -o STATE/all.zip --json
            """),
        Step(
            "package-create-fails",
            "package create --family monocle --application STATE/key.pem --application-version 1 --unsigned -o STATE/no.zip --json"),
        Step("package-create-no-key", "package create --family monocle \(images) --key-file STATE/app.bin -o STATE/no.zip --json"),
        Step("package-create-usage", "package create --application STATE/app.bin --unsigned -o STATE/no.zip --json"),
        Step("package-inspect", "package inspect STATE/app.zip --key STATE/key.pem --json"),
        Step("package-inspect-stranger", "package inspect STATE/app.zip --json"),
        Step("package-inspect-text", "package inspect STATE/all.zip"),
        Step("package-inspect-fails", "package inspect STATE/key.pem --json"),
        Step("package-inspect-usage", "package inspect --json"),
        Step("package-verify", "package verify STATE/app.zip --key STATE/key.pem --json"),
        Step("package-verify-text", "package verify STATE/app.zip --key STATE/key.pem"),
        Step("package-verify-stranger", "package verify STATE/app.zip --json"),
        Step("package-verify-unsigned", "package verify STATE/all.zip --json"),
        Step("package-verify-missing", "package verify STATE/none.zip --json"),
        Step("package-verify-usage", "package verify STATE/app.zip --nonsense --json"),
        Step("package-key-new", "package key new -o STATE/new.pem"),
        Step("package-key-new-again", "package key new -o STATE/new.pem"),
        Step("package-key-new-usage", "package key new --json"),
        Step("package-key-show", "package key show STATE/key.pem"),
        Step("package-key-show-fails", "package key show STATE/app.bin"),
        Step("package-key-show-usage", "package key show STATE/key.pem --format private"),
    ]

    static let assets = [
        Step("assets-list-no-catalogue", "assets list --assets STATE/none --json"),
        Step("assets-list-empty", "assets list --assets STATE/assets --json") {
            for folder in ["Firmware", "FPGA", "Scripts/monocle"] {
                try write($0, #"{"entries": []}"#, to: "assets/\(folder)/manifest.json")
            }
            try Data(BitstreamBytes.make()).write(to: $0.state.appendingPathComponent("fpga.bin"))
        },
        Step("assets-check-empty", "assets check --assets STATE/assets --json"),
        Step("assets-add", "assets add STATE/fpga.bin --version v23.230.0808 --assets STATE/assets --json"),
        Step("assets-add-again", "assets add STATE/fpga.bin --version v23.230.0808 --assets STATE/assets --make-default --json"),
        Step(
            "assets-add-package", "assets add Firmware/\(development) --key Firmware/development-key.pub.pem --assets STATE/assets --json"),
        Step("assets-add-fails", "assets add STATE/fpga.bin --assets STATE/assets --json"),
        Step("assets-add-usage", "assets add STATE/fpga.bin --sha256 12 --assets STATE/assets --json"),
        Step("assets-list", "assets list --assets STATE/assets --json"),
        Step("assets-list-text", "assets list --assets STATE/assets"),
        Step("assets-list-usage", "assets list --nonsense --json"),
        Step("assets-check", "assets check --assets STATE/assets --json"),
        Step("assets-refresh", "assets refresh --assets STATE/scripted --json") {
            for folder in ["Firmware", "FPGA"] { try write($0, #"{"entries": []}"#, to: "scripted/\(folder)/manifest.json") }
            for family in ["monocle", "frame"] {
                let (from, to) = ("\(TestTools.root.path)/Scripts/\(family)", $0.state.appendingPathComponent("scripted/Scripts/\(family)"))
                try FileManager.default.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: from, toPath: to.path)
            }
            try append("--", to: $0.state.appendingPathComponent("scripted/Scripts/frame/state.lua"))
        },
        Step("assets-fetch", "assets fetch monocle --dry-run --json"),
        Step("assets-fetch-text", "assets fetch frame --dry-run"),
        Step("assets-fetch-usage", "assets fetch keyboard --json"),
        Step("assets-refresh-text", "assets refresh --assets STATE/scripted"),
        Step("assets-refresh-usage", "assets refresh --family pager --json"),
        Step("assets-check-bad", "assets check --assets STATE/assets --json") {
            try append("x", to: $0.state.appendingPathComponent("assets/FPGA/monocle-v23.230.0808.bin"))
        },
        Step("assets-check-missing-text", "assets check --assets STATE/assets") {
            try FileManager.default.removeItem(at: $0.state.appendingPathComponent("assets/FPGA/monocle-v23.230.0808.bin"))
        },
        Step("assets-check-usage", "assets check more --json"),
        Step("assets-manifest-bad", "assets list --assets STATE/assets --json") {
            try write($0, #"{"entries": [{"version": 1}]}"#, to: "assets/FPGA/manifest.json")
        },
    ]

    private static let development = (try? FileManager.default.contentsOfDirectory(atPath: TestTools.root.path + "/Firmware"))?
        .first { $0.hasPrefix("monocle-development") } ?? "missing"

    private static let parts = "--fpga STATE/fpga.bin --fpga-version v23.230.0808"

    static let bundles = [
        Step(
            "bundle-create-signed",
            "bundle STATE/scripts -o STATE/signed.zip --no-check --sign STATE/sign.pem \(parts) --version-scheme sha256 --json"
        ) {
            try write($0, PrivateKey.bundle, mode: 0o600, to: "sign.pem")
            try write($0, "import states\n", to: "scripts/main.py")
            try write($0, "a = 1\n", to: "scripts/states.py")
        },
        Step("bundle-create-text", "bundle STATE/scripts -o STATE/plain.zip --no-check"),
        Step("bundle-create-fails", "bundle STATE/none -o STATE/no.zip --no-check --json"),
        Step(
            "bundle-create-no-bitstream",
            "bundle STATE/scripts -o STATE/no.zip --no-check --fpga STATE/sign.pem --fpga-version v23.230.0808 --json"),
        Step("bundle-create-usage", "bundle STATE/scripts --json"),
        Step("bundle-show-trusted", "bundle show STATE/signed.zip --trust STATE/sign.pub.pem --json") {
            try write($0, $0.run(["bundle", "key", "show", $0.state.path + "/sign.pem"]).output, to: "sign.pub.pem")
        },
        Step("bundle-show-unverified", "bundle show STATE/signed.zip --json"),
        Step("bundle-show-text", "bundle show STATE/signed.zip --trust STATE/sign.pub.pem"),
        Step("bundle-show-untrusted", "bundle show STATE/plain.zip --trust STATE/sign.pub.pem --json"),
        Step("bundle-show-fails", "bundle show STATE/sign.pem --json"),
        Step("bundle-show-usage", "bundle show --json"),
        Step("bundle-verify", "bundle verify STATE/signed.zip --trust STATE/sign.pub.pem --json"),
        Step("bundle-verify-text", "bundle verify STATE/signed.zip --trust STATE/sign.pub.pem"),
        Step("bundle-verify-untrusted", "bundle verify STATE/plain.zip --trust STATE/sign.pub.pem --json"),
        Step("bundle-verify-usage", "bundle verify --json"),
        Step("bundle-sbom", "bundle sbom STATE/signed.zip"),
        Step(
            "bundle-provenance",
            "bundle provenance STATE/signed.zip --source git+https://example.com/app --commit 9f3c1a7 --builder https://example.com/room"),
        Step("bundle-provenance-usage", "bundle provenance STATE/signed.zip --commit x --json"),
        Step("lint", "lint STATE/scripts --no-check --json"),
        Step("lint-mistakes", "lint STATE/bad --json") {
            try write($0, "x = = 1\n", to: "bad/main.lua")
            try write($0, "\n)", to: "bad/a.lua")
        },
        Step("lint-mistakes-text", "lint STATE/bad"),
        Step("lint-usage", "lint --json"),
        Step("bundle-check-passes", "bundle --check STATE/signed.zip STATE/scripts --json"),
        Step("bundle-check-text", "bundle --check STATE/signed.zip STATE/scripts \(parts)"),
        Step("bundle-check-fails", "bundle --check STATE/none.zip STATE/scripts --json"),
        Step("bundle-check-usage", "bundle --check STATE/signed.zip STATE/scripts --sign STATE/sign.pem --json"),
        Step("bundle-key-new", "bundle key new -o STATE/sign-new.pem"),
        Step("bundle-key-new-again", "bundle key new -o STATE/sign-new.pem"),
        Step("bundle-key-show", "bundle key show STATE/sign.pem"),
        Step("bundle-key-show-fails", "bundle key show STATE/key.pem"),
        Step("bundle-key-show-usage", "bundle key show"),
    ]

    private static func write(_ bench: ToolBench, _ text: String, mode: Int = 0o644, to name: String) throws {
        let file = bench.state.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
    }

    /// Protect nothing: the first is the published development key, the second is made of the numbers 0 to 31.
    private enum PrivateKey {
        static let package = """
            -----BEGIN EC PRIVATE KEY-----
            MHcCAQEEILRqiPUtz/gRO9JL4tnzr51gySb7rHYh8Gv9mmtKamYVoAoGCCqGSM49
            AwEHoUQDQgAEyB2eRoc97/bdbhhN2uwVsYlbNF8LfjePkbzw1ipn3Gdvq9z9GmES
            dDyE/Bcbza3oXQ0jcPD4HVhXA+0vBQpRcA==
            -----END EC PRIVATE KEY-----

            """
        static let bundle = """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f
            -----END PRIVATE KEY-----

            """
    }
}
