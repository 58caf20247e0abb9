"""Sides that take turns, so that a machine that becomes slower does so for all.

A side is a name and a function that gives one result, {"ms": ..., ...}, by a fresh process or by one that
stays (Staying, for what must be compiled first); those of our program have names that begin with mgdm. Ratios are the peer's time over ours, turn by turn, and the median of that: above
1, mgdm is faster.
"""
import contextlib
import functools
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
MOST_SECONDS = 1800  # for one result; compiling can take minutes


class Failed(Exception):
    pass


def last_json(command, environment=None):
    """What a program prints as its last line, or all of it."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                              env=environment, timeout=MOST_SECONDS)
    except subprocess.TimeoutExpired as too_long:
        raise Failed(f"took longer than {MOST_SECONDS} s") from too_long
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise Failed(last_line(done.stderr))
    whole = lines[0] == "{"
    return json.loads(done.stdout if whole else lines[-1])


def last_line(errors):
    return (errors.strip().splitlines() or ["no output"])[-1]


class Staying:
    """A side whose process stays between its turns: it says when it is ready to measure, and then has a
    result for every line that it reads (torch_variants.measure)."""

    def __init__(self, command, environment=None):
        self.command, self.environment = [*map(str, command), "--stay"], environment
        self.process = None

    def start(self):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=self.errors, text=True, env=self.environment)
        self.line_that(lambda line: line == "ready")

    def line_that(self, is_wanted):
        """The next such line. Others may be warnings of libraries."""
        too_long = threading.Timer(MOST_SECONDS, self.process.kill)
        too_long.start()
        try:
            for line in self.process.stdout:
                if is_wanted(line.strip()):
                    return line
        finally:
            too_long.cancel()
        self.process.wait()
        self.errors.seek(0)
        raise Failed(last_line(self.errors.read()))

    def __call__(self):
        try:
            print(file=self.process.stdin, flush=True)
        except OSError:  # it has ended; line_that() says why
            pass
        return json.loads(self.line_that(lambda line: line.startswith("{")))

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.errors.close()


def side_of(command, environment=None, stays=False):
    if stays:
        return Staying(command, environment)
    return functools.partial(last_json, command, environment)


@contextlib.contextmanager
def started(sides, pause):
    """All that stay get ready, one after the other: some time kernels for that. Gives {side: what failed}."""
    staying = {name: side for name, side in sides.items() if isinstance(side, Staying)}
    failed = {}
    try:
        for name, side in staying.items():
            try:
                side.start()
            except Failed as failure:
                failed[name] = str(failure)
                print(f"  {name}: {failure}", file=sys.stderr, flush=True)
        if pause:
            print("  ready; Enter measures", file=sys.stderr, flush=True)
            sys.stdin.readline()
        yield failed
    finally:
        for side in staying.values():
            side.stop()


def take(sides, repeat, pause=False):
    """{side: [result, ...]}; a string instead of results says what failed."""
    with started(sides, pause) as failed:
        return take_turns(sides, repeat, {name: failed.get(name, []) for name in sides})


def take_turns(sides, repeat, results):
    for turn in range(repeat):
        for name in sides if turn % 2 == 0 else reversed(list(sides)):
            if isinstance(results[name], str):
                continue
            try:
                results[name].append(sides[name]())
                print(f"  {name}: {results[name][-1]['ms']:.2f} ms", file=sys.stderr, flush=True)
            except Failed as failure:
                results[name] = str(failure)
                print(f"  {name}: {failure}", file=sys.stderr, flush=True)
    return results


def works(results, side):
    return bool(results.get(side)) and not isinstance(results[side], str)


def median(results, side, what="ms"):
    values = [result.get(what) for result in results[side]] if works(results, side) else [None]
    return None if None in values else statistics.median(values)


def is_ours(side):
    return side.startswith("mgdm")


def ratio(results, one, other):
    """Of one of ours and a peer, whichever is which."""
    ours, peer = (one, other) if is_ours(one) else (other, one)
    if not (works(results, ours) and works(results, peer)):
        return None
    return statistics.median(theirs["ms"] / own["ms"]
                             for own, theirs in zip(results[ours], results[peer]))


def fastest(results):
    """The name of the peer with the least time, or None."""
    peers = [side for side in results if not is_ours(side) and works(results, side)]
    return min(peers, key=lambda side: median(results, side)) if peers else None


def number(value, digits):
    return "" if value is None else f"{value:.{digits}f}"


def table(subject, first, rows, digits, memory=False):
    """rows: (label, results). The first side, then every other one with its ratio to that; with several
    peers the ratio to the fastest; with `memory` what ours and the fastest peer took of the device."""
    others = [side for side in rows[0][1] if side != first]
    head = [subject, f"{first}, ms"] + [text for side in others for text in (f"{side}, ms", "ratio")]
    several = sum(not is_ours(side) for side in rows[0][1]) > 1
    head += ["ratio to the fastest"] if several else []
    head += ["GiB", "GiB of the fastest"] if memory else []
    lines = ["| " + " | ".join(head) + " |", "|---" + "|---:" * (len(head) - 1) + "|"]
    for label, results in rows:
        cells = [label]
        for side in [first, *others]:
            value = median(results, side)
            cells.append("failed" if value is None else number(value, digits))
            if side != first:
                cells.append(number(ratio(results, first, side), 2))
        best = fastest(results)
        if several:
            cells.append(number(ratio(results, first, best) if best else None, 2))
        if memory:
            cells += [number(median(results, side, "memory_gib") if side else None, 1)
                      for side in (first, best)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def record(first, rows):
    """The same for --json, with every measurement. rows: (what is measured, results)."""
    def of(results):
        others = [side for side in results if side != first]
        return {"ms": {side: list_or_failure(results[side]) for side in results},
                "memory_gib": {side: median(results, side, "memory_gib") for side in results},
                "ratio": {side: ratio(results, first, side) for side in others},
                "fastest": fastest(results)}

    def list_or_failure(side):
        return side if isinstance(side, str) else [result["ms"] for result in side]

    return [{**subject, **of(results)} for subject, results in rows]


def facts(rows):
    """(version of PyTorch, name of the device), as a peer told them."""
    for *_, results in rows:
        for side in results:
            if not is_ours(side) and works(results, side):
                return results[side][0]["torch"], results[side][0].get("device_name", "CPU")
    return "unknown", "unknown"


def processor():
    text = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", text) or re.search(r"CPU part\s*: (.*)", text)
    name = name.group(1) if name else platform.machine()
    return f"{os.cpu_count()} cores, {'Neoverse V1' if name == '0xd40' else name}"


def machine(options, rows):
    """Where it was measured, and by what. rows: (label, what is measured, results)."""
    torch, device = facts(rows)
    place, version = processor() if device == "CPU" else device, ""
    if options.program.name != "decode_bench":  # which tells none
        version = subprocess.run([options.program, "--version"], capture_output=True, text=True).stdout
    return "; ".join(filter(None, [place, version.strip(), f"PyTorch {torch}"]))


def measure(options, first, subject, rows, digits=2, memory=False):
    """Prints where it was measured and the table; writes --json, after every row. rows: (label, what is
    measured, its sides)."""
    done = []
    for label, what, sides in rows:
        print(label, file=sys.stderr, flush=True)
        done.append((label, what, take(sides, options.repeat, options.pause)))
        if options.json:
            everything = record(first, [(what, results) for _, what, results in done])
            pathlib.Path(options.json).write_text(
                json.dumps({"machine": machine(options, done), "rows": everything}, indent=2) + "\n")
    labelled = [(label, results) for label, _, results in done]
    print(f"{machine(options, done)}\n\n{table(subject, first, labelled, digits, memory)}")


def python_with_torch():
    for python in ("python3", "/usr/bin/python3"):  # Debian's packages are for the latter
        found = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
        if subprocess.run([python, "-c", found]).returncode == 0:
            return python
    sys.exit("bench/peers/run: no python3 with PyTorch; --python names one")


def add_options(parser, program):
    parser.add_argument("--repeat", type=int, help="turns (CPU 5, CUDA 3)")
    parser.add_argument(program, dest="program",
                        help="the program (default: built now in build/release)")
    parser.add_argument("--python", help="a python3 with PyTorch (default: found)")
    parser.add_argument("--json", help="write every measurement to this file")
    parser.add_argument("--pause", action="store_true",
                        help="once a row's peers have compiled, wait for Enter before measuring")


def add_device_options(parser):
    """For a table on CUDA: also how to try it out where there is none."""
    parser.add_argument("--variants", help="of the peer: eager, compile, reduce-overhead, "
                        "max-autotune, graph; with commas between them")
    parser.add_argument("--device", choices=["cpu", "cuda"], help="instead of the table's own")
    parser.add_argument("--batch", type=int, help="instead of each row's own")


def complete(options, built, device):
    """Fills in what was not given; `built` is the program's path below build/release."""
    if not options.program:
        subprocess.run([ROOT / "scripts/setup.sh", "peers"], check=True)
        subprocess.run([ROOT / "scripts/build.sh", "release", pathlib.Path(built).name], check=True)
    options.program = pathlib.Path(options.program or ROOT / "build/release" / built).resolve()
    options.python = options.python or python_with_torch()
    options.repeat = options.repeat or {"cpu": 5, "cuda": 3}[device]


def chosen(asked, rows, name_of):
    """The rows that --rows names, all without it."""
    if not asked:
        return rows
    by_name = {name_of(row): row for row in rows}
    unknown = [name for name in asked.split(",") if name not in by_name]
    if unknown:
        sys.exit(f"bench/peers/run: no row {unknown[0]}; there are {', '.join(by_name)}")
    return [by_name[name] for name in asked.split(",")]


def peer_environment(as_installed=False):
    """OpenBLAS 0.3.21 takes processors it does not know for one of 2004; told what they are like, it
    is three times as fast. The peer shall be as good as it can be."""
    avx512 = "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()
    if as_installed or not avx512 or "OPENBLAS_CORETYPE" in os.environ:
        return dict(os.environ)
    return {**os.environ, "OPENBLAS_CORETYPE": "SkylakeX"}
