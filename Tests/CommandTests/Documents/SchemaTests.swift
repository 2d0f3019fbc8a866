import Foundation
import TestSupport
import Testing

@testable import noafw

/// docs/schemas and docs/json.md, generated from the types that encode the documents and held against what the tool really prints.
/// NOAFW_WRITE_DOCS=1 writes them anew.
@Suite struct SchemaTests {
    private static let folder = TestTools.root.appendingPathComponent("docs/schemas")
    private static let page = TestTools.root.appendingPathComponent("docs/json.md")
    private static var isWriting: Bool { ProcessInfo.processInfo.environment["NOAFW_WRITE_DOCS"] == "1" }

    private static func file(_ schema: String) -> String { schema.replacing("/", with: "-") + ".json" }

    private static func schema(_ document: PublishedDocument) throws -> String {
        let node = SchemaNode()
        for sample in document.samples { try node.gather(sample) }
        if document.samples.isEmpty {
            for (_, text) in try printed().filter({ $0.schema == document.schema }) {
                node.gather(printed: try JSONSerialization.jsonObject(with: Data(text.utf8)))
            }
        }
        let body = node.text().dropFirst(2)
        return """
            {
              "$schema": "http://json-schema.org/draft-07/schema#",
              "$id": "\(document.schema)",
              "title": "\(document.title)",
            \(body)

            """
    }

    /// All documents of the golden files.
    private static func printed() throws -> [(schema: String, text: String)] {
        let golden = TestTools.root.appendingPathComponent("Tests/Golden")
        return try FileManager.default.contentsOfDirectory(atPath: golden.path).sorted().flatMap {
            try documents(in: String(contentsOf: golden.appendingPathComponent($0), encoding: .utf8))
        }
    }

    @Test func schemasAreCurrent() throws {
        let schemas = try PublishedDocument.all.map { (Self.file($0.schema), try Self.schema($0)) }
        if Self.isWriting {
            try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
            for (name, text) in schemas { try Data(text.utf8).write(to: Self.folder.appendingPathComponent(name)) }
        }
        for (name, text) in schemas {
            #expect(try String(contentsOf: Self.folder.appendingPathComponent(name), encoding: .utf8) == text, "run: make schemas")
        }
        #expect(try Set(FileManager.default.contentsOfDirectory(atPath: Self.folder.path)) == Set(schemas.map(\.0)))
    }

    /// Every schema that the sources name has a file.
    @Test func everyDocumentHasASchema() throws {
        let named = try Set(Project.sources().flatMap { text in text.matches(of: /"(noafw\.[a-z.-]+\/1)"/).map { String($0.1) } })
        #expect(
            named.subtracting(PublishedDocument.files).union(["noafw.pair/1", "noafw.unpair/1"]) == Set(PublishedDocument.all.map(\.schema))
        )
    }

    /// What the tool printed for the golden files.
    @Test(.enabled(if: TestTools.ledgerPython != nil, "fastjsonschema is missing: run Tools/setup tests"))
    func whatIsPrintedIsValid() throws {
        let golden = TestTools.root.appendingPathComponent("Tests/Golden")
        var documents: [[String: Any]] = []
        var seen: Set<String> = []
        for name in try FileManager.default.contentsOfDirectory(atPath: golden.path).sorted() {
            for (schema, text) in try Self.documents(in: String(contentsOf: golden.appendingPathComponent(name), encoding: .utf8)) {
                documents.append(["name": name, "schema": Self.file(schema), "text": text])
                seen.insert(schema)
            }
        }
        let unseen = Set(PublishedDocument.all.map(\.schema)).subtracting(seen)
        #expect(unseen == PublishedDocument.withoutGolden, "\(unseen.sorted())")
        let output = try Self.validate(documents)
        #expect(output == "\(documents.count) valid\n", "\(output)")
    }

    /// The validator is no yes-man.
    @Test(.enabled(if: TestTools.ledgerPython != nil, "fastjsonschema is missing: run Tools/setup tests"))
    func whatIsWrongIsNotValid() throws {
        for text in [#"{"schema":"noafw.error/1"}"#, #"{"schema":"noafw.error/1","error":{"code":1,"message":"","hint":""}}"#] {
            let output = try Self.validate([["name": "wrong", "schema": Self.file("noafw.error/1"), "text": text]])
            #expect(output.hasPrefix("wrong: "), "\(output)")
        }
    }

    @Test func thePageIsCurrent() throws {
        let golden = TestTools.root.appendingPathComponent("Tests/Golden")
        var text = try String(contentsOf: Self.page, encoding: .utf8)
        let mark = "<!-- What follows is written by: make schemas -->\n"
        let start = try #require(text.range(of: mark)?.upperBound)
        var body = ""
        for document in PublishedDocument.all {
            body +=
                "\n## `\(document.schema)`\n\n\(document.title). Schema: "
                    + "[\(Self.file(document.schema))](schemas/\(Self.file(document.schema)))\n"
            guard let name = document.golden else { continue }
            let example = try Self.documents(in: String(contentsOf: golden.appendingPathComponent("\(name).txt"), encoding: .utf8))
                .first { $0.schema == document.schema }
            body += "\n```json\n\(try Self.pretty(#require(example, "\(name)").text))\n```\n"
        }
        text = text[..<start] + body
        if Self.isWriting { try Data(text.utf8).write(to: Self.page) }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == text, "run: make schemas")
    }

    /// The JSON documents of a golden file, a line each, with numbers in the place of what is left out.
    private static func documents(in text: String) throws -> [(schema: String, text: String)] {
        let whole = text.replacing(/^exit [0-9]+\n/, with: "")
        let candidates = whole.hasPrefix("{\n") || whole.hasPrefix("[") ? [whole] : whole.split(separator: "\n").map(String.init)
        return candidates.compactMap { line in
            guard line.hasPrefix("{"), let schema = line.firstMatch(of: /"schema" ?: ?"(noafw\.[a-z.-]+\/1)"/) else { return nil }
            return (
                String(schema.1),
                line.replacing(/: N\b/, with: ": 1").replacing(/"seed":RUNBEGIN/, with: "\"seed\":1").replacing(
                    "RFKILL", with: #"{"name":"rfkill","status":"ok","detail":"","fix":null}"#)
            )
        }
    }

    private static func pretty(_ text: String) throws -> String {
        var (lines, line, depth, isText, isEscaped) = ([String](), "", 0, false, false)
        func pad() -> String { String(repeating: "  ", count: depth) }
        for character in text {
            if isText {
                line.append(character)
                if !isEscaped, character == "\"" { isText = false }
                isEscaped = !isEscaped && character == "\\"
                continue
            }
            switch character {
            case "\"":
                isText = true
                line.append(character)
            case "{", "[":
                line.append(character)
                lines.append(line)
                depth += 1
                line = pad()
            case "}", "]":
                depth -= 1
                if line.allSatisfy(\.isWhitespace), let last = lines.popLast() { line = last } else {
                    lines.append(line)
                    line = pad()
                }
                line.append(character)
            case ",":
                line.append(character)
                lines.append(line)
                line = pad()
            case ":": line += ": "
            case " ", "\n": continue
            default: line.append(character)
            }
        }
        return (lines + [line]).joined(separator: "\n")
    }

    private static func validate(_ documents: [[String: Any]]) throws -> String {
        let script = """
            import json, sys, fastjsonschema
            documents, known = json.load(sys.stdin), {}
            for document in documents:
                path = sys.argv[1] + "/" + document["schema"]
                if path not in known:
                    known[path] = fastjsonschema.compile(json.load(open(path)))
                try:
                    known[path](json.loads(document["text"]))
                except Exception as error:
                    sys.exit(print(document["name"] + ":", error) or 1)
            print(len(documents), "valid")
            """
        let (input, output) = (Pipe(), Pipe())
        let python = URL(fileURLWithPath: try TestTools.require(TestTools.ledgerPython, "fastjsonschema"))
        let process = try TestProcess(python, ["-c", script, folder.path], input: .pipe(input), output: .pipe(output))
        input.fileHandleForWriting.write(try JSONSerialization.data(withJSONObject: documents))
        try input.fileHandleForWriting.close()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    private enum Project {
        static func sources() throws -> [String] {
            let root = TestTools.root.appendingPathComponent("Sources")
            let files = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
            return try files.filter { $0.hasSuffix(".swift") }.map {
                try String(contentsOf: root.appendingPathComponent($0), encoding: .utf8)
            }
        }
    }
}
