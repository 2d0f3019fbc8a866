"""Holds Python that runs on a Monocle to the names its firmware has.

Standard input: JSON with `pieces`, a list of code that shares its globals, and `modules`, code by module name. Arguments: the
data files beside this one. Standard output: JSON, a list of what is used and neither defined by the code itself nor there.
"""
import ast
import json
import sys


def words(table):
    return {name: set(attributes.split()) for name, attributes in table.items()}


class Device:
    def __init__(self, names, firmware):
        self.present = words(names["present"])
        for name, attributes in words(firmware["modules"]).items():
            self.present.setdefault(name, set()).update(attributes)
        self.modules = set(firmware["importable"].split())
        # With a `u` before its name the built-in module is found, whatever file has its name.
        for name in firmware["extensible"].split():
            self.modules.add("u" + name)
            self.present["u" + name] = self.present[name]
        self.builtins = self.present["builtins"]
        # What a program on the unit may define, asked for under `except NameError`.
        self.foreign = set(firmware["programs"].split())
        lacking = words(firmware["lacking"])
        for name, attributes in lacking.items():
            self.present.get(name, set()).difference_update(attributes)
        self.absent = words(names["absent"])
        for name, attributes in lacking.items():
            self.absent.setdefault(name, set()).update(attributes)
        self.attributes = set().union(*(self.present[name] for name in self.present if name != "builtins"))


class Names(ast.NodeVisitor):
    """What code defines: globals, attributes, and which name is which module."""

    def __init__(self):
        self.globals, self.attributes, self.modules = set(), set(), {}

    def visit_Name(self, node):
        if not isinstance(node.ctx, ast.Load):
            self.globals.add(node.id)
            self.attributes.add(node.id)

    def visit_Attribute(self, node):
        if not isinstance(node.ctx, ast.Load):
            self.attributes.add(node.attr)
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        self.globals.add(node.name)
        self.attributes.add(node.name)
        self.generic_visit(node)

    visit_ClassDef = visit_FunctionDef

    def visit_arg(self, node):
        self.globals.add(node.arg)

    def visit_ExceptHandler(self, node):
        if node.name:
            self.globals.add(node.name)
        self.generic_visit(node)

    def visit_Import(self, node):
        for alias in node.names:
            self.modules[alias.asname or alias.name] = alias.name

    def visit_ImportFrom(self, node):
        self.globals.update(alias.asname or alias.name for alias in node.names)


class Uses(ast.NodeVisitor):
    def __init__(self, device, own, others):
        self.device, self.own, self.others, self.found = device, own, others, []

    def module(self, name):
        if name not in self.device.modules and name not in self.others:
            self.found.append("module " + name)

    def member(self, module, attribute):
        if module in self.others:
            known = self.others[module].globals | set(self.others[module].modules)
        else:
            known = self.device.present.get(module, set())
        if attribute not in known:
            self.found.append(module + "." + attribute)

    def visit_Import(self, node):
        for alias in node.names:
            self.module(alias.name)

    def visit_ImportFrom(self, node):
        self.module(node.module)
        for alias in node.names:
            self.member(node.module, alias.name)

    def visit_Name(self, node):
        known = node.id in self.own.globals or node.id in self.own.modules or node.id in self.device.builtins
        if isinstance(node.ctx, ast.Load) and not known and node.id not in ("__import__", "__name__", "__build_class__"):
            self.found.append("name " + node.id)

    def visit_Attribute(self, node):
        value = node.value
        if isinstance(node.ctx, ast.Load):
            if isinstance(value, ast.Name) and value.id in self.own.modules:
                self.member(self.own.modules[value.id], node.attr)
            elif isinstance(value, ast.Name) and value.id in self.device.builtins and value.id in self.device.present:
                self.member(value.id, node.attr)
            elif node.attr not in self.own.attributes and node.attr not in self.device.attributes:
                self.found.append("attribute " + node.attr)
            elif node.attr in self.device.absent.get("methods", ()) and node.attr not in self.own.attributes:
                self.found.append("attribute " + node.attr)
        self.generic_visit(node)

    def visit_Call(self, node):
        """The helpers' own ways to a module: `get('os', …)`, `use('hashlib', 'sha256', …)`, `upd('Fpga')`."""
        texts = [part.value for part in node.args if isinstance(part, ast.Constant) and isinstance(part.value, str)]
        ways = isinstance(node.func, ast.Attribute) and node.func.attr in ("use", "upd")
        if isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            ways = isinstance(node.args[-1], ast.Tuple)
        if ways and texts:
            if node.func.attr == "upd":
                texts.insert(0, "update")
            self.module(texts[0])
            if len(texts) > 1 and node.func.attr != "get":
                self.member(texts[0], texts[1])
        self.generic_visit(node)

    def visit_FunctionDef(self, node):
        reflected = {"__r" + name + "__" for name in "add sub mul truediv floordiv mod pow lshift rshift and or xor matmul".split()}
        if node.name in reflected:
            self.found.append("reflected " + node.name)
        self.generic_visit(node)

    def visit_Assign(self, node):
        for target in node.targets:
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
                self.found.append("slice assignment")
        self.generic_visit(node)

    def visit_Constant(self, node):
        if isinstance(node.value, complex):
            self.found.append("complex number")


def names(trees):
    found = Names()
    for tree in trees:
        found.visit(tree)
    return found


def check(device, trees, own, others):
    uses = Uses(device, own, others)
    for tree in trees:
        uses.visit(tree)
    return uses.found


def main():
    device = Device(*(json.load(open(path)) for path in sys.argv[1:3]))
    given = json.load(sys.stdin)
    modules = {name: [ast.parse(text)] for name, text in given.get("modules", {}).items()}
    defined = {name: names(trees) for name, trees in modules.items()}
    pieces = [ast.parse(text) for text in given.get("pieces", [])]
    together, found = names(pieces), []
    for piece in pieces:
        # A piece names modules for itself; to the others these are globals.
        own = names([piece])
        own.globals |= together.globals | set(together.modules) | device.foreign
        own.attributes = together.attributes
        found += check(device, [piece], own, {})
    # An object of one module is used in others.
    everywhere = set().union(*(each.attributes for each in defined.values())) if defined else set()
    for name, trees in modules.items():
        own = defined[name]
        own.attributes |= everywhere
        found += [name + ": " + each for each in check(device, trees, own, defined)]
    print(json.dumps(sorted(set(found))))


main()
