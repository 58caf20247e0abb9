#!/usr/bin/env python3
"""The same training step in PyTorch, as one would write it there, timed.

GPT-2 over 31 tokens, the MGDM loss (linear sequence weight, token weight 0.25 (1 - p)), gradients
clipped to 1, AdamW. On CUDA in bf16 with fused attention and the fused optimiser; on the CPU in
fp32. Runs with PyTorch 1.13 (which has no fused attention) and 2.x.

    torch_peer.py --device cpu --model tiny --length 64 --batch 32

prints one line of JSON: milliseconds per step, and with what they were measured.
"""
import argparse
import contextlib
import json
import math
import time

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, MASK, FIRST_ORDINARY = 31, 2, 5
POSITIONS, NOISE_LEVELS = 512, 20
MODELS = {  # layers, heads, width
    "tiny": (3, 12, 384),
    "base": (12, 12, 768),
    "medium": (24, 16, 1024),
}


def attention(q, k, v, dropout):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout)
    scores = (q @ k.transpose(-2, -1)) * (1 / math.sqrt(q.size(-1)))
    return F.dropout(F.softmax(scores, dim=-1), dropout) @ v


class Block(nn.Module):
    def __init__(self, heads, width, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.norm_attention = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.norm_mlp = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = [
            part.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.qkv(self.norm_attention(x)).split(width, dim=2)
        ]
        mixed = attention(q, k, v, self.dropout).transpose(1, 2).reshape(batch, length, width)
        x = x + F.dropout(self.projection(mixed), self.dropout)
        hidden = F.gelu(self.up(self.norm_mlp(x)), approximate="tanh")
        return x + F.dropout(self.down(hidden), self.dropout)


class Gpt2(nn.Module):
    def __init__(self, layers, heads, width, dropout):
        super().__init__()
        self.dropout = dropout
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(POSITIONS, width)
        self.blocks = nn.ModuleList(Block(heads, width, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.positions.weight[: tokens.size(1)]
        x = F.dropout(x, self.dropout)
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.tokens.weight)
        return torch.cat([logits[:, :1], logits[:, :-1]], dim=1)  # n is read off state n-1


def mgdm_loss(model, tokens, frozen):
    level = torch.randint(0, NOISE_LEVELS, (tokens.size(0), 1), device=tokens.device)
    chance = (level + 1) / NOISE_LEVELS
    masked = (torch.rand(tokens.shape, device=tokens.device) < chance) & ~frozen
    logits = model(tokens.masked_fill(masked, MASK))
    loss = F.cross_entropy(logits.flatten(0, 1).float(), tokens.flatten(), reduction="none")
    loss = loss.view_as(tokens)
    loss = 0.25 * (1 - torch.exp(-loss)) * loss
    return (loss * masked * (NOISE_LEVELS - level)).sum() / masked.sum()


def make_step(options):
    """A function that does one step. The batch lies on the device already, and stays the same."""
    device = torch.device(options.device)
    cuda = device.type == "cuda"
    model = Gpt2(*MODELS[options.model], options.dropout).to(device)
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=1e-3, weight_decay=0.0, **({"fused": True} if cuda else {})
    )
    shape = (options.batch, options.length)
    tokens = torch.randint(FIRST_ORDINARY, VOCABULARY, shape, device=device)
    frozen = torch.zeros(shape, dtype=torch.bool, device=device)
    frozen[:, : options.length // 2] = True
    loss_of = torch.compile(mgdm_loss) if options.variant == "compile" else mgdm_loss

    def step():
        autocast = torch.autocast("cuda", torch.bfloat16) if cuda else contextlib.nullcontext()
        with autocast:
            loss = loss_of(model, tokens, frozen)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return loss

    return step


def milliseconds(step, warm_up, steps, device):
    def finish():
        if device == "cuda":
            torch.cuda.synchronize()

    for _ in range(warm_up):
        step()
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
    parser.add_argument("--variant", choices=["eager", "compile"], default="eager")
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=10, help="how many are timed")
    parser.add_argument("--warm-up", type=int, default=3, help="how many go before")
    options = parser.parse_args()
    torch.manual_seed(0)
    ms = milliseconds(make_step(options), options.warm_up, options.steps, options.device)
    cuda = options.device == "cuda"
    print(json.dumps({
        **vars(options),
        "ms": round(ms, 3),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "device_name": torch.cuda.get_device_name() if cuda else "CPU",
        "memory_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2) if cuda else None,
    }))


if __name__ == "__main__":
    main()
