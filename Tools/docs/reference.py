"""The reference of the commands, from `noafw --experimental-dump-help`: a page for each verb."""

import html
import json
import os
import re
import shlex
import subprocess


def dump(program):
    """The tree of commands as the program describes itself."""
    # Without a width of its own the terminal's would shape the texts.
    environment = {**os.environ, "COLUMNS": "80"}
    answer = subprocess.run([program, "--experimental-dump-help"], capture_output=True, text=True, check=True, env=environment)
    return json.loads(answer.stdout)["command"]


def verbs(command):
    return [verb for verb in command.get("subcommands", []) if verb["shouldDisplay"] and verb["commandName"] != "help"]


def text(words):
    """Markdown that shows these words as they are; what stands between backticks is code."""
    parts = words.split("`")
    if len(parts) % 2 == 0:
        parts = [words]
    for index in range(0, len(parts), 2):
        parts[index] = html.escape(parts[index], quote=False)
        for sign in "\\`*_[]|":
            parts[index] = parts[index].replace(sign, "\\" + sign)
    return "`".join(parts)


def discussion(words):
    """Paragraphs, and indented lines as blocks of code."""
    blocks, code, paragraph = [], [], []

    def close():
        if code:
            blocks.append("```sh\n" + "\n".join(code) + "\n```")
        if paragraph:
            blocks.append(text(" ".join(paragraph)))
        code.clear()
        paragraph.clear()

    for line in words.splitlines():
        if line.startswith("  "):
            if paragraph:
                close()
            code.append(line[2:])
        elif not line.strip():
            close()
        else:
            if code:
                close()
            paragraph.append(line.strip())
    close()
    return blocks


def spelling(argument):
    value = f" <{argument['valueName']}>" if argument["kind"] == "option" else ""
    if argument["kind"] == "positional":
        return f"<{argument['valueName']}>"
    names = [("--" if name["kind"] == "long" else "-") + name["name"] for name in argument["names"]]
    return ", ".join(names) + value


def meaning(argument):
    words = [text(argument.get("abstract", ""))]
    if argument.get("allValues"):
        words.append("Values: " + ", ".join(f"`{value}`" for value in argument["allValues"]) + ".")
    if argument.get("defaultValue"):
        words.append(f"Default: `{argument['defaultValue']}`.")
    return " ".join(words)


def options(command, headed):
    """A table for each group of options, in the order of the help."""
    groups = {}
    for argument in command.get("arguments", []):
        if argument["shouldDisplay"] and argument["valueName"] != "help":
            groups.setdefault(argument.get("sectionTitle") or "", []).append(argument)
    blocks = []
    for title, arguments in sorted(groups.items(), key=lambda group: group[0] == ""):
        # Cells of inline code keep their bars with the entity only.
        rows = [f"| <code>{html.escape(spelling(one)).replace('|', '&#124;')}</code> | {meaning(one)} |" for one in arguments]
        if headed:
            blocks.append(f"### {text(title or 'Others')}")
        elif title:
            blocks.append(f"**{text(title)}**")
        blocks += ["\n".join(["| option | meaning |", "| --- | --- |", *rows])]
    return blocks


def described(command, path, level):
    """One command and those below it."""
    name = " ".join(path)
    blocks = []
    if level > 1:
        blocks += [f"{'#' * level} {name}", text(command["abstract"])]
    blocks += discussion(command.get("discussion", ""))
    children = verbs(command)
    headed = level == 1 and not children
    if headed:
        blocks.append("## Options")
    blocks += options(command, headed)
    for child in children:
        blocks += described(child, [*path, child["commandName"]], level + 1)
    return blocks


def page(verb, written, elsewhere):
    """A verb's page: what was written about it by hand, then its help. `elsewhere` are titles and files of guides."""
    name = verb["commandName"]
    if written:
        blocks = [written.rstrip(), "## Help", text(verb["abstract"])]
    else:
        blocks = [f"# {name}", text(verb["abstract"])]
    if elsewhere and not written:
        blocks.append("Guide: " + ", ".join(f"[{title}](../{place})" for title, place in elsewhere) + ".")
    children = described(verb, ["noafw", name], 1)
    return "\n\n".join(blocks + children) + "\n"


def options_of(command):
    names = [name for argument in command.get("arguments", []) for name in argument.get("names", [])]
    return {("--" if name["kind"] == "long" else "-") + name["name"] for name in names}


def mistake(root, words):
    """What the program does not know of a command line, or nothing."""
    command = root
    for index, word in enumerate(words):
        children = {child["commandName"]: child for child in command.get("subcommands", [])}
        if word in children:
            command = children[word]
            continue
        if word.startswith("-") and index == 0:
            return None
        command = children.get(command.get("defaultSubcommand"), command)
        break
    if command.get("subcommands") and words and not words[-1].startswith("-"):
        return f"{' '.join(words)}: no such command"
    known = options_of(command) | {"--help", "-h"}
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("-") and name not in known and not name.lstrip("-").replace(".", "").isdigit() and name != "-":
            return f"noafw {' '.join(words)}: {command['commandName']} has no {name}"
    return None


def mistakes(root, markdown):
    """The command lines of the blocks of shell in a page that the program would refuse."""
    found = []
    for block in re.findall(r"^ *```sh\n(.*?)^ *```", markdown, flags=re.S | re.M):
        for line in re.findall(r"(?:^|[|;] *|\$\()(noafw [^|;<>&\n]*)", block.replace("\\\n", " "), flags=re.M):
            try:
                words = shlex.split(line, comments=True)
            except ValueError:
                continue
            found += filter(None, [mistake(root, words[1:])])
    return found
