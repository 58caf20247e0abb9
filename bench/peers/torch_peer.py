#!/usr/bin/env python3
"""The same training step in PyTorch, as one would write it there, timed.

The MGDM loss over 31 tokens, gradients clipped to 1. GPT-2 with AdamW; or a looped network with a
loss after every loop, Muon for its matrices and AdamW for the rest. On CUDA in bf16 with fused
attention and the fused optimiser; on the CPU in fp32.

    torch_peer.py --device cpu --model tiny --length 64 --batch 32

prints one line of JSON: milliseconds per step, and with what they were measured.
"""
import argparse
import contextlib
import math
import time
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F

import torch_variants
from torch_muon import Muon
from torch_networks import FIRST_ORDINARY, GPT2, MASK, VOCABULARY, Gpt2, Looped

NOISE_LEVELS = 20


class Weights(NamedTuple):
    """Of the MGDM loss: token weight alpha (1 - p)^beta, sequence weight T - t or 1."""
    alpha: float = 0.25
    beta: float = 1.0
    linear: bool = True
    full_mask: float = 0.0  # this part of the examples is masked altogether


LOOPED = {  # layers, loops, heads, width; the networks of recipes/frontier
    "looped": ((3, 4, 12, 384), {}, Weights(beta=2.0, full_mask=0.5)),
    "in-place": ((2, 8, 8, 256), {"frozen_embedding": True},
                 Weights(alpha=1.0, linear=False, full_mask=0.5)),
}
MODELS = [*GPT2, *LOOPED]


def make_model(options):
    """The network, and the weights of its loss."""
    if options.model in GPT2:
        return Gpt2(*GPT2[options.model], options.dropout), Weights()
    shape, more, weights = LOOPED[options.model]
    network = Looped(*shape, positions=options.length, short_stream=options.short_stream, **more)
    return network, weights


def masked_loss(model, tokens, frozen, masked, sequence_weight, weights):
    """A mean over what is masked; over loops r = 1..R with weights in proportion to r."""
    predictions = model(tokens.masked_fill(masked, MASK), frozen)
    total = 0.0
    for loop, logits in enumerate(predictions, start=1):
        loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens.flatten(), reduction="none")
        error = 1 - torch.exp(-loss)
        token_weight = weights.alpha * (error if weights.beta == 1 else error**weights.beta)
        weighted = (token_weight * loss).view_as(tokens) * masked * sequence_weight
        loops = len(predictions)
        total = total + weighted.sum() * (2 * loop / (loops * (loops + 1)))
    return total / masked.sum()


def mgdm_loss(model, tokens, frozen, weights):
    rows = (tokens.size(0), 1)
    level = torch.randint(0, NOISE_LEVELS, rows, device=tokens.device)
    if weights.full_mask > 0:
        full = torch.rand(rows, device=tokens.device) < weights.full_mask
        level = level.masked_fill(full, NOISE_LEVELS - 1)
    chance = (level + 1) / NOISE_LEVELS
    masked = (torch.rand(tokens.shape, device=tokens.device) < chance) & ~frozen
    sequence_weight = NOISE_LEVELS - level if weights.linear else 1
    return masked_loss(model, tokens, frozen, masked, sequence_weight, weights)


def make_optimizers(model, options):
    """AdamW, or Muon for the matrices of a looped network and AdamW for the rest."""
    cuda = options.device == "cuda"
    fused = {"fused": True, "capturable": options.variant == "graph"} if cuda else {}
    if options.model in GPT2:
        return [torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0, **fused)]
    matrices = model.matrices()
    moved = {id(matrix) for matrix in matrices}
    others = [parameter for parameter in model.parameters() if id(parameter) not in moved]
    return [
        Muon(matrices, compiled=lambda f: torch_variants.compiled_kernels(f, options.variant)),
        torch.optim.AdamW(others, lr=3e-3, betas=(0.9, 0.95), weight_decay=0.0, **fused),
    ]


def make_step(options):
    """A function that does one step. The batch lies on the device already, and stays the same."""
    device = torch.device(options.device)
    cuda = device.type == "cuda"
    model, weights = make_model(options)
    model.to(device)
    optimizers = make_optimizers(model, options)
    shape = (options.batch, options.length)
    tokens = torch.randint(FIRST_ORDINARY, VOCABULARY, shape, device=device)
    frozen = torch.zeros(shape, dtype=torch.bool, device=device)
    frozen[:, : options.length // 2] = True
    loss_of = torch_variants.compiled(mgdm_loss, options.variant)

    def step():
        torch_variants.begin_step(options.variant)
        autocast = torch.autocast("cuda", torch.bfloat16) if cuda else contextlib.nullcontext()
        with autocast:
            loss = loss_of(model, tokens, frozen, weights)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        for parameter in model.parameters():
            parameter.grad = None
        return loss

    return torch_variants.recorded(step) if options.variant == "graph" and cuda else step


def milliseconds(step, steps, device):
    def finish():
        if device == "cuda":
            torch.cuda.synchronize()

    finish()
    start = time.perf_counter()
    for _ in range(steps):
        loss = step()
    finish()
    seconds = time.perf_counter() - start
    assert math.isfinite(loss.item())
    return 1000 * seconds / steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--model", choices=MODELS, default="tiny")
    parser.add_argument("--length", type=int, default=64)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--variant", choices=torch_variants.NAMES, default="eager")
    parser.add_argument("--dropout", type=float, default=0.1, help="of GPT-2")
    parser.add_argument("--short-stream", action="store_true", help="looped: the stream in bf16")
    parser.add_argument("--steps", type=int, default=10, help="how many are timed")
    parser.add_argument("--warm-up", type=int, default=3, help="how many go before")
    parser.add_argument("--stay", action="store_true", help="measure at every line of input")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high")
    step = make_step(options)

    def measured():
        for _ in range(options.warm_up):  # out of its rest
            step()
        return milliseconds(step, options.steps, options.device)

    torch_variants.measure(options.device, options.stay, measured, prepare=step)


if __name__ == "__main__":
    main()
