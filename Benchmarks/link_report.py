"""Tables and a picture of what Benchmarks/links measured.

Usage: link_report.py [--docs] RESULT...; without --docs the tables go to standard output.
"""

import json
import sys

from drawing import Drawing

TITLES = {"fpga": "FPGA image, from the erased flash to the last byte", "firmware": "Firmware, in the bootloader", "file": "A file"}
CLIENTS = {"fpga": ["noafw", "phone app"], "firmware": ["noafw", "PRN 12", "CRC an object"], "file": ["noafw", "mpremote"]}
BEGIN, END = "<!-- make bench: begin -->", "<!-- make bench: end -->"


def link(line):
    return line["link"]


def pace(line):
    return "1" if link(line)["hasOnePacketPerEvent"] else "all"


def seconds(line, client):
    return line["clients"][client].get("seconds")


def cell(value, base=None):
    if value is None:
        return "–"
    return f"{value:.2f}" if base is None else f"{value:.1f} ({value / base:.1f} ×)"


def binding(line):
    limits = {name: value for name, value in line["limit"].items() if value is not None}
    return max(limits, key=limits.get)


def is_shown(line):
    """The page shows each interval at the usual payload, and each payload at 15 ms; the document has all."""
    return link(line)["payload"] == 244 or link(line)["intervalMilliseconds"] == 15


def table(job, lines):
    clients = CLIENTS[job]
    heads = ["interval", "packets an event", "payload", "loss", "limit", "noafw", "of the limit"] + clients[1:]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " --- |" * len(heads)
    for line in lines:
        ours = seconds(line, "noafw")
        row = [f"{link(line)['intervalMilliseconds']:g} ms", pace(line), str(link(line)["payload"]), f"{link(line)['loss'] * 100:g} %"]
        row += [f"{line['limitSeconds']:.2f} {binding(line)}", cell(ours), "–" if ours is None else f"{ours / line['limitSeconds']:.2f}"]
        row += [cell(seconds(line, client), ours or 1) for client in clients[1:]]
        yield "| " + " | ".join(row) + " |"


def ratios(job, lines):
    for client in CLIENTS[job][1:]:
        pairs = [(seconds(line, client), seconds(line, "noafw")) for line in lines]
        done = sorted(theirs / ours for theirs, ours in pairs if theirs and ours)
        if done:
            failed = sum(theirs is None for theirs, _ in pairs)
            text = f"{client}: {done[0]:.1f} to {done[-1]:.1f} times noafw's time, median {done[len(done) // 2]:.1f}"
            yield f"- {text}; {failed} of {len(pairs)} lines without an end." if failed else f"- {text}."


def page(document):
    for job, title in TITLES.items():
        lines = [line for line in document["lines"] if line["job"] == job]
        size = lines[0]["byteCount"]
        yield f"### {title}\n"
        yield f"{size:,} bytes; seconds.\n"
        yield from table(job, [line for line in lines if is_shown(line)])
        yield ""
        yield from ratios(job, lines)
        remarks = sorted({f"{client}: {measured['remark']}" for line in lines for client, measured in line["clients"].items()
                          if measured.get("remark") and client != "noafw" and not any(character.isdigit() for character in measured["remark"][:40])})
        for remark in remarks[:6]:
            yield f"- {remark}."
        yield ""
    host = [measured for line in document["lines"] for measured in line["clients"].values()]
    real, processor = sum(one["hostSeconds"] for one in host), sum(one["hostProcessorSeconds"] for one in host)
    yield f"The {len(host)} runs took {real:.0f} s and {processor:.0f} s of processor time on the host, virtual units included."


class Picture(Drawing):
    LEFT, ROW = 190, 17
    COLOURS = {"limit": "#8a8f98", "noafw": "#2f7d4f", "phone app": "#b5542a", "PRN 12": "#b5542a", "CRC an object": "#c98a2b",
               "mpremote": "#b5542a"}

    def bars(self, title, groups):
        most = max(value for _, bars in groups for _, value in bars if value)
        self.text(title, 12, self.y, weight="bold", size=14)
        self.y += 12
        for label, bars in groups:
            self.text(label, self.LEFT - 96, self.y + 13, anchor="end")
            for name, value in bars:
                self.text(name, self.LEFT - 8, self.y + 13, anchor="end", size=11)
                width = (value or 0) / most * (self.WIDTH - self.LEFT - 60)
                self.marks.append(f'<rect x="{self.LEFT}" y="{self.y + 3}" width="{max(width, 1):.1f}" height="12" rx="2" '
                                  f'fill="{self.COLOURS[name]}"/>')
                self.text(f"{value:.1f} s" if value else "no end", self.LEFT + width + 6, self.y + 13, size=11)
                self.y += self.ROW
            self.y += 7
        self.y += 18


def picture(document):
    drawing = Picture()
    for job, title in TITLES.items():
        groups = []
        for interval in (7.5, 15, 30, 50):
            for line in document["lines"]:
                where = link(line)
                if line["job"] == job and where["intervalMilliseconds"] == interval and where["payload"] == 244 and where["loss"] == 0:
                    bars = [("limit", line["limitSeconds"])] + [(client, seconds(line, client)) for client in CLIENTS[job]]
                    groups.append((f"{interval:g} ms, {pace(line)}", bars))
        if groups:
            drawing.bars(title + ": packets of 244 bytes, none lost", groups)
    return drawing.svg("Seconds by client", "Bars of the seconds that the limit, noafw and each reference client take, by connection interval and packets an event.")


def read(results):
    lines = []
    for name in results:
        with open(name) as file:
            lines += [json.loads(text) for text in file]
    return {"lines": sorted(lines, key=lambda line: (line["job"], link(line)["intervalMilliseconds"], -link(line)["hasOnePacketPerEvent"],
                                                     link(line)["loss"], link(line)["payload"]))}


def main(words):
    document = read([word for word in words if word != "--docs"])
    text = "\n".join(page(document))
    if "--docs" not in words:
        print(text)
        return
    with open("docs/performance.json", "w") as file:
        json.dump(document, file, indent=1, sort_keys=True)
        file.write("\n")
    with open("docs/performance.svg", "w") as file:
        file.write(picture(document))
    with open("docs/performance.md") as file:
        before, rest = file.read().split(BEGIN)
    with open("docs/performance.md", "w") as file:
        file.write(f"{before}{BEGIN}\n\n{text}\n\n{END}{rest.split(END)[1]}")


if __name__ == "__main__":
    main(sys.argv[1:])
