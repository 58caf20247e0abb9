#!/usr/bin/env python3
"""The paper's recipe for countdown, trained in PyTorch: what mgdm's accuracy should be beside.

MGDM's loss with dropout and AdamW, the cosine schedule, gradients clipped to 1, the same examples in
another order. It begins with the weights of a checkpoint of mgdm's (below, after one step) and writes
a folder like it, so that `mgdm eval` measures both in the same way:

    mgdm train recipes/paper/countdown-4-tiny-mgdm.toml training.epochs=0 training.steps=1 --out begin
    mgdm generate countdown-4 --as-released --count 500000 --out examples.jsonl
    train_gpt2.py begin/checkpoint-1 examples.jsonl --epochs 26 --out trained
    mgdm eval --model trained --data cd4_test.jsonl --batch 1000
"""
import argparse
import contextlib
import json
import math
import pathlib
import time

import torch
from torch import nn

from our_files import rows_of, settings_of
from our_gpt2 import network, write_like
from torch_peer import Weights, mgdm_loss

AUTOCAST = {"fp16": torch.float16, "bf16": torch.bfloat16}


def batches(count, size, device):
    """Indices of examples, without end, in a new order each epoch; what does not fill a batch is left out."""
    if count < size:
        raise SystemExit(f"train_gpt2.py: {count} examples, and a batch of {size}")
    while True:
        order = torch.randperm(count, device=device)
        yield from order[: count // size * size].view(-1, size)


def train(model, tokens, frozen, options, save):
    device, rows = tokens.device, len(tokens)
    steps = options.steps or max(1, round(options.epochs * rows / options.batch))
    weights = Weights(alpha=0.25, beta=options.beta)
    fused = {"fused": True} if device.type == "cuda" else {}
    optimizer = torch.optim.AdamW(model.parameters(), lr=options.rate, weight_decay=0.0, **fused)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: 0.5 * (1 + math.cos(math.pi * step / steps)))
    # In fp16 as usual. Else a scale of 1 that never grows, which leaves out steps whose gradient is
    # not finite: a run in bf16 that took all steps became NaN; why is not known.
    scaler = torch.cuda.amp.GradScaler(
        enabled=device.type == "cuda", init_scale=2.0**16 if options.precision == "fp16" else 1.0,
        growth_interval=2000 if options.precision == "fp16" else 10**9)
    autocast = (torch.autocast(device.type, AUTOCAST[options.precision])
                if options.precision in AUTOCAST else contextlib.nullcontext())
    loss_of = torch.compile(mgdm_loss) if options.compile else mgdm_loss
    begun, recent = time.time(), []
    for step, chosen in zip(range(1, steps + 1), batches(rows, options.batch, device)):
        with autocast:
            loss = loss_of(model, tokens[chosen], frozen[chosen], weights)
        optimizer.zero_grad(set_to_none=True)
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        schedule.step()
        recent.append(loss.detach())
        if step % options.log_every == 0 or step == steps:
            print(json.dumps({"step": step, "loss": torch.stack(recent).mean().item(),
                              "scale": scaler.get_scale(),
                              "seconds": round(time.time() - begun, 1)}), flush=True)
            recent.clear()
        if step % options.save_every == 0 or step == steps:
            save()


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint", type=pathlib.Path, help="of mgdm's, to begin with")
    parser.add_argument("examples", type=pathlib.Path, help="that mgdm generate wrote")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write")
    parser.add_argument("--epochs", type=float, default=600)
    parser.add_argument("--steps", type=int, help="in place of epochs")
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate at the beginning")
    parser.add_argument("--beta", type=float, default=2.0, help="of the token weight")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--precision", choices=[*AUTOCAST, "fp32"], default="fp16")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    parser.add_argument("--log-every", type=int, default=500)
    parser.add_argument("--save-every", type=int, default=5000,
                        help="steps after which the folder is written, so that a run that is cut off leaves one")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    length = settings_of(options.checkpoint)["card"]["length"]
    tokens, frozen = (rows.to(options.device) for rows in rows_of(options.examples, length))
    if tokens.size(1) != length:
        raise SystemExit(f"train_gpt2.py: rows of {tokens.size(1)} tokens for a model of {length}")
    model = network(options.checkpoint, options.dropout).to(options.device).train()
    train(model, tokens, frozen, options, lambda: write_like(options.checkpoint, model, options.out))


if __name__ == "__main__":
    main()
