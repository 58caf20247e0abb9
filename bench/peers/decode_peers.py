"""bench/peers/run decode: passes of a network, as decoding does them, beside the same in PyTorch.

Both take turns, each a fresh process. Ours is bench/decode_bench, in fp32, bf16 and int8; the peer is
torch_decode_peer.py in fp32.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ROWS = [("planning", 1), ("planning", 64), ("sudoku", 1), ("sudoku", 64), ("tiny", 1), ("tiny", 64)]
ARITHMETICS = ["fp32", "bf16", "int8"]


def peer_environment(as_installed):
    """OpenBLAS 0.3.21 takes processors it does not know for one of 2004; told what they are like, it
    is three times as fast. The peer shall be as good as it can be."""
    avx512 = "avx512f" in pathlib.Path("/proc/cpuinfo").read_text()
    if as_installed or not avx512 or "OPENBLAS_CORETYPE" in os.environ:
        return dict(os.environ)
    return {**os.environ, "OPENBLAS_CORETYPE": "SkylakeX"}


def last_json(command, environment=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env=environment)
    if done.returncode != 0:
        sys.exit(f"bench/peers/run: {command[0]} failed: {done.stderr.strip().splitlines()[-1:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def measure(options, case, batch):
    """{"fp32": [ms, ...], ..., "peer": [...]}"""
    environment = peer_environment(options.as_installed)
    sides = [*ARITHMETICS, "peer"]
    ms = {side: [] for side in sides}
    for repetition in range(options.repeat):
        for side in sides if repetition % 2 == 0 else reversed(sides):
            if side == "peer":
                command = [options.python, HERE / "torch_decode_peer.py", case, batch]
                result = last_json(command, environment)
                options.torch = result["torch"]
            else:
                result = last_json([options.bench, case, batch, side])
            ms[side].append(result["ms"])
    return ms


def main(arguments, python_with_torch, processor):
    parser = argparse.ArgumentParser(prog="bench/peers/run decode", description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="turns")
    parser.add_argument("--as-installed", action="store_true",
                        help="do not tell OpenBLAS what the processor is like")
    parser.add_argument("--bench", help="the program (default: built now)")
    parser.add_argument("--python", help="a python3 with PyTorch (default: found)")
    options = parser.parse_args(arguments)
    if not options.bench:
        subprocess.run([ROOT / "scripts/setup.sh", "peers"], check=True)
        subprocess.run([ROOT / "scripts/build.sh", "release", "decode_bench"], check=True)
        options.bench = ROOT / "build/release/bench/decode_bench"
    options.python = options.python or python_with_torch()
    lines = ["| network · batch | PyTorch, ms |"
             + "".join(f" mgdm {name}, ms | ratio |" for name in ARITHMETICS),
             "|---|---:|" + "---:|---:|" * len(ARITHMETICS)]
    for case, batch in ROWS:
        ms = measure(options, case, batch)
        cells = [f"{case} · {batch}", f"{statistics.median(ms['peer']):.2f}"]
        for side in ARITHMETICS:
            ratio = statistics.median(peer / ours for ours, peer in zip(ms[side], ms["peer"]))
            cells += [f"{statistics.median(ms[side]):.2f}", f"{ratio:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
        print(lines[-1], file=sys.stderr)
    print(f"{processor()}; PyTorch {options.torch}\n")
    print("\n".join(lines))
