import Support

/// docs/errors.md.
enum ErrorPage {
    /// What the first letters of a code stand for, in the page's order.
    static let families = [
        "AST": "the assistant's server", "BLE": "the link to a unit", "BLZ": "bluetoothd and the adapter", "BND": "release bundles",
        "BOT": "OpenBot",
        "CAT": "the catalogue of assets", "DFU": "firmware packages and the bootloader", "FLT": "fleets", "FPGA": "the FPGA image",
        "ESP": "images of an ESP32", "FIL": "the owner's files on a unit", "IMG": "firmware that is one file", "OTA": "firmware over Wi-Fi",
        "FRM": "Frame", "KEP": "files that were kept", "KEY": "IOS-Keyboard",
        "LED": "the record of runs and its server (LED-002x and LED-014x are notices, which change no exit code)", "NOA": "noafw itself",
        "PRV": "units and runs", "REPL": "Python or Lua on the unit", "SCR": "scripts", "SUP": "limits of this process",
        "VIR": "virtual units", "WEB": "fetching files", "ZIP": "zip archives",
    ]

    static func text(_ errors: [CataloguedError]) -> String {
        let tables = families.keys.sorted().map { family in
            let rows = errors.filter { $0.diagnosis.code.hasPrefix(family + "-") }.map(\.diagnosis)
            return "## \(family): \(families[family] ?? "")\n\n" + table(rows)
        }
        return introduction + tables.joined(separator: "\n") + merged
    }

    private static var merged: String {
        let rows = mergedCodes.sorted { $0.key < $1.key }.map { "| `\($0.key)` | `\($0.value)` |\n" }
        return
            "\n## Merged codes\n\nEarlier versions used these codes. The new code has the same cause and remedy.\n\n| old | new |\n| "
                + "--- | --- |\n"
            + rows.joined()
    }

    private static let introduction = """
        # Errors

        Every error has a code, a message, a likely cause and a next action. A code keeps its meaning in later versions.
        Words in capitals and numbers are examples: a real message holds the names and numbers of the case.

        `make errors` writes this page from the sources. A test fails while the page is not current.

        ## Exit codes

        | exit | meaning |
        | --- | --- |
        | 0 | everything passed |
        | 1 | a unit failed, or differs from what it should hold |
        | 64 | the command line is wrong |
        | 65 | an input is damaged, or does not fit |
        | 66 | an input is missing |
        | 69 | no adapter, no unit or no service is available |
        | 74 | reading or writing failed |
        | 75 | the next try may work |
        | 77 | permission is missing |
        | 130 | noafw was interrupted |

        The exit code of an error is in its row. There is one exception: `noafw chat --query` ends with 1 whenever there is no answer.

        The bootloader's own refusals keep its numbers: `DFU-00` and a result code, or `DFU-0B` and an extended error.
        `DFU-00FF` and `DFU-0BFF` stand for every number that noafw does not know.


        """

    private static func table(_ diagnoses: [Diagnosis]) -> String {
        let rows = diagnoses.sorted { ($0.code, $0.message) < ($1.code, $1.message) }.map { row in
            let cells = ["`\(row.code)`", "\(row.category.rawValue)"] + [row.message, row.cause, row.remedy].map(escaped)
            return "| \(cells.joined(separator: " | ")) |\n"
        }
        return "| code | exit | message | likely cause | what to do |\n| --- | --- | --- | --- | --- |\n" + rows.joined()
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("|", with: "\\|").replacing("<", with: "\\<").replacing("*", with: "\\*")
            .replacing("_", with: "\\_").replacing("\n", with: " ")
    }
}
