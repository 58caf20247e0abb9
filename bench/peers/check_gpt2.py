#!/usr/bin/env python3
"""Whether a training step of the paper's GPT-2 and its answers are PyTorch's, on the CPU in fp32.

    check_gpt2.py build/release/mgdm-train
        trains a small GPT-2 for some steps, all of the answers masked so that nothing is drawn. Given the
        weights and AdamW's memory before the last step, PyTorch must come to the same loss, norm of the
        gradient and weights, up to rounding.
    check_gpt2.py build/release/mgdm-train MODEL puzzles.jsonl
        answers puzzles with a model that such a recipe trained, by the paper's rule without noise: 99 of
        100 answers, without special tokens, must be the same; rounding may decide the others.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import torch
from torch import nn

from our_files import logged, rows_of, safetensors, settings_of, text_of
from our_gpt2 import in_pytorch, network
from torch_decode_peer import show_surest
from torch_networks import MASK
from torch_peer import Weights, masked_loss
from turns import ROOT

RECIPE = ROOT / "recipes/paper/countdown-4-tiny-mgdm.toml"
ROWS, STEPS, RATE = 8, 30, 1e-3
SMALL = ["model.width=64", "model.heads=2", "model.dropout=0", "objective.full_mask=1",
         "optimizer.schedule=constant", "data.as_released=false", f"data.count={ROWS}",
         "data.held_out=0", f"training.batch={ROWS}", "training.epochs=0",
         f"training.steps={STEPS}", "training.log_every=1", "training.checkpoint_every=1",
         "training.keep=2", "training.device=cpu", "evaluation.count=0"]
BATCH = 100


def adamw(model, checkpoint):
    """PyTorch's optimiser with the memory of the checkpoint."""
    memory = safetensors(checkpoint / "optimizer.safetensors")
    mean, square = (in_pytorch({name[len(kind):]: tensor for name, tensor in memory.items()
                                if name.startswith(kind)}, turned=False)
                    for kind in ("adamw.mean.", "adamw.square."))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.0)
    for name, parameter in model.named_parameters():
        optimizer.state[parameter] = {"step": torch.tensor(float(STEPS - 1)),
                                      "exp_avg": mean[name], "exp_avg_sq": square[name]}
    return optimizer


def check_step(program, folder):
    """The largest relative difference in loss, gradient norm and weights."""
    puzzles, run = folder / "puzzles.jsonl", folder / "run"
    subprocess.run([program, "generate", "countdown-4", "--count", str(ROWS), "--seed", "5",
                    "--out", puzzles, "--quiet"], check=True)
    subprocess.run([program, "train", RECIPE, *SMALL, f"data.files=['{puzzles}']", "--out", run,
                    "--quiet"], check=True)
    before, after = run / f"checkpoint-{STEPS - 1}", run / f"checkpoint-{STEPS}"
    model = network(before)
    tokens, frozen = rows_of(puzzles, settings_of(before)["card"]["length"])
    loss = masked_loss(model, tokens, frozen, ~frozen, 1, Weights(alpha=0.25, beta=2))
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    adamw(model, before).step()
    expected = dict(network(after).named_parameters())
    last = logged(run, STEPS)
    differences = {
        "loss": abs(loss.item() / last["loss"] - 1),
        "gradient norm": abs(norm.item() / last["gradient_norm"] - 1),
        "weights": max((parameter - expected[name]).abs().max().item()
                       for name, parameter in model.named_parameters()) / RATE,
    }
    print(f"loss {loss.item():.6f} (mgdm {last['loss']:.6f}); relative differences " +
          ", ".join(f"{name} {value:.1e}" for name, value in differences.items()))
    return max(differences.values())


@torch.no_grad()
def answers(model, tokens, frozen, steps):
    texts = []
    for first in range(0, len(tokens), BATCH):
        given = frozen[first : first + BATCH]
        now = tokens[first : first + BATCH].masked_fill(~given, MASK)
        for t in reversed(range(steps)):
            now = show_surest(model, now, given, t / steps, noise=0)
        texts += [text_of(row[~known].tolist()) for row, known in zip(now, given)]
    return texts


def check_answers(program, checkpoint, puzzles, folder):
    """How many of the answers are the same, and of how many."""
    card = settings_of(checkpoint)["card"]
    said = folder / "said.jsonl"
    subprocess.run([program, "eval", "--model", checkpoint, "--data", puzzles, "--noise", "0",
                    "--revise", "on", "--arithmetic", "fp32", "--device", "cpu", "--predictions",
                    said, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    ours = [re.sub(r"\[[A-Z]+\]", "", json.loads(line)["output"])  # without special tokens
            for line in said.read_text().splitlines()]
    tokens, frozen = rows_of(puzzles, card["length"])
    theirs = answers(network(checkpoint), tokens, frozen, card["decoding"]["steps"])
    return sum(a == b for a, b in zip(ours, theirs)), len(ours)


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    program, *files = [pathlib.Path(path).resolve() for path in sys.argv[1:]]
    with tempfile.TemporaryDirectory(prefix="mgdm-peers-") as folder:
        if files:
            same, of = check_answers(program, *files, pathlib.Path(folder))
            print(f"{same} of {of} answers are the same")
            if same < 0.99 * of:
                sys.exit("check_gpt2.py: PyTorch answers otherwise")
        # fp32 on both sides, in other orders.
        elif check_step(program, pathlib.Path(folder)) > 1e-3:
            sys.exit("check_gpt2.py: PyTorch computes something else")


if __name__ == "__main__":
    main()
