"""Spoils copies of a ledger as another program may, and prints what each copy is called as a JSON list.

  spoil_ledger.py LEDGER.SQLITE NUMBER FOLDER

Each copy has one column of the row NUMBER set to another value, with the rules of its tables turned off.
"""

import json
import os
import shutil
import sqlite3
import sys

TEXTS = ["x", '{"x":1}', '[{"a":1}]', "\x1b[31mred\x9b0m\u202e"]
NUMBERS = [2**63 - 1, -(2**63)]


def main():
    source, number, folder = sys.argv[1:]
    with sqlite3.connect(source) as base:
        columns = [(row[1], row[2]) for row in base.execute("PRAGMA table_info(runs)") if row[1] != "number"]
    names = []
    for column, kind in columns:
        for index, value in enumerate(TEXTS if kind == "TEXT" else NUMBERS):
            name = f"{column}-{index}"
            path = os.path.join(folder, name, "state", "ledger", "ledger.sqlite")
            os.makedirs(os.path.dirname(path), mode=0o700)
            shutil.copy(source, path)
            copy = sqlite3.connect(path)
            copy.execute("PRAGMA ignore_check_constraints = ON")
            copy.execute(f'UPDATE runs SET "{column}" = ? WHERE number = ?', (value, int(number)))
            copy.commit()
            copy.close()
            names.append(name)
    print(json.dumps(names))


if __name__ == "__main__":
    main()
