"""bench/peers/run cpu|cuda: training steps of mgdm beside the same in PyTorch (torch_peer.py)."""
import argparse
import functools
import os

import turns
from our_recipes import in_gib, recipe_of

ROWS = {  # (model, length, batch, steps timed at a time)
    "cpu": [("tiny", 64, 32, 6), ("tiny", 164, 16, 6)],
    "cuda": [
        ("tiny", 164, 1024, 30),
        ("tiny", 64, 1024, 50),
        ("tiny", 75, 1024, 50),
        ("tiny", 325, 1024, 20),
        ("base", 64, 1024, 15),
        ("base", 164, 1024, 8),
        ("medium", 64, 1024, 8),
        ("looped", 52, 512, 30),
        ("in-place", 81, 512, 30),
    ],
}
# These stay between their turns; others by --stay: several graphs of a large network would not fit on a GPU.
LONG_TO_COMPILE = ("looped", "in-place")
VARIANTS = {"cpu": "eager", "cuda": "eager,compile,max-autotune,graph"}


def ours(options, model, length, batch, steps):
    with recipe_of(model, length, options.dropout) as words:
        return in_gib(turns.last_json(
            [options.program, "bench", "train", *words, "--device", options.device,
             "--batch", batch, "--steps", steps, "--turns", 1, "--json", "-"]))


def peer(options, variant, model, length, batch, steps):
    command = [options.python, turns.HERE / "torch_peer.py", "--device", options.device,
               "--variant", variant, "--model", model, "--length", length, "--batch", batch,
               "--steps", steps, "--dropout", options.dropout,
               "--warm-up", 8 if options.device == "cuda" else 1,
               *(["--short-stream"] if options.short_stream else [])]
    stays = options.table == "cuda" and (options.stay or model in LONG_TO_COMPILE)
    return turns.side_of(command, stays=stays)


def main(arguments):
    parser = argparse.ArgumentParser(prog="bench/peers/run", description=__doc__)
    parser.add_argument("table", choices=ROWS)
    parser.add_argument("--rows", help="model:length,... instead of all, e.g. tiny:164,looped:52")
    parser.add_argument("--dropout", type=float, default=0.1, help="of GPT-2")
    parser.add_argument("--short-stream", action="store_true",
                        help="looped peers: the residual stream in bf16, as mgdm has it")
    parser.add_argument("--stay", action="store_true",
                        help="cuda: the peers of GPT-2 stay between turns, too, and compile once")
    parser.add_argument("--steps", type=int, help="timed at a time, instead of each row's own")
    turns.add_device_options(parser)
    turns.add_options(parser, "--mgdm")
    options = parser.parse_args(arguments)
    options.device = options.device or options.table
    turns.complete(options, "mgdm", options.device)
    if options.device == "cpu":  # for both sides: ./mgdm sets it, too
        os.environ.update(turns.peer_environment())
    variants = (options.variants or VARIANTS[options.table]).split(",")
    rows = []
    for row in turns.chosen(options.rows, ROWS[options.table], lambda row: f"{row[0]}:{row[1]}"):
        model, length, batch, steps = row
        row = (model, length, options.batch or batch, options.steps or steps)
        sides = {"mgdm": functools.partial(ours, options, *row)}
        for variant in variants:
            sides[f"PyTorch {variant}"] = peer(options, variant, *row)
        label = " · ".join(str(word) for word in row[:3])
        what = dict(zip(("model", "length", "batch", "steps"), row))
        rows.append((label, what, sides))
    turns.measure(options, "mgdm", "model · length · batch", rows, memory=options.device == "cuda")
