"""bench/peers/run decode: passes of a network on the CPU, as decoding does them, beside PyTorch's.
bench/peers/run decode-cuda: whole answers on a GPU, T passes and what is shown after each.

Ours on the CPU is bench/decode_bench, in fp32, bf16 and int8; on CUDA mgdm bench decode. The peer is
torch_decode_peer.py, in fp32 on the CPU and in bf16 on CUDA.
"""
import argparse
import functools

import turns
from our_recipes import in_gib, recipe_of

PASSES = [("planning", 1), ("planning", 64), ("sudoku", 1), ("sudoku", 64), ("tiny", 1), ("tiny", 64)]
ARITHMETICS = ["fp32", "bf16", "int8"]
ANSWERS = [("tiny", 1), ("tiny", 1024)]
VARIANTS = "eager,reduce-overhead,max-autotune,graph"
STEPS, LENGTH = 20, 64


def peer(options, case, batch, more=(), stays=False):
    return turns.side_of([options.python, turns.HERE / "torch_decode_peer.py", case, batch, *more],
                         turns.peer_environment(getattr(options, "as_installed", False)), stays)


def our_answers(options, case, batch):
    with recipe_of(case, LENGTH) as words:
        return in_gib(turns.last_json(
            [options.program, "bench", "decode", *words, "--device", options.device,
             "--batch", batch, "--steps", STEPS, "--turns", 1, "--json", "-"]))


def measure(options, rows, sides_of, first, memory=False):
    named = [(f"{case} · {batch}", {"network": case, "batch": batch}, sides_of(case, batch))
             for case, batch in rows]
    turns.measure(options, first, "network · batch", named, memory=memory)


def passes(arguments):
    parser = argparse.ArgumentParser(prog="bench/peers/run decode", description=__doc__)
    parser.add_argument("--as-installed", action="store_true",
                        help="do not tell OpenBLAS what the processor is like")
    turns.add_options(parser, "--bench")
    options = parser.parse_args(arguments)
    turns.complete(options, "bench/decode_bench", "cpu")

    def sides_of(case, batch):
        sides = {f"mgdm {name}": functools.partial(turns.last_json,
                                                   [options.program, case, batch, name])
                 for name in ARITHMETICS}
        return {**sides, "PyTorch": peer(options, case, batch)}

    measure(options, PASSES, sides_of, "PyTorch")


def answers(arguments):
    parser = argparse.ArgumentParser(prog="bench/peers/run decode-cuda", description=__doc__)
    turns.add_device_options(parser)
    turns.add_options(parser, "--mgdm")
    options = parser.parse_args(arguments)
    options.device = options.device or "cuda"
    turns.complete(options, "mgdm", options.device)

    def sides_of(case, batch):
        sides = {"mgdm": functools.partial(our_answers, options, case, batch)}
        for variant in (options.variants or VARIANTS).split(","):
            more = ["--device", options.device, "--variant", variant, "--steps", STEPS]
            sides[f"PyTorch {variant}"] = peer(options, case, batch, more, stays=True)
        return sides

    rows = ANSWERS if not options.batch else [("tiny", options.batch)]
    measure(options, rows, sides_of, "mgdm", memory=options.device == "cuda")
