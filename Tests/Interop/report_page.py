"""Looks at the ledger's page in a real browser, and prints what is wrong with it as JSON.

  report_page.py CHROMIUM PAGE FOLDER

Wide and narrow, in light and, as a colour depends on no width, once in dark: axe-core's rules, labels of drawings that leave them or cover
each other, a page wider than its window. Whether the page's policy keeps a script from running. FOLDER gets print.pdf and, with NOAFW_LOOK,
light.png and dark.png, to be looked at.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile

CHECK = """
axe.run(document, {}).then(result => {
  const found = result.violations.map(v => `${v.id}: ${v.help}: ${v.nodes[0].html.slice(0, 100)}`);
  const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')].map(text => [text.textContent, text.getBoundingClientRect()]);
    for (const [words, box] of texts) {
      if (box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
        found.push(`${svg.id}: a label leaves the drawing: ${words}`);
    }
    texts.forEach(([words, box], index) => texts.slice(index + 1).forEach(([other, next]) => {
      if (!apart(box, next)) found.push(`${svg.id}: ${words} covers ${other}`);
    }));
    for (const part of ['title', 'desc']) if (!svg.querySelector(part)?.textContent) found.push(`${svg.id} has no ${part}`);
  }
  for (const cell of document.querySelectorAll('th, td')) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
    if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(cell.textContent) && lines > 1) found.push(`a date of ${lines} lines: ${cell.textContent}`);
  }
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth) found.push('the page is wider than its window');
  const rules = result.passes.map(p => p.id);
  for (const rule of ['svg-img-alt', 'color-contrast', 'page-has-heading-one', 'html-has-lang'])
    if (!rules.includes(rule)) found.push(`axe did not look at ${rule}`);
  const answer = document.createElement('pre');
  answer.id = 'answer';
  answer.textContent = JSON.stringify({found, paper: getComputedStyle(document.body).backgroundColor, drawings: document.querySelectorAll('svg').length});
  document.body.appendChild(answer);
});
"""


def chromium(program, *arguments):
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={profile}"]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=120, check=False).stdout


def scheme(name):
    return f"--blink-settings=preferredColorScheme={0 if name == 'dark' else 1}"


def looked_at(program, page, folder):
    package = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
    with open(os.path.join(package, "axe.min.js"), encoding="utf-8") as file:
        axe = file.read()
    # The page's own policy would keep the check out.
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    path = os.path.join(folder, "checked.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(open_page.replace("</body>", f"<script>{axe}</script><script>{CHECK}</script></body>"))
    result = {"found": [], "paper": {}}
    for name, widths in (("light", (1280, 1024, 1000, 500)), ("dark", (1000,))):
        for width in widths:
            text = chromium(program, scheme(name), f"--window-size={width},2000", "--virtual-time-budget=30000", "--dump-dom", f"file://{path}")
            answer = re.search(r'<pre id="answer">(.*?)</pre>', text, re.S)
            if not answer:
                result["found"].append(f"{name}, {width}: the browser gave no answer")
                continue
            answer = json.loads(answer.group(1).replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
            result["found"] += [f"{name}, {width}: {finding}" for finding in answer["found"]]
            result["paper"][name], result["drawings"] = answer["paper"], answer["drawings"]
    return result


def main():
    program, source, folder = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        page = file.read()
    result = looked_at(program, page, folder)
    guarded = os.path.join(folder, "guarded.html")
    with open(guarded, "w", encoding="utf-8") as file:
        file.write(page.replace("</body>", "<script>document.title = 'a script ran'</script></body>"))
    if "<title>a script ran" in chromium(program, "--virtual-time-budget=1000", "--dump-dom", f"file://{guarded}"):
        result["found"].append("the page's policy lets a script run")
    for name in ("light", "dark") if os.environ.get("NOAFW_LOOK") else ():
        chromium(program, scheme(name), "--window-size=1280,3300", f"--screenshot={folder}/{name}.png", f"file://{source}")
    chromium(program, "--no-pdf-header-footer", f"--print-to-pdf={folder}/print.pdf", f"file://{source}")
    with open(f"{folder}/print.pdf", "rb") as file:
        pages = file.read()
    result["sheets"] = [[round(float(side)) for side in box.split()[2:]] for box in re.findall(rb"/MediaBox \[([^\]]+)\]", pages)]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
