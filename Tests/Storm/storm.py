#!/usr/bin/env python3
"""A storm over noafw's processes: the built tool works, and is killed, interrupted or left without room at one of its file operations,
which the seed chooses. Then the truth is read from the files, by code that shares nothing with noafw, and one more run has to mend all.

  Tests/Storm/storm.py [--runs N] [--seed S] [--only NAME]... [--jobs N] [--noafw FILE]

A finding prints the command that repeats it. Exit code 1 if there is one.
"""
import argparse, base64, collections, concurrent.futures, hashlib, json, os, pathlib, random, re, shutil, signal, sqlite3, subprocess
import sys, tempfile, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAULTS = ["kill", "stop", "full"]
MONOCLE = ["--virtual", "monocle", "--virtual-speed", "max"]
FRAME = ["--virtual", "frame", "--virtual-speed", "max"]
LUA = "while true do frame.sleep(0.1) end\n"
PYTHON = "import time\nwhile True:\n    time.sleep(1)\n"
# What a run may leave that a clean one does not: what was kept of the unit, SQLite's own files, and the copy that is made before the
# ledger's schema grows, which a kill may bring about in a new one, too.
KEPT = re.compile(r"^state/kept/|^state/ledger/ledger\.sqlite-|^state/ledger/ledger-before-|^state/ledger/spool|/unit\.json$|^state/virtual-bonds")


class Scenario:
    """A command, what it needs, and what counts as its result."""

    def __init__(self, name, command, prepare=(), files=None, own=None, until=None):
        self.name, self.command, self.prepare, self.files = name, command, prepare, files or {}
        # What a command that has no end prints before it is interrupted.
        self.until = until
        # Bytes of an owner, which have to be on the unit or kept whatever happens.
        self.own = own or []


def scenarios():
    parts = {f"lib/part{number}.txt": f"{number}\n" * 200 for number in range(5)}
    return [
        Scenario("flash scripts, Monocle", ["flash", "--only", "scripts", *MONOCLE]),
        Scenario("flash all, Monocle", ["flash", *MONOCLE]),
        Scenario("flash all, Frame", ["flash", *FRAME]),
        Scenario("flash a fleet", ["flash", "--only", "scripts", *MONOCLE, "--virtual", "frame"]),
        Scenario("flash scripts over an owner's", ["flash", "--only", "scripts", *MONOCLE],
                 [["fs", "cp", "main.py", ":", *MONOCLE]], {"main.py": PYTHON}, own=["main.py"]),
        Scenario("update, Frame", ["update", "--yes", *FRAME],
                 [["fs", "cp", "-r", "main.lua", "lib", ":", *FRAME]], {"main.lua": LUA, **parts}, own=["main.lua", *parts]),
        Scenario("cp -r to a Monocle", ["fs", "cp", "-r", "lib", ":", *MONOCLE], files=parts),
        Scenario("cp -r to a Frame", ["fs", "cp", "-r", "lib", ":", *FRAME], files=parts),
        Scenario("cp -r from a Monocle", ["fs", "cp", "-r", ":lib/", "back", *MONOCLE], [["fs", "cp", "-r", "lib", ":", *MONOCLE]], parts),
        Scenario("dev, Monocle", ["dev", "src", *MONOCLE], files={"src/main.py": "print('up')\n" + PYTHON, **within(parts, "src")},
                 until="up"),
        Scenario("dev, Frame", ["dev", "src", *FRAME], files={"src/main.lua": "print('up')\n" + LUA, **within(parts, "src")}, until="up"),
        Scenario("verify", ["verify", *MONOCLE], [["flash", *MONOCLE]]),
        Scenario("bundle", ["bundle", str(ROOT / "Scripts/monocle"), "-o", "out.zip", "--no-check"]),
        Scenario("units name", ["units", "name", "C6:05:04:03:02:01", "Room 3"]),
        Scenario("ledger export", ["ledger", "export", "--csv", "-o", "runs.csv"], [["flash", "--only", "scripts", *MONOCLE]]),
        Scenario("chat", ["chat", *MONOCLE, "--assistant", "echo", "--query", "hello"], [["flash", "--only", "scripts", *MONOCLE]]),
    ]


def within(files, folder):
    return {f"{folder}/{name}": text for name, text in files.items()}


class World:
    """One folder with the state of a station, its units and its outputs."""

    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "NO_COLOR": "1", "NOAFW_STATE_DIR": str(self.folder / "state"),
            "NOAFW_ASSETS": str(ROOT), "XDG_CONFIG_HOME": str(self.folder), "SWIFT_BACKTRACE": "enable=no", "LANG": "C.UTF-8",
        }

    def run(self, scenario, fault=None, at=0, count=None):
        return self.call(scenario.command, scenario.until, fault, at, count)

    def call(self, command, until=None, fault=None, at=0, count=None):
        environment = dict(self.environment)
        if fault or count:
            environment.update(
                LD_PRELOAD=str(self.options.library), STORM_PROGRAM=pathlib.Path(self.options.noafw).name, STORM_FOLDER=str(self.folder),
                **({"STORM_FAULT": fault, "STORM_AT": str(at)} if fault else {"STORM_COUNT": str(count)}))
        output, errors = self.folder.parent / f"{self.folder.name}.out", self.folder.parent / f"{self.folder.name}.err"
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = subprocess.Popen([self.options.noafw, *command], cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err)
        end = time.monotonic() + 300
        while process.poll() is None and time.monotonic() < end:
            if until and until in output.read_text(errors="replace"):
                process.send_signal(signal.SIGINT)
                until = None
            time.sleep(0.02)
        if process.poll() is None:
            process.kill()
        return process.wait(), output.read_text(errors="replace"), errors.read_text(errors="replace")

    def processes(self):
        """What still runs for this world, a moment after its command has ended."""
        end = time.monotonic() + 5
        while True:
            found = [entry.name for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit() and self.is_of(entry)]
            if not found or time.monotonic() > end:
                return found
            time.sleep(0.05)

    def is_of(self, process):
        try:
            return str(self.folder).encode() in (process / "environ").read_bytes()
        except OSError:
            return False

    def truth(self):
        """What the units hold, and what was written beside the state."""
        found = {}
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if not path.is_file():
                continue
            if name.startswith("state/virtual/"):
                if "/files/" in name or name.endswith("/fpga-flash.bin"):
                    found[name] = digest(path.read_bytes())
                elif name.endswith("/bootloader.json"):
                    unit = json.loads(path.read_text())
                    bank = unit["settingsPage"]["bank0"]
                    found[name] = digest(base64.b64decode(unit["flash"])[:bank["size"]])
            elif not name.startswith("state/"):
                found[name] = digest(path.read_bytes()) if not name.endswith(".csv") else "a table"
        return found

    def names(self):
        return {re.sub(r"[0-9A-Fa-f-]{17,}", "ID", path.relative_to(self.folder).as_posix())
                for path in self.folder.rglob("*") if path.is_file()} 

    def holds(self, content):
        return any(path.is_file() and path.read_bytes() == content
                   for part in ("state/virtual", "state/kept") for path in (self.folder / part).rglob("*"))


def digest(data):
    return hashlib.sha256(data).hexdigest()


class Storm:
    def __init__(self, options):
        self.options, self.base, self.lock = options, {}, threading.Lock()

    def prepared(self, scenario):
        """The world before the command, its file operations in a clean run, and what is there after one and after two."""
        with self.lock:
            if scenario.name not in self.base:
                folder = pathlib.Path(tempfile.mkdtemp(prefix="storm-"))
                world = World(self.options, folder / "world")
                world.folder.mkdir()
                for name, text in scenario.files.items():
                    (world.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (world.folder / name).write_text(text)
                for command in scenario.prepare:
                    must(world.call(command), command)
                clean = World(self.options, folder / "clean")
                shutil.copytree(world.folder, clean.folder)
                must(clean.run(scenario, count=folder / "count"), scenario.command)
                total, truth = len((folder / "count").read_text().splitlines()), clean.truth()
                must(clean.run(scenario), scenario.command)
                self.base[scenario.name] = (world, total, truth, clean.truth(), clean.names())
            return self.base[scenario.name]

    def one(self, seed):
        """- Returns: the scenario, the fault, how it ended, and what was found."""
        generator = random.Random(seed)
        chosen = [s for s in scenarios() if not self.options.only or any(word in s.name for word in self.options.only)]
        scenario, fault = generator.choice(chosen), generator.choice(FAULTS)
        world, total, truth, final, names = self.prepared(scenario)
        at = generator.randint(1, total)
        folder = pathlib.Path(tempfile.mkdtemp(prefix="storm-"))
        try:
            here = World(self.options, folder / "world")
            shutil.copytree(world.folder, here.folder)
            findings, end = judge(here, scenario, fault, at, truth, final, names)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return scenario.name, fault, at, end, findings


def must(run, command):
    if run[0]:
        sys.exit(f"storm: a clean run of {command} ended with {run[0]}:\n{run[1]}{run[2]}")


def judge(world, scenario, fault, at, truth, final, names):
    findings = []
    code, output, errors = world.run(scenario, fault, at)
    text = output + errors
    # Ctrl-C is how a command ends that has no end.
    if code == 0 and not (scenario.until and fault == "stop") and world.truth() != truth:
        findings.append(f"it ended with 0, and the truth is another: {difference(world.truth(), truth)}")
    if code in (-signal.SIGILL, -signal.SIGTRAP, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS) or "Fatal error" in text:
        findings.append(f"it crashed: {code}")
    if fault == "full" and code > 0 and not re.search(r"\b[A-Z]{3}-[0-9A-F]{4} |\b[A-Z]{3}-[0-9A-F]{4}:", text):
        findings.append(f"it ended with {code} and names no error")
    if fault == "full" and code < 0:
        findings.append(f"a full disk ended it by signal {-code}")
    for name in scenario.own:
        if not world.holds(scenario.files[name].encode()):
            findings.append(f"the owner's {name} is lost")
    end = "as nothing had been" if code == 0 else "killed" if code < 0 else f"ended with {code}"
    left = world.processes()
    if left:
        findings.append(f"processes are left: {left}")
    again, second, complaints = world.run(scenario)
    # bluetoothd would keep the key of a new bond in its memory; a virtual host has nothing but its disk.
    if fault == "full" and "state/virtual-bonds" in text:
        return findings, "no room for the virtual host's bond"
    if again:
        findings.append(f"one more run ended with {again}: {(second + complaints)[-600:]}")
    elif world.truth() not in (truth, final):
        findings.append(f"one more run left another truth: {difference(world.truth(), final)}")
    findings += [f"the ledger: {reason}" for reason in ledger(world)]
    left = {name for name in world.names() - names if not KEPT.search(name)}
    if left and not again:
        findings.append(f"left over: {sorted(left)}")
    if findings:
        findings.append(f"(the first run ended with {code}: {text[-3000:]})")
    return findings, end


def ledger(world):
    file = world.folder / "state/ledger/ledger.sqlite"
    if not file.exists():
        return []
    connection = sqlite3.connect(file)
    try:
        found = [row[0] for row in connection.execute("pragma integrity_check") if row[0] != "ok"]
        columns = [row[1] for row in connection.execute("pragma table_info(run)")]
        if "outcome" in columns:
            found += [f"{count} runs are still open" for count, in connection.execute("select count(*) from run where outcome is null")
                      if count]
        return found
    finally:
        connection.close()


def difference(found, wanted):
    return {name: "missing" if name not in found else "more" if name not in wanted else "another"
            for name in sorted(set(found) | set(wanted)) if found.get(name) != wanted.get(name)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="part of a scenario's name")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--noafw", default=str(ROOT / ".build/debug/noafw"))
    options = parser.parse_args()
    build = pathlib.Path(tempfile.mkdtemp(prefix="storm-"))
    options.library = build / "faults.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", options.library, ROOT / "Tests/Storm/faults.c", "-ldl", "-lpthread"], check=True)
    storm, table, bad = Storm(options), collections.defaultdict(collections.Counter), 0
    try:
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            seeds = range(options.seed, options.seed + options.runs)
            for seed, (name, fault, at, end, findings) in zip(seeds, pool.map(storm.one, seeds)):
                table[name, fault]["wrong" if findings else end] += 1
                if findings:
                    bad += 1
                    print(f"seed {seed}: {name}, {fault} at operation {at}\n  " + "\n  ".join(findings))
                    only = "".join(f" --only '{word}'" for word in options.only or [])
                    print(f"  repeat: Tests/Storm/storm.py --runs 1 --seed {seed}{only}", flush=True)
    finally:
        shutil.rmtree(build)
        for world, *_ in storm.base.values():
            shutil.rmtree(world.folder.parent, ignore_errors=True)
    for (name, fault), ends in sorted(table.items()):
        print(f"{name:32} {fault:5} " + ", ".join(f"{count} {end}" for end, count in sorted(ends.items())))
    print(f"{options.runs} runs from seed {options.seed}: {bad} with findings")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
