"""Reads exports of the ledger as others do, and prints what it read as JSON.

  ledger_exports.py csv FILE    the cells, by Python's csv
  ledger_exports.py junit FILE  the suites, by junitparser, once the file is valid against junit.xsd beside this script
Ends with 1 and the reason where a file is refused.
"""

import csv
import json
import os
import sys

import junitparser
import xmlschema


def cells(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file, strict=True))


def suites(path):
    xmlschema.XMLSchema(os.path.join(os.path.dirname(os.path.abspath(__file__)), "junit.xsd")).validate(path)
    return [
        {
            "name": suite.name, "tests": suite.tests, "failures": suite.failures, "errors": suite.errors, "skipped": suite.skipped,
            "time": suite.time, "timestamp": suite.timestamp, "hostname": suite.hostname,
            "cases": [
                {
                    "classname": case.classname, "name": case.name, "time": case.time,
                    "results": [[type(result).__name__, result.message] for result in case.result],
                }
                for case in suite
            ],
        }
        for suite in junitparser.JUnitXml.fromfile(path)
    ]


def main():
    kind, path = sys.argv[1:]
    try:
        print(json.dumps({"csv": cells, "junit": suites}[kind](path)))
    except Exception as error:
        sys.exit(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    main()
