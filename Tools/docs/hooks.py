"""MkDocs' hooks: pages that are elsewhere in the repository, the commands' help, error codes that lead to their rows, drawings."""

import html
import os
import posixpath
import re
import sys
import tempfile

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

sys.path.insert(0, os.path.dirname(__file__))
import library  # noqa: E402
import reference  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CODE = re.compile(r"(?:AST|BLE|BLZ|BND|BOT|CAT|DFU|ESP|FLT|FPGA|FRM|IMG|KEY|LED|NOA|OTA|PRV|REPL|SCR|SUP|VIR|ZIP)-[0-9A-F]{4}")
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Site:
    def __init__(self):
        self.places = {}  # a file of the repository -> its page
        self.titles = {}
        self.codes = set()
        self.drawings = {}


site = Site()


def own_pages():
    """Pages that are files of the repository outside docs."""
    yield "README.md", "index.md"
    yield "CONTRIBUTING.md", "contributing.md"
    yield "CHANGELOG.md", "changelog.md"
    yield "LICENSE", "licence.md"
    for top in ("Sources", "Scripts", "Firmware", "FPGA"):
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders.sort()
            if "README.md" in names:
                path = os.path.relpath(os.path.join(folder, "README.md"), ROOT)
                name = os.path.dirname(path).removeprefix("Sources/").replace("/", "-")
                yield path, f"{'modules' if top == 'Sources' else 'folders'}/{name}.md"


def on_config(config):
    program = os.environ.get("NOAFW") or os.path.join(ROOT, ".build/debug/noafw")
    if not os.access(program, os.X_OK):
        raise PluginError(f"the commands' help comes from {program}, which is not there: run make docs, or name another in NOAFW")
    command = reference.dump(program)
    site.command, site.verbs = command, reference.verbs(command)
    names = [verb["commandName"] for verb in site.verbs]
    for entry in config.nav:
        if "Commands" in entry:
            entry["Commands"] += [{name: f"commands/{name}.md"} for name in names]
        if "Project" in entry:
            for title, folder in (("Scripts and images", "folders/"), ("Modules", "modules/")):
                entry["Project"].append({title: sorted(page for _, page in own_pages() if page.startswith(folder))})
    more = sorted(page for page in written_pages() if page not in list(listed(config.nav)))
    if more:
        config.nav.append({"More": more})
    return config


def written_pages():
    """The pages of docs; those of commands come into the navigation with their commands."""
    folder = os.path.join(ROOT, "docs")
    for place, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(place, name), folder)
            if name.endswith(".md") and not path.startswith("commands/"):
                yield path


def listed(entries):
    for entry in entries:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                yield from listed(value)
            else:
                yield value


def on_files(files, config):
    site.codes = set(CODE.findall(read("docs/errors.md")))
    site.places = {f"docs/{file.src_uri}": file.src_uri for file in files}
    for path, place in own_pages():
        content = read(path)
        if path == "LICENSE":
            content = f"# Licence\n\n```text\n{content}```\n"
        if files.get_file_from_path(place):
            raise PluginError(f"two pages want to be {place}")
        files.append(File.generated(config, place, content=content))
        site.places[path] = place
    guides = config.extra["guides"]
    for verb in site.verbs:
        place = f"commands/{verb['commandName']}.md"
        written = files.get_file_from_path(place)
        if written:
            files.remove(written)
        content = reference.page(verb, written.content_string if written else "", guides.get(verb["commandName"], {}).items())
        files.append(File.generated(config, place, content=content))
        site.places[f"docs/{place}"] = place
    with tempfile.TemporaryDirectory() as folder:
        for place, content in library.pages(ROOT, folder):
            files.append(File.generated(config, place, content=content))
    for file in files.documentation_pages():
        heading = re.search(r"^# (.+)$", file.content_string, flags=re.M)
        if heading:
            site.titles[file.src_uri] = heading[1].replace("`", "")
    schemas = sorted(file.src_uri for file in files if file.src_uri.startswith("schemas/"))
    rows = "\n".join(f"- [{posixpath.basename(name)}]({name})" for name in schemas)
    content = f"# JSON schemas\n\n[JSON documents](json.md) has an example of each.\n\n{rows}\n"
    files.append(File.generated(config, "schemas.md", content=content))
    site.places["docs/schemas"] = "schemas.md"
    return files


def indented(markdown):
    """Python-Markdown wants four spaces where CommonMark wants as many as the list's sign has."""
    lines, width, is_code = [], 0, False
    for line in markdown.split("\n"):
        is_code ^= line.startswith("```")
        sign = re.match(r"(?:[-*]|\d+\.) +(?=\S)", line)
        if is_code:
            pass
        elif sign:
            width = len(sign[0])
        elif line.strip() and not line.startswith(" "):
            width = 0
        elif width and line.startswith(" " * width):
            line = " " * (4 - width) + line
        lines.append(line)
    return "\n".join(lines)


def on_page_markdown(markdown, page, config, files):
    """Links between files of the repository become links between pages. Examples that the program would refuse end the build."""
    wrong = reference.mistakes(site.command, markdown)
    if wrong:
        raise PluginError(f"{page.file.src_uri}: {'; '.join(wrong)}")
    origin = next((path for path, place in site.places.items() if place == page.file.src_uri), None)
    folder = posixpath.dirname(origin or f"docs/{page.file.src_uri}")

    def moved(match):
        words, target = match.groups()
        path, _, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return match.group(0)
        place = site.places.get(posixpath.normpath(posixpath.join(folder, path)))
        if place:
            # A path is a name in the repository; on the site the page has a title.
            if words.removeprefix("../") in (path, posixpath.basename(path), "docs/" + path):
                words = site.titles.get(place, words)
            link = posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".")
            return f"[{words}]({link}{'#' + anchor if anchor else ''})"
        # What is no page is a file of the repository, which the site does not hold.
        return words if words.startswith("`") else f"`{words}`"

    markdown = indented(markdown)
    parts = re.split(r"(^ *```.*?^ *```$|<!--.*?-->)", markdown, flags=re.S | re.M)
    return "".join(part if index % 2 else LINK.sub(moved, part) for index, part in enumerate(parts)).replace(
        'src="docs/', 'src="').replace("](docs/", "](")


def drawn(source):
    """The drawing of a mermaid block, without a browser and without a script on the page."""
    import mermaidx

    names = []
    for theme in ("default", "dark"):
        name = f"drawings/{len(site.drawings)}.svg"
        site.drawings[name] = mermaidx.render(source, theme=theme).svg()
        names.append(name)
    return names


def on_page_content(content, page, config, files):
    up = "../" * page.file.src_uri.count("/")

    # A corner without words is no heading.
    content = content.replace("<th></th>", "<td></td>")
    if page.file.src_uri == "errors.md":
        content = re.sub(rf"<td><code>({CODE.pattern})</code></td>", once("td"), content)
        content = re.sub(r"<table>(?=\s*<thead>\s*<tr>\s*<th>code)", '<div class="errors"><table>', content)
        content = re.sub(r'(<div class="errors"><table>.*?</table>)', r"\1</div>", content, flags=re.S)
    else:
        content = re.sub(
            rf"(?<!>)<code>({CODE.pattern})</code>(?!</a>)",
            lambda match: f'<a href="{up}errors.html#{match[1]}">{match[0]}</a>' if match[1] in site.codes else match[0], content)
    return re.sub(r'<pre class="mermaid"><code>(.*?)</code></pre>', lambda match: figure(html.unescape(match[1]), up), content, flags=re.S)


def once(tag):
    """The first row of a code is its place; a code with several messages has several rows."""
    seen = set()

    def marked(match):
        if match[1] in seen:
            return match[0]
        seen.add(match[1])
        return f'<{tag} id="{match[1]}"><code>{match[1]}</code></{tag}>'

    return marked


def figure(source, up):
    light, dark = drawn(source)
    words = "modules and what they import, as in the table" if source.startswith("graph") else "the steps of a job, in their order"
    return (f'<p><img alt="Drawing: {words}" src="{up}{light}#only-light"><img alt="Drawing: {words}" src="{up}{dark}#only-dark"></p>')


def on_post_page(output, page, config):
    """What axe finds in the theme: a search without a name, navigation within navigation."""
    output = output.replace('data-md-component="search" role="dialog"', 'data-md-component="search" role="dialog" aria-label="Search"')
    return re.sub(r'(<nav class="md-nav" data-md-level="[1-9]") aria-labelledby="[^"]*" aria-expanded="[a-z]*"', r'\1 role="none"', output)


def on_post_template(output, template_name, config):
    return on_post_page(output, None, config) if template_name == "404.html" else output


def on_post_build(config):
    for name, drawing in site.drawings.items():
        path = os.path.join(config.site_dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(drawing)
