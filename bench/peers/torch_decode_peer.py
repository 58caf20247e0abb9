#!/usr/bin/env python3
"""Decoding with the same networks in PyTorch, as one would write it there, timed.

    torch_decode_peer.py sudoku 64
    torch_decode_peer.py tiny 1024 --device cuda --variant graph --steps 20

prints one line of JSON: the median milliseconds of a pass over a batch; with --steps T those of whole
answers, T passes and what is shown after each, from tokens on the host to tokens on the host. On CUDA
weights and activations are bf16.
"""
import argparse
import os
import statistics
import time

import torch

import torch_variants
from torch_networks import GPT2, MASK, VOCABULARY, Gpt2, Looped

LENGTHS = {"planning": 40, "sudoku": 81, "tiny": 64}
NETWORKS = {  # also in bench/decode_bench.cc
    "planning": lambda: Looped(2, 4, 4, 128, positions=40, loop_norm=False),
    "sudoku": lambda: Looped(2, 8, 8, 256, positions=81, loop_norm=False),
    "tiny": lambda: Gpt2(*GPT2["tiny"], positions=64),
}
NEVER = (1, 2, 4)  # [SEP], [MASK], [UNK] are no answers
NOISE = 0.5  # scale of the Gumbel noise on scores


def show_surest(model, x, frozen, share, noise=NOISE):
    """One pass, and the paper's rule: every position is predicted anew, and those are masked again
    whose score is below the floor(L t/T)-th smallest. share: t/T."""
    logits = model(x, frozen)[-1].float()
    for token in NEVER:
        logits[..., token] = float("-inf")
    score, prediction = torch.log_softmax(logits, dim=-1).max(dim=-1)
    if noise > 0:
        gumbel = -torch.log(-torch.log(torch.rand_like(score).clamp_min(1e-20)))
        score = score + noise * share * gumbel
    score = score.masked_fill(frozen, float("inf"))
    diffused = (~frozen).sum(dim=1, keepdim=True)
    place = (diffused * share + 1e-4).long()  # floor, whatever the product was rounded to
    cutoff = score.sort(dim=1).values.gather(1, place)
    return torch.where(frozen, x, prediction.masked_fill(score < cutoff, MASK))


def make_decoder(model, tokens, frozen, options):
    """A function that answers a batch: from tokens on the host to tokens on the host."""
    device = torch.device(options.device)
    x, given = tokens.to(device), frozen.to(device)
    shares = [torch.tensor(t / options.steps, device=device) for t in reversed(range(options.steps))]
    one = torch_variants.compiled(show_surest, options.variant)

    def passes():
        now = x
        for share in shares:
            torch_variants.begin_step(options.variant)
            now = one(model, now, given, share)
            if options.variant in ("reduce-overhead", "max-autotune"):
                now = now.clone()  # the next replay would overwrite it
        return now

    run = torch_variants.recorded(passes) if options.variant == "graph" and x.is_cuda else passes
    pinned = tokens.pin_memory() if x.is_cuda else tokens

    def decode():
        x.copy_(pinned, non_blocking=True)
        return run().cpu()

    return decode


def median_ms(work, seconds=1.5, warm_up=0):
    for _ in range(warm_up):
        work()
    times = []
    begin = time.perf_counter()
    while len(times) < 5 or time.perf_counter() - begin < seconds:
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=NETWORKS)
    parser.add_argument("batch", type=int)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--variant", choices=torch_variants.NAMES, default="eager")
    parser.add_argument("--steps", type=int, default=0, help="T of whole answers; 0: a pass")
    parser.add_argument("--stay", action="store_true", help="measure at every line of input")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    network = NETWORKS[options.case]().eval()
    if options.device == "cuda":
        network.to("cuda", torch.bfloat16)
    shape = (options.batch, LENGTHS[options.case])
    tokens = torch.randint(0, VOCABULARY, shape)
    with torch.no_grad():
        if options.steps == 0:
            if options.device != "cpu":
                parser.error("a pass is measured on the CPU; --steps T for whole answers")
            work, warm_up = lambda: network(tokens), 0
        else:
            frozen = torch.zeros(shape, dtype=torch.bool)
            frozen[:, : shape[1] // 2] = True
            tokens = tokens.masked_fill(~frozen, MASK)
            work, warm_up = make_decoder(network, tokens, frozen, options), 3
        torch_variants.measure(options.device, options.stay,
                               lambda: median_ms(work, warm_up=warm_up), prepare=work)


if __name__ == "__main__":
    main()
