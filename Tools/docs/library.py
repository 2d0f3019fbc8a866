"""Pages of the library products, from the graphs that Tools/docc gives to DocC."""

import json
import os
import re
import subprocess

MODULES = {"DFU": "NordicDFU", "BlueZ": "BlueZCentral", "Bluetooth": None, "Cryptography": None, "Support": None}
SHARED = {
    "Bluetooth": "What a central and a link are, for `DFU`, `BlueZ` and your own code. Part of both products.",
    "Cryptography": "SHA-256, P-256 and Ed25519 through OpenSSL's libcrypto. Part of the product `NordicDFU`.",
    "Support": "Diagnoses, clocks, queues and files. Part of both products.",
}
TYPES = ("swift.struct", "swift.class", "swift.enum", "swift.protocol")


def graphs(root, folder):
    subprocess.run([os.path.join(root, "Tools/docc"), "--graphs", folder], check=True, cwd=root)
    for module in MODULES:
        with open(os.path.join(folder, f"{module}.symbols.json"), encoding="utf-8") as file:
            yield module, json.load(file)["symbols"]


def comment(symbol):
    """DocC's links become code; its lists of parameters become a list."""
    text = "\n".join(line["text"] for line in symbol.get("docComment", {}).get("lines", []))
    text = re.sub(r"(?<!`)``([^`\n]+)``(?!`)", lambda link: f"`{link[1].replace('/', '.')}`", text)
    text = re.sub(r"(?m)^ *- Parameters: *\n", "", text)
    text = re.sub(r"(?m)^ *- (?:Parameter )?(\w+):", r"\n- *\1*:", text)
    return re.sub(r"(\n- [^\n]*)\n+(?=- )", r"\1\n", text).strip()


def is_left_out(symbol):
    """Types have parts of their own; what comes from Swift's protocols is explained there."""
    return symbol["kind"]["identifier"] in TYPES or symbol.get("docComment", {}).get("module") == "Swift"


def declaration(symbol):
    """In one line: the compiler breaks long ones."""
    return re.sub(r"\s+", " ", "".join(part["spelling"] for part in symbol["declarationFragments"]))


def introduction(root, product):
    """The product's own page for DocC, without its heading and its list of names."""
    with open(os.path.join(root, f"Examples/{product}.docc/{ {'NordicDFU': 'DFU', 'BlueZCentral': 'BlueZ'}[product] }.md"),
              encoding="utf-8") as file:
        text = file.read().split("\n## Topics")[0].split("\n", 1)[1]
    return re.sub(r"(?<!`)``([^`\n]+)``(?!`)", lambda link: f"`{link[1].replace('/', '.')}`", text).replace("## Overview\n", "").strip()


def page(root, module, symbols):
    product = MODULES[module]
    lines = [f"# {product + ': ' if product else ''}module `{module}`", "", introduction(root, product) if product else SHARED[module], ""]
    by_path = {tuple(symbol["pathComponents"]): symbol for symbol in symbols}
    for path in sorted((path for path in by_path if by_path[path]["kind"]["identifier"] in TYPES), key=lambda path: [p.lower() for p in path]):
        lines += [f"## {'.'.join(path)}", "", "```swift", declaration(by_path[path]), "```", "", comment(by_path[path]), ""]
        members = [by_path[other] for other in by_path if other[:-1] == path and not is_left_out(by_path[other])]
        for member in sorted(members, key=lambda one: one.get("location", {}).get("position", {}).get("line", 0)):
            first, *rest = [f"- `{declaration(member)}`", "", *comment(member).split("\n")]
            lines += [first, *("    " + line if line else "" for line in rest), ""]
    return "\n".join(lines) + "\n"


def pages(root, folder):
    for module, symbols in graphs(root, folder):
        yield f"library/{module}.md", page(root, module, symbols)
