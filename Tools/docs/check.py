"""Looks at the built site, and says what is wrong with it.

  check.py SITE            every link and anchor; nothing that a page loads comes from elsewhere
  check.py SITE --browser [PAGE...]
                           also in headless Chromium, light and dark, on a desk and on a phone: axe-core's rules, requests to elsewhere,
                           messages of the console, pages wider than their window, the search
  check.py SITE --look FOLDER
                           pictures of some pages in each way, to be looked at

Ends with 1 if anything is wrong.
"""

import functools
import html.parser
import http.server
import importlib.util
import json
import os
import posixpath
import re
import sys
import threading
import urllib.parse

WAYS = [(scheme, name, width) for scheme in ("light", "dark") for name, width in (("desk", 1280), ("phone", 390))]
LOOKED_AT = ["index", "guide/owner", "guide/fleet", "commands/index", "commands/flash", "errors", "errors.html#BLE-0001", "json",
             "architecture", "line", "hardware", "install", "library/DFU"]
LOADED = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "srcset")}


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.update(values[name] for name in ("id", "name") if values.get(name))
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        for name, value in attributes:
            if (tag, name) in LOADED and value and values.get("rel") not in ("canonical", "next", "prev"):
                self.loaded.append(value)


def files(site, suffix):
    return sorted(os.path.relpath(os.path.join(folder, name), site)
                  for folder, _, names in os.walk(site) for name in names if name.endswith(suffix))


def text(site, name):
    with open(os.path.join(site, name), encoding="utf-8") as file:
        return file.read()


def is_elsewhere(address):
    return bool(re.match(r"(?:[a-z]+:)?//", address))


def links(site):
    found, counted = [], 0
    pages = {name: Page(text(site, name)) for name in files(site, ".html")}
    for name, page in pages.items():
        for link in page.links + page.loaded:
            if re.match(r"(?:[a-z]+:|//)", link):
                continue
            counted += 1
            path, _, anchor = link.partition("#")
            # The page of a missing address has links from the root.
            place = posixpath.normpath(posixpath.join(posixpath.dirname(name), urllib.parse.unquote(path))) if path else name
            place = place.lstrip("/") or "index.html"
            if place == "." or os.path.isdir(os.path.join(site, place)):
                place = posixpath.normpath(posixpath.join(place, "index.html"))
            if not os.path.isfile(os.path.join(site, place)):
                found.append(f"{name} leads to {link}")
            elif anchor and place in pages and urllib.parse.unquote(anchor) not in pages[place].ids and anchor != "__skip":
                found.append(f"{name} leads to {link}, where no such anchor is")
        found += [f"{name} loads {address}" for address in page.loaded if is_elsewhere(address)]
    for name in files(site, ".css"):
        for address in re.findall(r"(?:url\(|@import\s+)[\"']?([^\"')]+)", text(site, name)):
            if is_elsewhere(address):
                found.append(f"{name} loads {address}")
    print(f"links: {counted} in {len(pages)} pages, {len(found)} wrong")
    if counted < 1000:
        found.append("hardly a link: is this the whole site?")
    return found


class Silent(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Browser:
    def __init__(self, site):
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=site))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.root = f"http://127.0.0.1:{self.server.server_port}/"
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for word in ("headless", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars", "disable-background-networking"):
            options.add_argument("--" + word)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "try { localStorage.clear() } catch {}"})
        package = importlib.util.find_spec("axe_playwright_python").submodule_search_locations[0]
        self.axe = text(package, "axe.min.js")

    def close(self):
        self.driver.quit()
        self.server.shutdown()

    def open(self, name, scheme, width, height=900):
        # The page before would hear of the change, and keep it.
        self.driver.get("about:blank")
        self.size(width, height)
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get(self.root + name)
        shown = self.driver.execute_script("return document.body.dataset.mdColorScheme")
        if shown != {"light": "default", "dark": "slate"}[scheme]:
            raise RuntimeError(f"{name} is {shown} where {scheme} was asked for")

    def size(self, width, height):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def violations(self):
        self.driver.execute_script(self.axe + ";window.axe = axe")
        return self.driver.execute_async_script("""
            const done = arguments[arguments.length - 1];
            axe.run(document, {resultTypes: ['violations']}).then(result => done(result.violations.map(
              rule => `${rule.id}: ${rule.help}: ${rule.nodes.length} times, such as ${rule.nodes[0].html.slice(0, 200).replace(/\\s+/g, ' ')}: `
                + rule.nodes[0].failureSummary.split('\\n').pop().trim())));""")

    def is_too_wide(self):
        return self.driver.execute_script("return document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def requests_elsewhere(self):
        addresses = set()
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                address = message["params"]["request"]["url"]
                if not address.startswith((self.root, "data:", "blob:")):
                    addresses.add(address)
        return sorted(addresses)


def is_searched(browser):
    browser.open("index.html", "light", 1280)
    return browser.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        const field = document.querySelector('[data-md-component=search-query]');
        field.focus();
        field.value = 'downgrade';
        field.dispatchEvent(new Event('input', {bubbles: true}));
        field.dispatchEvent(new Event('keyup', {bubbles: true}));
        let left = 50;
        const look = () => {
          if (document.querySelector('.md-search-result__item')) done(true);
          else if (left-- === 0) done(false);
          else setTimeout(look, 200);
        };
        look();""")


def looked_at(site, chosen):
    found, checks = [], 0
    browser = Browser(site)
    browser.driver.set_script_timeout(120)
    try:
        for name in chosen or files(site, ".html"):
            for scheme, way, width in WAYS:
                browser.open(name, scheme, width)
                place = f"{name} ({scheme}, {way})"
                found += [f"{place}: {violation}" for violation in browser.violations()]
                if browser.is_too_wide():
                    found.append(f"{place} is wider than its window")
                checks += 1
            found += [f"{name} asks {address}" for address in browser.requests_elsewhere()]
            found += [f"{name}: {entry['message']}" for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]
        if not is_searched(browser):
            found.append("the search finds nothing")
    finally:
        browser.close()
    print(f"browser: {checks} looks, {len(found)} findings")
    return found


def pictures(site, folder):
    import base64
    browser = Browser(site)
    os.makedirs(folder, exist_ok=True)
    try:
        for name in LOOKED_AT:
            for scheme, way, width in WAYS:
                browser.open(name if ".html" in name else name + ".html", scheme, width, 1400 if way == "desk" else 844)
                picture = browser.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
                with open(os.path.join(folder, f"{re.sub('[/#]', '-', name)}-{scheme}-{way}.png"), "wb") as file:
                    file.write(base64.b64decode(picture))
    finally:
        browser.close()
    return []


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    site, *options = arguments
    if options[:1] == ["--look"]:
        found = pictures(site, options[1])
    else:
        found = links(site) + (looked_at(site, options[1:]) if options[:1] == ["--browser"] else [])
    for finding in found:
        print(finding)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
