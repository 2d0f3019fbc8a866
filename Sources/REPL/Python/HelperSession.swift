import Support

/// One helper on one unit: calls of its methods, their checked answers, and what to do when an answer is lost.
package struct HelperSession: Sendable {
    /// What a wait for the unit may take.
    package struct Timing: Sendable {
        /// For one answer.
        var answer: Duration
        /// From one piece of the helper to the next.
        var upload: Duration
        /// Back to the prompt after something was lost.
        var recovery: Duration

        package init(answer: Duration, upload: Duration, recovery: Duration) {
            (self.answer, self.upload, self.recovery) = (answer, upload, recovery)
        }
    }

    package let repl: PythonREPL
    private let helper: RemoteHelper
    private let timing: Timing
    /// A call that makes the helper ready, whatever ran on the unit before.
    private let preparation: String?
    /// Beginnings of the exceptions that asking again does not mend.
    private let lastingExceptions: [String]
    private let isSetback: @Sendable (any Error) -> Bool

    /// - Parameters:
    ///   - preparation: a call after each ``ensure()``, such as `top()`.
    ///   - lastingExceptions: names of Python's exceptions that asking again does not mend.
    ///   - isSetback: whether an error of the caller's own means that something was lost or damaged on the way.
    package init(
        of helper: RemoteHelper, on repl: PythonREPL, timing: Timing, preparation: String? = nil, lastingExceptions: [String] = [],
        isSetback: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        self.helper = helper
        self.repl = repl
        self.timing = timing
        self.preparation = preparation
        self.lastingExceptions = lastingExceptions
        self.isSetback = isSetback
    }

    /// Uploads the helper unless it is there already, and makes it ready.
    package func ensure() async throws { try await using {} }

    /// Performs what needs the helper. Should a restart of Python have taken away one that was not asked for again, it is uploaded
    /// and the work begins anew.
    package func using<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isRemembered = repl.remembers(helper)
        do {
            return try await prepared(body)
        } catch REPLError.exception(let exception) where isRemembered && exception.lastLine.hasPrefix("NameError") {
            return try await prepared(body)
        }
    }

    private func prepared<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await helper.ensure(on: repl, within: timing.upload)
        if let preparation { try await tell(preparation) }
        return try await body()
    }

    /// Runs a method that answers nothing.
    package func tell(_ call: String) async throws {
        _ = try await repl.run(code(of: call), within: timing.answer)
    }

    /// Runs a method once and returns its checked answer.
    package func perform(_ call: String, within limit: Duration? = nil) async throws -> String {
        try CheckedAnswer.decode(await repl.run(code(of: call), within: limit ?? timing.answer))
    }

    /// As ``perform(_:within:)``, and asks again when the answer was damaged: for methods that change nothing, or nothing the
    /// second time.
    package func ask(_ call: String, within limit: Duration? = nil) async throws -> String {
        try await CheckedAnswer.insisting { try await perform(call, within: limit) }
    }

    private func code(of call: String) throws -> PythonCode { try PythonCode("\(helper.name).\(call)") }
}

extension HelperSession {
    /// Whether asking the unit again can help: something was lost or damaged on the way.
    package func isTransient(_ error: any Error) -> Bool {
        switch error {
        case REPLError.exception(let exception): !lastingExceptions.contains { exception.lastLine.hasPrefix($0) }
        case REPLError.timedOut, REPLError.garbage, REPLError.outOfStep, REPLError.unreadable: true
        default: isSetback(error)
        }
    }

    /// Repeats a step that may be repeated, after getting back to the prompt.
    package func retrying<Value>(_ notice: (String) -> Void, _ step: () async throws -> Value) async throws -> Value {
        do {
            return try await step()
        } catch where isTransient(error) {
            notice("an answer was lost; asking again")
            try await recover()
        }
        return try await step()
    }

    /// Gets back to the prompt, and brings the helper again where a step goes on without one that a restart has taken away.
    package func recover() async throws {
        try await repl.recover(within: timing.recovery)
        guard !lastingExceptions.contains("NameError") else { return }
        do {
            try await ensure()
        } catch where isTransient(error) {
            try await repl.recover(within: timing.recovery)
        }
    }
}
