import Support

/// What one value of an error type says.
struct CataloguedError {
    let type: String
    let caseName: String
    let diagnosis: Diagnosis
}

/// The errors of one type, each case at least once, made with placeholders.
struct CataloguedErrors {
    let type: String
    let errors: [CataloguedError]
    /// Cases that only pass on the error of another type.
    let wrappers: Set<String>
    /// Whether the type is an enum whose cases can be counted.
    let isEnum: Bool

    init<Value>(_ examples: [Value], wrappers: Set<String> = [], diagnosis: (Value) -> Diagnosis) {
        let type = "\(Value.self)"
        self.type = type
        self.wrappers = wrappers
        isEnum = examples.first.map { Mirror(reflecting: $0).displayStyle == .enum } ?? false
        errors = examples.map { CataloguedError(type: type, caseName: Self.caseName($0), diagnosis: diagnosis($0)) }
    }

    init<Value: DiagnosableError>(_ examples: [Value], wrappers: Set<String> = []) {
        self.init(examples, wrappers: wrappers, diagnosis: \.diagnosis)
    }

    /// Diagnoses that no type of their own stands for.
    init(_ type: String, _ diagnoses: [(name: String, diagnosis: Diagnosis)]) {
        self.type = type
        (wrappers, isEnum) = ([], false)
        errors = diagnoses.map { CataloguedError(type: type, caseName: $0.name, diagnosis: $0.diagnosis) }
    }

    private static func caseName(_ value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        return mirror.displayStyle == .enum ? mirror.children.first?.label ?? "\(value)" : "\(mirror.subjectType)"
    }
}
