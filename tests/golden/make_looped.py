#!/usr/bin/env python3
"""Small random looped networks with their logits: tests/golden/looped.

  given/   a loop norm, and an embedding of what is given
  causal/  causal and shifted, without either

Each golden.json has the logits that modeling_mgdm.py computes in double precision.
Run it in this folder: python3 make_looped.py
"""
import json
import pathlib
import struct

import torch

import stand_in

HERE = pathlib.Path(__file__).resolve().parent
COMMON = {"architecture": "looped", "layers": 2, "heads": 2, "width": 16, "positions": 12,
          "loops": 3, "dropout": 0.0, "vectors": 0, "vocabulary": 9}
KINDS = {
    "given": {**COMMON, "causal": False, "shift": False, "frozen_embedding": True,
              "loop_norm": True},
    "causal": {**COMMON, "causal": True, "shift": True, "frozen_embedding": False,
               "loop_norm": False},
}


def weights(settings):
    width, words = settings["width"], settings["vocabulary"]
    shapes = {"embed.tokens": (words, width), "embed.positions": (settings["positions"], width)}
    if settings["frozen_embedding"]:
        shapes["embed.frozen"] = (2, width)
    for i in range(settings["layers"]):
        shapes.update({f"blocks.{i}.qkv": (3 * width, width),
                       f"blocks.{i}.projection": (width, width),
                       f"blocks.{i}.up": (4 * width, width),
                       f"blocks.{i}.down": (width, 4 * width)})
    shapes["head"] = (words, width)
    return {name: torch.randn(shape) * 0.4 for name, shape in shapes.items()}


def write_safetensors(file, tensors):
    header, at = {"__metadata__": {"format": "pt"}}, 0
    for name, tensor in tensors.items():
        size = 4 * tensor.numel()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file.write_bytes(struct.pack("<Q", len(text)) + text +
                     b"".join(tensor.numpy().tobytes() for tensor in tensors.values()))


torch.manual_seed(1)
for name, settings in KINDS.items():
    folder = HERE / "looped" / name
    folder.mkdir(parents=True, exist_ok=True)
    objective = "ar" if settings["causal"] else "mgdm"
    config = {"architectures": ["MgdmLooped"], "model_type": "mgdm_looped",
              "hidden_size": settings["width"], "num_hidden_layers": settings["layers"],
              "num_attention_heads": settings["heads"],
              "max_position_embeddings": settings["positions"], "num_loops": settings["loops"],
              "vocab_size": settings["vocabulary"], "tie_word_embeddings": False,
              "torch_dtype": "float32",
              "mgdm": {"settings": settings, "alphabet": "abcd",
                       "card": {"task": "text", "layout": "seq2seq",
                                "length": settings["positions"], "objective": objective}}}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    write_safetensors(folder / "model.safetensors", weights(settings))
    tokens = torch.randint(0, settings["vocabulary"], (2, settings["positions"]))
    given = torch.randint(0, 2, tokens.shape)
    model = stand_in.load(folder, HERE.parents[1] / "src/model_files/modeling_mgdm.py").double()
    with torch.no_grad():
        logits = {loops: model(tokens, given, loops).logits.flatten() for loops in (3, 5)}
    golden = {"tokens": tokens.tolist(), "given": given.tolist(),
              "logits": {loops: [round(x, 6) for x in values.tolist()]
                         for loops, values in logits.items()}}
    (folder / "golden.json").write_text(json.dumps(golden) + "\n")
