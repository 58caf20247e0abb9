"""A looped network of mgdm in Hugging Face's transformers; `mgdm export --transformers` wrote this.

    model = AutoModel.from_pretrained(FOLDER, trust_remote_code=True)
    logits = model(input_ids, given).logits  # (B, N, V), position n about token n

input_ids (B, N) are a puzzle's row with [MASK] where the answer is hidden, `given` (B, N) says
which tokens are the puzzle's. Rows have one length: there is no padding to leave out.

    e = tokens + positions (+ given or not);  x = e
    for each loop:  after the first  x = norm(x) + e  or  x += e;  x = blocks(x)
    logits = head(norm(x))
"""
import torch
from torch import nn
from transformers import PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import MaskedLMOutput

MASK = 2  # the token [MASK]
ATTENTION_SCALE = 0.25


def norm(x):
    """An RMS norm without weights."""
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6)


def tensors(**shapes):
    """A module with parameters of these shapes."""
    module = nn.Module()
    for name, shape in shapes.items():
        module.register_parameter(name, nn.Parameter(torch.empty(shape)))
    return module


class MgdmConfig(PretrainedConfig):
    model_type = "mgdm_looped"

    def __init__(self, mgdm=None, **kwargs):
        self.mgdm = mgdm  # config.json's own block of mgdm
        super().__init__(**kwargs)


class MgdmLooped(PreTrainedModel):
    config_class = MgdmConfig

    def __init__(self, config):
        super().__init__(config)
        self.settings = config.mgdm["settings"]
        width, vocabulary = self.settings["width"], self.settings["vocabulary"]
        tables = {"tokens": (vocabulary, width), "positions": (self.settings["positions"], width)}
        if self.settings["frozen_embedding"]:
            tables["frozen"] = (2, width)
        self.embed = tensors(**tables)
        self.blocks = nn.ModuleList(
            tensors(qkv=(3 * width, width), projection=(width, width), up=(4 * width, width),
                    down=(width, 4 * width)) for _ in range(self.settings["layers"]))
        self.head = nn.Parameter(torch.empty(vocabulary, width))
        self.post_init()

    def _init_weights(self, module):
        """All weights come from the file."""

    def attention(self, block, x):
        batch, length, width = x.shape
        heads = self.settings["heads"]
        q, k, v = (x @ block.qkv.T).view(batch, length, 3, heads, width // heads).permute(
            2, 0, 3, 1, 4)  # (B, H, N, D) each
        scores = ATTENTION_SCALE * norm(q) @ norm(k).transpose(-1, -2)
        if self.settings["causal"]:
            later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
            scores = scores.masked_fill(later, float("-inf"))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, width)
        return mixed @ block.projection.T

    def forward(self, input_ids, given=None, loops=None):
        """given: default all tokens but [MASK]; loops: default as many as in training."""
        e = self.embed.tokens[input_ids] + self.embed.positions[:input_ids.shape[1]]
        if self.settings["frozen_embedding"]:
            given = input_ids != MASK if given is None else given
            e = e + self.embed.frozen[given.long()]
        x = e
        for loop in range(loops or self.settings["loops"]):
            if loop > 0:
                x = (norm(x) if self.settings["loop_norm"] else x) + e
            for block in self.blocks:
                x = x + self.attention(block, norm(x))
                x = x + (norm(x) @ block.up.T).relu().square() @ block.down.T
        logits = norm(x) @ self.head.T
        if self.settings["shift"]:  # position n comes from position n - 1
            logits = torch.cat([logits[:, :1], logits[:, :-1]], 1)
        return MaskedLMOutput(logits=logits)
