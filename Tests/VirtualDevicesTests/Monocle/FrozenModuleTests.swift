import Foundation
import TestSupport
import Testing
@testable import VirtualDevices

/// `re` and `json` are frozen Python here; the expected answers are those of MicroPython's C modules.
@Suite(.enabled(if: TestTools.mayRunMicroPython, "the interpreter is missing: run Tools/setup tests"))
struct FrozenModuleTests {
    @Test func regularExpressions() async throws {
        let values = [
            (#"re.search('(\\d+)-(\\d+)','tel 12-345').group(2)"#, #"345"#),
            (#"re.match('[^,]*,(.*)','a,b,c').group(1)"#, #"b,c"#), (#"re.match('a.*?b','axxbxb').group(0)"#, #"axxb"#),
            (#"re.match('a.*b','axxbxb').group(0)"#, #"axxbxb"#), (#"re.match('(a|b)*?c','abc').group(1)"#, #"b"#),
            (#"re.match('(?:(a)|(b))+','ab').group(1)"#, #"a"#), (#"re.match('(a)|b','b').group(1)"#, #"None"#),
            (#"re.match('(?:a|ab)(?:c|bcd)','abcd').group(0)"#, #"abcd"#), (#"re.match('b','ab')"#, #"None"#),
            (#"re.search('b$','ab').group(0)"#, #"b"#), (#"re.match('a{2}','a{2}').group(0)"#, #"a{2}"#),
            (#"re.search('[a\\-z]+','x-a-').group(0)"#, #"-a-"#), (#"re.search('[\\d-]+','a1-2').group(0)"#, #"1-2"#),
            (#"re.match('[^]','x').group(0)"#, #"x"#), (#"re.match('\\w+\\s\\W',b'a_9 !').group(0)"#, #"b'a_9 !'"#),
            (#"re.match('.*','a\\nb').group(0)"#, #"a\nb"#), (#"re.match('.','\u00e9z')is None"#, #"False"#),
            (#"re.compile('a').split('xayaz',1)"#, #"['x', 'yaz']"#), (#"re.compile('a*').split('bab')"#, #"['bab']"#),
            (#"re.sub('(\\w)(\\d)','\\2\\g<1>','a1 b2 c3',2)"#, #"1a 2b c3"#),
            (#"re.sub('b',lambda m:m.group(0)*2,'abc')"#, #"abbc"#), (#"re.sub('x*','-','abxd')"#, #"abxd"#),
            (#"re.compile('^a').match('ba',1)"#, #"None"#), (#"re.compile('b$').search('abbc',1,3)"#, #"None"#),
            (#"re.sub('a','x\u20ac','\u00e9a')"#, #"éx€"#), (#"re.search('(a?)+?b','aab').group(0)"#, #"aab"#),
        ]
        let errors = [
            (#"re.compile('a**')"#, #"ValueError: Error in regex"#), (#"re.compile('(a')"#, #"ValueError: Error in regex"#),
            (#"re.compile('[a')"#, #"ValueError: Error in regex"#), (#"re.match('(a?)*','b')"#, #"RuntimeError"#),
            (#"re.match('a','a').group(1)"#, #"IndexError"#), (#"re.compile('(a)').split('bab')"#, #"NotImplementedError"#),
            (#"re.sub('a','b','a',count=1)"#, #"TypeError"#),
        ]
        try await Self.check(importing: "re", values, errors)
    }

    @Test func json() async throws {
        let values = [
            (#"json.dumps([1,(2.5,None),True,False])"#, #"[1, [2.5, null], true, false]"#),
            (#"json.dumps({1:2})"#, #"{"1": 2}"#), (#"json.dumps({'a':{'b':[]}},separators=(',',':'))"#, #"{"a":{"b":[]}}"#),
            (#"json.dumps('a\x22\\\n\t\x01')"#, #""a\"\\\n\t\u0001""#), (#"json.dumps(b'ab')"#, #""ab""#),
            (#"json.dumps([1e20,3.0,-0.5])"#, #"[1e+20, 3.0, -0.5]"#), (#"json.dumps({1})"#, #"{1}"#),
            (#"json.loads('{\"a\":[1,{\"b\":null}],\"c\":-1.5e2}')['a'][1]"#, #"{'b': None}"#),
            (#"json.loads('\"\\\\u20ac\\\\n\\\\/\"')==chr(8364)+'\\n/'"#, #"False"#),
            (#"json.loads('[1 2,,3}')"#, #"[1, 2, 3]"#), (#"json.loads(b' true ')"#, #"True"#),
            (#"json.loads('12345678901234567890')"#, #"12345678901234567890"#),
            (#"json.load(io.StringIO('[false]'))"#, #"[False]"#), (#"len(json.dumps(json.loads('['*50+']'*50)))"#, #"100"#),
        ]
        let errors = [
            (#"json.loads('')"#, #"ValueError: syntax error in JSON"#),
            (#"json.loads('[1')"#, #"ValueError: syntax error in JSON"#),
            (#"json.loads('1,')"#, #"ValueError: syntax error in JSON"#),
            (#"json.loads('[1]x')"#, #"ValueError: syntax error in JSON"#),
            (#"json.loads('nul')"#, #"ValueError: syntax error in JSON"#), (#"json.loads(3)"#, #"TypeError"#),
            (#"json.load(3)"#, #"OSError"#), (#"a=[];a.append(a);json.dumps(a)"#, #"RuntimeError"#),
        ]
        try await Self.check(importing: "json,io", values, errors)
    }

    private static func check(
        importing modules: String, _ values: [(String, String)], _ errors: [(String, String)]
    ) async throws {
        try await withUnit { unit, central, _ in
            let terminal = try await Terminal.raw(unit, central)
            #expect(try await terminal.run("import \(modules)") == "")
            for (code, value) in values {
                let answer = try await terminal.run("print(\(code))")
                #expect(answer == value + "\n", "\(code)")
            }
            for (code, error) in errors {
                let answer = try await terminal.run(code)
                #expect(answer.contains(error), "\(code): \(answer)")
            }
        }
    }
}
