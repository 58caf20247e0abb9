#!/usr/bin/env python3
"""A pass of the same networks in PyTorch on the CPU, as one would write it there, timed.

    torch_decode_peer.py sudoku 64

prints one line of JSON: the median milliseconds of a pass over a batch.
"""
import argparse
import json
import os
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY = 31
CASES = {  # architecture, layers, loops, width, heads, length; also in bench/decode_bench.cc
    "planning": ("looped", 2, 4, 128, 4, 40),
    "sudoku": ("looped", 2, 8, 256, 8, 81),
    "tiny": ("gpt2", 3, 1, 384, 12, 64),
}


def attention(q, k, v, scale):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, scale=scale)
    return F.softmax((q @ k.transpose(-2, -1)) * scale, dim=-1) @ v


def rms_norm(x):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


class Block(nn.Module):
    def __init__(self, looped, heads, width):
        super().__init__()
        self.looped, self.heads = looped, heads
        self.norm_attention = rms_norm if looped else nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=not looped)
        self.projection = nn.Linear(width, width, bias=not looped)
        self.norm_mlp = rms_norm if looped else nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width, bias=not looped)
        self.down = nn.Linear(4 * width, width, bias=not looped)

    def forward(self, x):
        batch, length, width = x.shape
        size = width // self.heads
        qkv = self.qkv(self.norm_attention(x)).view(batch, length, 3, self.heads, size)
        q, k, v = qkv.unbind(2)
        if self.looped:
            q, k = rms_norm(q), rms_norm(k)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        mixed = attention(q, k, v, 0.25 if self.looped else size**-0.5)
        x = x + self.projection(mixed.transpose(1, 2).reshape(batch, length, width))
        hidden = self.up(self.norm_mlp(x))
        hidden = F.relu(hidden).square() if self.looped else F.gelu(hidden, approximate="tanh")
        return x + self.down(hidden)


class Network(nn.Module):
    def __init__(self, architecture, layers, loops, width, heads, length):
        super().__init__()
        looped = architecture == "looped"
        self.loops = loops
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(looped, heads, width) for _ in range(layers))
        self.norm = rms_norm if looped else nn.LayerNorm(width)
        self.head = nn.Linear(width, VOCABULARY, bias=False)

    def forward(self, tokens):
        e = x = self.tokens(tokens) + self.positions.weight
        for loop in range(self.loops):
            if loop > 0:
                x = x + e
            for block in self.blocks:
                x = block(x)
        return self.head(self.norm(x))


def pass_ms(case, batch):
    network = Network(*CASES[case]).eval()
    tokens = torch.randint(0, VOCABULARY, (batch, CASES[case][-1]))
    times = []
    begin = time.perf_counter()
    with torch.no_grad():
        while len(times) < 5 or time.perf_counter() - begin < 1.5:
            start = time.perf_counter()
            network(tokens)
            times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", choices=CASES)
    parser.add_argument("batch", type=int)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    print(json.dumps({
        "ms": round(pass_ms(options.case, options.batch), 4),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }))


if __name__ == "__main__":
    main()
