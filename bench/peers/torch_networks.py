"""The networks in PyTorch, as one would write them there.

Both give a list of logits, one for each loop that is asked for. Run with PyTorch 1.13 (which has no
fused attention) and 2.x.
"""
import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, MASK, FIRST_ORDINARY = 31, 2, 5
GPT2 = {  # layers, heads, width
    "tiny": (3, 12, 384),
    "base": (12, 12, 768),
    "medium": (24, 16, 1024),
}


def attention(q, k, v, scale, dropout):
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, dropout_p=dropout, scale=scale)
    weights = F.softmax((q @ k.transpose(-2, -1)) * scale, dim=-1)
    return F.dropout(weights, dropout) @ v


def rms_norm(x):
    if hasattr(F, "rms_norm"):
        return F.rms_norm(x, (x.size(-1),), eps=1e-6)
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)


def gelu(x):
    return F.gelu(x, approximate="tanh")


def relu_squared(x):
    x = F.relu(x)
    return x * x  # under autocast, square() would be in fp32


class Block(nn.Module):
    """Of GPT-2; of a looped network: no biases, RMS norms, of queries and keys too."""

    def __init__(self, looped, heads, width, dropout=0.0):
        super().__init__()
        self.looped, self.heads, self.dropout = looped, heads, dropout
        self.scale = 0.25 if looped else (width // heads) ** -0.5
        self.activation = relu_squared if looped else gelu
        self.norm_attention = rms_norm if looped else nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=not looped)
        self.projection = nn.Linear(width, width, bias=not looped)
        self.norm_mlp = rms_norm if looped else nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width, bias=not looped)
        self.down = nn.Linear(4 * width, width, bias=not looped)

    def dropped(self, x):
        return F.dropout(x, self.dropout) if self.training and self.dropout > 0 else x

    def forward(self, x):
        batch, length, width = x.shape
        qkv = self.qkv(self.norm_attention(x)).view(batch, length, 3, self.heads, -1)
        q, k, v = qkv.unbind(2)
        if self.looped:
            q, k = rms_norm(q).to(v.dtype), rms_norm(k).to(v.dtype)
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        mixed = attention(q, k, v, self.scale, self.dropout if self.training else 0.0)
        x = x + self.dropped(self.projection(mixed.transpose(1, 2).reshape(batch, length, width)))
        return x + self.dropped(self.down(self.activation(self.up(self.norm_mlp(x)))))


class Gpt2(nn.Module):
    def __init__(self, layers, heads, width, dropout=0.0, positions=512):
        super().__init__()
        self.dropout = dropout
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(positions, width)
        self.blocks = nn.ModuleList(Block(False, heads, width, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens, frozen=None):
        x = self.tokens(tokens) + self.positions.weight[: tokens.size(1)]
        x = F.dropout(x, self.dropout) if self.training and self.dropout > 0 else x
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.tokens.weight)
        return [torch.cat([logits[:, :1], logits[:, :-1]], dim=1)]  # n is read off state n-1


class Looped(nn.Module):
    """Blocks applied several times, the input added again before each loop, as in src/nn/looped.h."""

    def __init__(self, layers, loops, heads, width, positions, loop_norm=True,
                 frozen_embedding=False, short_stream=False):
        super().__init__()
        self.loops, self.loop_norm = loops, loop_norm
        self.short_stream = short_stream  # under autocast: what blocks add to is bf16
        self.tokens = nn.Embedding(VOCABULARY, width)
        self.positions = nn.Embedding(positions, width)
        self.frozen = nn.Embedding(2, width) if frozen_embedding else None
        self.blocks = nn.ModuleList(Block(True, heads, width) for _ in range(layers))
        self.head = nn.Linear(width, VOCABULARY, bias=False)
        for name, parameter in self.named_parameters():
            if "projection" in name or "down" in name or "head" in name:
                nn.init.zeros_(parameter)
            else:
                nn.init.normal_(parameter, std=0.5 / width**0.5 if "blocks" in name else 0.5)

    def matrices(self):
        """What Muon moves."""
        return [parameter for parameter in self.blocks.parameters()]

    def forward(self, tokens, frozen=None):
        e = self.tokens(tokens) + self.positions.weight[: tokens.size(1)]
        if self.frozen is not None:
            e = e + self.frozen(frozen.long())
        if self.short_stream and torch.is_autocast_enabled():
            e = e.to(torch.get_autocast_gpu_dtype())
        x, logits = e, []
        for loop in range(self.loops):
            for block in self.blocks:
                x = block(x)
            last = loop + 1 == self.loops
            normed = rms_norm(x) if last or self.training or self.loop_norm else None
            if last or self.training:
                logits.append(self.head(normed))
            if not last:
                x = (normed if self.loop_norm else x).to(e.dtype) + e
        return logits
