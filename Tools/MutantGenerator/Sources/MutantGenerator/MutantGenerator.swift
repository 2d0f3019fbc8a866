import Foundation
import SwiftOperators
import SwiftParser
import SwiftSyntax

/// Prints each small change that could be a mistake in the named Swift files, as a JSON object a line.
@main
enum Program {
    static func main() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for path in CommandLine.arguments.dropFirst() {
            let source = try String(contentsOfFile: path, encoding: .utf8)
            let tree = OperatorTable.standardOperators.foldAll(Parser.parse(source: source)) { _ in }
            let finder = MutantFinder(path: path, tree: tree)
            finder.walk(tree)
            for mutant in finder.found { print(String(decoding: try encoder.encode(mutant), as: UTF8.self)) }
        }
    }
}

struct Mutant: Codable {
    enum Form: String, Codable {
        /// The text becomes a choice between `instead` and itself.
        case expression
        /// The statement is left out.
        case statement
        /// `instead` stands before the text.
        case before
    }

    var file: String
    var line: Int
    /// Of the text, in UTF-8 bytes of the file.
    var start: Int
    var end: Int
    var form: Form
    var kind: String
    var text: String
    var instead: String
}

final class MutantFinder: SyntaxVisitor {
    private(set) var found: [Mutant] = []
    private let path: String
    private let converter: SourceLocationConverter

    private static let operators = [
        "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&", "+": "-", "-": "+", "*": "+", "/": "*",
        "%": "/", "&": "|", "|": "&", "^": "|", "<<": ">>", ">>": "<<", "&+": "&-", "&-": "&+", "+=": "-=", "-=": "+=",
    ]
    private static let members = [
        "first": "last", "last": "first", "lowerBound": "upperBound", "upperBound": "lowerBound", "prefix": "suffix", "suffix": "prefix",
        "dropFirst": "dropLast", "dropLast": "dropFirst", "hasPrefix": "hasSuffix", "hasSuffix": "hasPrefix", "min": "max", "max": "min",
        "startIndex": "endIndex", "endIndex": "startIndex",
    ]
    /// Words for people, which decide nothing.
    private static let texts: Set = ["diagnosis", "description", "debugDescription", "words", "explanation", "summary"]
    private static let neverReturn: Set = ["fatalError", "preconditionFailure", "precondition", "assert", "exit", "abort"]

    init(path: String, tree: Syntax) {
        self.path = path
        converter = SourceLocationConverter(fileName: path, tree: tree)
        super.init(viewMode: .sourceAccurate)
    }

    private func add(_ node: some SyntaxProtocol, _ kind: String, _ form: Mutant.Form = .expression, instead: String) {
        let start = node.positionAfterSkippingLeadingTrivia
        found.append(
            Mutant(
                file: path, line: converter.location(for: start).line, start: start.utf8Offset,
                end: node.endPositionBeforeTrailingTrivia.utf8Offset, form: form, kind: kind, text: node.trimmedDescription,
                instead: instead))
    }

    // MARK: - What is left alone

    override func visit(_: AttributeListSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: ExpressionPatternSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: EnumCaseDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: FunctionParameterClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: StringLiteralExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: AvailabilityConditionSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: IfConfigDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: ImportDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
    override func visit(_: GenericArgumentClauseSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
        let names = node.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text }
        return names.contains(where: Self.texts.contains) ? .skipChildren : .visitChildren
    }

    // MARK: - What is changed

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
        guard !node.attributes.contains(where: { $0.trimmedDescription == "@inlinable" }) else { return .skipChildren }
        if node.signature.returnClause == nil, let body = node.body, let first = body.statements.first {
            add(first, "returns at once", .before, instead: "return")
        }
        return .visitChildren
    }

    override func visit(_ node: ConditionElementSyntax) -> SyntaxVisitorContinueKind {
        if case .expression(let expression) = node.condition {
            add(expression, "condition negated", instead: "!(\(expression.trimmedDescription))")
        }
        return .visitChildren
    }

    override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
        guard let sign = node.operator.as(BinaryOperatorExprSyntax.self), let other = Self.operators[sign.operator.text] else {
            return .visitChildren
        }
        let sides = [node.leftOperand, node.rightOperand]
        guard !sides.contains(where: { $0.is(StringLiteralExprSyntax.self) || $0.is(ArrayExprSyntax.self) }) else { return .visitChildren }
        let kind = ["<", "<=", ">", ">="].contains(sign.operator.text) ? "boundary moved" : "operator changed"
        let (left, right) = (node.leftOperand.trimmedDescription, node.rightOperand.trimmedDescription)
        add(node, kind, instead: "\(left) \(other) \(right)")
        return .visitChildren
    }

    override func visit(_ node: IntegerLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        let isDuration = node.parent?.parent?.parent?.as(FunctionCallExprSyntax.self)?.calledExpression.as(MemberAccessExprSyntax.self)
            .map { Self.durations.contains($0.declName.baseName.text) } ?? false
        add(node, "constant changed", instead: "\(node.trimmedDescription) \(isDuration && node.literal.text != "0" ? "* 10" : "+ 1")")
        return .skipChildren
    }

    /// A mistake in a time is one of its size; nobody can tell 15 s from 16 s.
    private static let durations: Set = ["seconds", "milliseconds", "microseconds"]

    override func visit(_ node: BooleanLiteralExprSyntax) -> SyntaxVisitorContinueKind {
        add(node, "constant changed", instead: node.literal.text == "true" ? "false" : "true")
        return .skipChildren
    }

    override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
        guard let base = node.base, let other = Self.members[node.declName.baseName.text] else { return .visitChildren }
        if let call = node.parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == node.id {
            let rest = call.trimmedDescription.dropFirst(node.trimmedDescription.count)
            add(call, "field exchanged", instead: "\(base.trimmedDescription).\(other)\(rest)")
        } else {
            add(node, "field exchanged", instead: "\(base.trimmedDescription).\(other)")
        }
        return .visitChildren
    }

    override func visit(_ node: CodeBlockItemSyntax) -> SyntaxVisitorContinueKind {
        guard case .expr(let expression) = node.item, let call = Self.call(in: expression), mayGo(node),
            !Self.neverReturn.contains(call.calledExpression.trimmedDescription), !call.calledExpression.trimmedDescription.hasSuffix(".init")
        else { return .visitChildren }
        add(expression, "call removed", .statement, instead: "")
        return .visitChildren
    }

    private static func call(in expression: ExprSyntax) -> FunctionCallExprSyntax? {
        if let tried = expression.as(TryExprSyntax.self) { return call(in: tried.expression) }
        if let awaited = expression.as(AwaitExprSyntax.self) { return call(in: awaited.expression) }
        return expression.as(FunctionCallExprSyntax.self)
    }

    /// Not where the call is the value of its block.
    private func mayGo(_ node: CodeBlockItemSyntax) -> Bool {
        guard let list = node.parent?.as(CodeBlockItemListSyntax.self) else { return false }
        if list.count > 1 { return true }
        guard let function = list.parent?.parent?.as(FunctionDeclSyntax.self) else {
            return list.parent?.parent.map { $0.is(IfExprSyntax.self) || $0.is(ForStmtSyntax.self) || $0.is(WhileStmtSyntax.self) } ?? false
        }
        return function.signature.returnClause == nil
    }
}
