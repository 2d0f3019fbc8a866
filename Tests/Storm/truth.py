#!/usr/bin/env python3
"""Says what is true of a storm's world, from its files and its server: it shares nothing with noafw, and is no Swift.

Each line of its input is a question, and each line of its output an answer; both are JSON. A question has the `world`, a folder, and
`units`, each with its `folder` below the world and what it should hold: `firmware` (a DFU package), `fpga` (an image) and `files` (a path by
name), the text `typed` on its host, the `drive` that its motors made (duties, milliseconds), what it should not have, `absent`, whether it
held other files of these names that belong together, `isOlder`, and what its owner had, `own` (text by name). What is left out is not looked
at. The station's `server`, if there is one, is a command that answers SQL.
"""
import base64, json, pathlib, re, sqlite3, subprocess, sys, traceback, zipfile

# The FPGA's part of a Monocle's flash, and the word behind it that commits it (monocle-micropython, `modules/update.c`).
FPGA_SIZE, COMMITTED = 0x6C80E, b"done"
# The line with which noafw begins a program.
HEAD = re.compile(rb'\AARGPT_VERSION="([^"\n]*)"\n')
# What a run may leave in the folder of the station's state.
STATE = re.compile(
    r"ledger/(ledger\.sqlite(-wal|-shm)?|ledger-before-.*|processes\.lock|ledger\.lock|spool\.reserve|spool\.jsonl)$|kept/|virtual/"
    r"|virtual-bonds/[0-9A-F-]{17}\.key$|(units|names)(\.json|\.lock)$|locks/|chats/")


# A unit of another process of the station, of which the storm knows that its run goes on.
STRANGER = "C0:00:00:00:00:01"
VERSION = re.compile(rb"v\d\d\.\d{3}\.\d{4}")


def unit(world, wanted):
    folder = world / wanted["folder"]
    differences = [*firmware(folder, wanted), *fpga(folder, wanted), *files(folder, wanted), *robot(folder), *drive(folder, wanted)]
    harm = [*motion(folder, wanted["drive"][2] + 1000 if wanted.get("drive") else 8000)]
    if wanted.get("typed"):
        text = typed(folder)
        differences += [] if text == wanted["typed"] else [f"typed: {len(text)} characters"]
        harm += [] if wanted["typed"].startswith(text) else [f"its host shows {text}"]
    held = [file.read_bytes() for place in (folder / "files", world / "state/kept") for file in place.rglob("*") if file.is_file()]
    lost = [name for name, text in wanted.get("own", {}).items() if text.encode() not in held]
    has_program = any((folder / "files" / name).is_file() for name in ("main.py", "main.lua"))
    different = [text.split(":")[0] for text in files(folder, wanted)]
    is_new = not any(name.startswith("main.") for name in different)
    is_mixed = has_program and bool(different) and (len(different) < len(wanted["files"]) if wanted["isOlder"] else is_new)
    address = json.loads((folder / "unit.json").read_text())["address"]
    return {"differences": differences, "lost": lost, "harm": harm, "address": address, "hasProgram": has_program, "isMixed": is_mixed}


def robot(folder):
    """What should make a robot fail."""
    if (folder / "robot.json").exists():
        around = json.loads((folder / "robot.json").read_text())["surroundings"]
        if around["battery"] < 9:
            yield "battery: low"
        if around.get("obstacle", 999) >= 300:
            yield "obstacle: none"
        if around.get("blocked"):
            yield "wheels: blocked"


def motors(folder):
    """Times in milliseconds and duties."""
    file = folder / "motors.csv"
    lines = file.read_text().splitlines()[1:] if file.exists() else []
    return [[int(cell) for cell in line.split(",")][:3] for line in lines]


def motion(folder, longest):
    """Motors that were left on, or went on for longer than so many milliseconds: the four turns of a test take 6.4 s."""
    begun = None
    for time, left, right in motors(folder):
        if begun is not None and time - begun > longest:
            yield f"its motors ran from {begun} to {time} ms"
        begun = (time if begun is None else begun) if left or right else None
    if begun is not None:
        yield f"its motors run since {begun} ms"


def drive(folder, wanted):
    """A drive that was not made, or for another time."""
    if wanted.get("drive"):
        left, right, duration = wanted["drive"]
        rows = motors(folder)
        driven = sum(after[0] - row[0] for row, after in zip(rows, rows[1:]) if row[1:] == [left, right])
        if abs(driven - duration) > 400:
            yield f"drive: {driven} ms"


def typed(folder):
    """The text of a keyboard's reports, by the keyboard page of the USB HID usage tables."""
    if not (folder / "hid-reports.txt").exists():
        return ""
    keys = {**{4 + number: chr(97 + number) for number in range(26)}, 44: " "}
    text = ""
    for line in (folder / "hid-reports.txt").read_text().splitlines():
        report = bytes.fromhex(line.split()[1]) if not line.startswith("#") else b"\1\0\0\xff"
        if report[3]:
            text += keys.get(report[3], "?") if report[1] == 0 else "?"
    return text


def application(folder):
    """The firmware that starts."""
    if not (folder / "bootloader.json").exists():
        return None
    storage = json.loads((folder / "bootloader.json").read_text())
    settings = storage.get("settingsPage") or storage.get("backupPage") or {}
    bank = settings.get("bank0", {"content": 0, "size": 0})
    return base64.b64decode(storage["flash"])[:bank["size"]] if bank["content"] == 1 else None


def versions(folder):
    """What the unit's content says that it is, by component."""
    places = [folder / "files" / name for name in ("main.py", "main.lua")]
    flash = folder / "fpga-flash.bin"
    found = {
        "firmware": VERSION.search(application(folder) or b""),
        "fpga": VERSION.search(flash.read_bytes()) if flash.exists() else None,
        "scripts": next((HEAD.match(place.read_bytes()) for place in places if place.is_file()), None)}
    return {name: match.group(match.re.groups).decode() for name, match in found.items() if match}


def firmware(folder, wanted):
    if wanted.get("firmware"):
        with zipfile.ZipFile(wanted["firmware"]) as package:
            image = package.read("application.bin")
        if application(folder) is None:
            yield "firmware: none"
        elif application(folder) != image:
            yield "firmware: another"


def fpga(folder, wanted):
    if wanted.get("fpga"):
        image = pathlib.Path(wanted["fpga"]).read_bytes().ljust(FPGA_SIZE, b"\xff")
        flash = (folder / "fpga-flash.bin").read_bytes()
        if flash[:FPGA_SIZE] != image:
            yield "fpga: another"
        elif flash[FPGA_SIZE:FPGA_SIZE + 4] != COMMITTED:
            yield "fpga: not committed"


def files(folder, wanted):
    for name in wanted["absent"]:
        if (folder / "files" / name).exists():
            yield f"{name}: there"
    for name, path in wanted.get("files", {}).items():
        file = folder / "files" / name
        if not file.is_file():
            yield f"{name}: missing"
            continue
        content = file.read_bytes()
        if pathlib.Path(name).stem == "main":
            content = HEAD.sub(b"", content)
        if content != pathlib.Path(path).read_bytes():
            yield f"{name}: another"


def record(row, before):
    """What contradicts itself, or the unit's records before it."""
    last, passed = before.get(row["unit_address"]), row["outcome"] == "pass"
    if (row["code"] is None) != passed or (row["blame"] is None) != passed:
        yield f"its code is {row['code']}, its blame {row['blame']}"
    if row["attempt_of"] != before.get((row["unit_address"], row["verb"])):
        yield f"it is an attempt of {row['attempt_of']}"
    known = json.loads(row["versions_before"])
    if last and last["outcome"] == "pass":
        for name, version in json.loads(last["versions_after"]).items():
            if known.get(name, version) != version:
                yield f"{name} was {known[name]}, and {version} after the run before"
    time = 0
    for step in json.loads(row["steps"]):
        if step["start_ms"] < time or step["ms"] < 0:
            yield f"{step['name']} began at {step['start_ms']} ms, the step before it ended at {time} ms"
        time = step["start_ms"] + step["ms"]
        if passed and step["outcome"] == "pass" and step.get("code"):
            yield f"{step['name']} has passed with {step['code']}"
    if row["elapsed_ms"] is not None and time > row["elapsed_ms"] + 1:
        yield f"its steps end at {time} ms, it at {row['elapsed_ms']} ms"
    sent = {step["name"] for step in json.loads(row["steps"])}
    for name, digest in json.loads(row["digests"]).items():
        if name not in sent or not re.fullmatch(r"[0-9a-f]{64}", digest):
            yield f"it has sent {sorted(sent)}, and {name} with {digest}"


def server(command, runs):
    """Contradictions between the server and the ledger, records that are not on the server, units that are still claimed."""
    if not command:
        return [], 0, 0
    ask = "select json_agg(run) from noafw.runs as run; select count(*) from noafw.leases where expires_at > now() and holder = 'storm'"
    answer = subprocess.run(command, input=ask, capture_output=True, text=True, check=True).stdout.strip().splitlines()
    known, claimed = {run["id"]: run for run in json.loads(" ".join(answer[:-1]) or "[]")}, int(answer[-1])
    closed = {run["id"]: run for run in runs if run["outcome"] is not None}
    same = ("station", "verb", "unit_address", "outcome", "code", "seq", "epoch", "claim")
    damage = [f"the server has {run}, the ledger has not" for run in known.keys() - closed.keys()]
    damage += [f"the server has {known[run][name]} as the {name} of {run}, the ledger {closed[run][name]}"
               for run in known.keys() & closed.keys() for name in same if known[run][name] != closed[run][name]]
    return damage, len(closed.keys() - known.keys()), claimed


def ledger(world, held, command):
    file, spool = world / "state/ledger/ledger.sqlite", world / "state/ledger/spool.jsonl"
    waiting = [json.loads(line)["record"]["id"] for line in spool.read_text().splitlines()] if spool.exists() else []
    if not file.exists():
        return {"damage": [], "runs": [], "others": [], "waiting": len(waiting), "unentered": len(set(waiting)), "unsent": 0, "claimed": 0}
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    try:
        damage = [row[0] for row in connection.execute("pragma integrity_check") if row[0] != "ok"]
        for station, in connection.execute("select distinct station from runs"):
            closed = "select seq from runs where station = ? and seq is not null order by seq"
            numbers = [row[0] for row in connection.execute(closed, [station])]
            if numbers != list(range(1, len(numbers) + 1)):
                damage.append(f"the runs of {station} are numbered {numbers}")
        for run, elapsed in connection.execute("select id, elapsed_ms from runs where elapsed_ms not between 0 and 86400000"):
            damage.append(f"{run} took {elapsed} ms")
        runs = "select verb, unit_address, outcome from runs where unit_address {} ? order by number"
        connection.row_factory = sqlite3.Row
        before = {}
        for row in connection.execute("select * from runs where outcome is not null and unit_address <> ? order by number", [STRANGER]):
            damage += [f"the record of a {row['outcome']} of {row['unit_address']}: {text}" for text in record(row, before)]
            before.setdefault((row["unit_address"], row["verb"]), row["id"])
            before[row["unit_address"]] = row
        for address, row in before.items():
            if address in held:
                said = json.loads(row["versions_after"])
                # An FPGA image may hide its version.
                known = {"fpga": said.get("fpga")} | held[address]
                damage += [f"the last record of {address} says {name} {said[name]}, it has {known.get(name)}" for name in said
                           if said[name] != known.get(name)]
        contradictions, unsent, claimed = server(command, [dict(row) for row in connection.execute("select * from runs")])
        damage += contradictions
        connection.row_factory = None
        ids = {row[0] for row in connection.execute("select id from runs")}
        return {
            "damage": damage, "runs": [list(row) for row in connection.execute(runs.format("<>"), [STRANGER])],
            "others": [list(row) for row in connection.execute(runs.format("="), [STRANGER])], "waiting": len(waiting),
            "unentered": len(set(waiting) - ids), "unsent": unsent, "claimed": claimed}
    finally:
        connection.close()


def truth(question):
    world, wanted = pathlib.Path(question["world"]), question["units"]
    left = [name for path in (world / "state").rglob("*") if path.is_file()
            and not STATE.match(name := path.relative_to(world / "state").as_posix())]
    left += [path.name for path in world.rglob("*") if ".new-" in path.name or path.name.endswith(".tmp")]
    units = [unit(world, each) for each in wanted]
    held = {said["address"]: versions(world / each["folder"]) for said, each in zip(units, wanted)}
    return {"units": units, "ledger": ledger(world, held, question.get("server")), "left": sorted(left)}


if __name__ == "__main__":
    for line in sys.stdin:
        try:
            answer = truth(json.loads(line))
        except Exception:
            answer = traceback.format_exc()
        print(json.dumps(answer), flush=True)
