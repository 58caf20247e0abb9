#!/usr/bin/env python3
"""Small random LLaMAs with their logits, greedy tokens and LoRA files: tests/golden/llama.

  llama2/    every query head has keys and values of its own, a head of its own; in two shards
  llama3/    two query heads share keys and values, the head is the embedding, rope_scaling llama3
  lora/      PEFT's files for llama2, rank 4

Each golden.json says in made_by which library computed it: transformers and peft where they are
installed, otherwise the plain reference below (--reference asks for it), in double precision and
with rotary positions as explicit rotations. Run it in this folder: python3 make_llama.py
"""
import argparse
import json
import math
import os
import struct

import torch

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "llama")
COMMON = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 32,
          "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 40, "hidden_act": "silu",
          "max_position_embeddings": 64, "attention_bias": False, "mlp_bias": False,
          "bos_token_id": 1, "eos_token_id": 2, "torch_dtype": "float32"}
CONFIGS = {
    "llama2": {**COMMON, "num_key_value_heads": 4, "intermediate_size": 48, "rms_norm_eps": 1e-6,
               "rope_theta": 10000.0, "rope_scaling": None, "tie_word_embeddings": False},
    "llama3": {**COMMON, "num_key_value_heads": 2, "intermediate_size": 40, "rms_norm_eps": 1e-5,
               "head_dim": 8, "rope_theta": 500.0, "tie_word_embeddings": True,
               "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                "high_freq_factor": 4.0, "original_max_position_embeddings": 16}},
}
PROJECTIONS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
RANK, ALPHA = 4, 6


def shapes(config):
    width, hidden, heads = config["hidden_size"], config["intermediate_size"], config["num_attention_heads"]
    size = config.get("head_dim", width // heads)
    queries, keys = heads * size, config["num_key_value_heads"] * size
    found = {"model.embed_tokens.weight": (config["vocab_size"], width)}
    for i in range(config["num_hidden_layers"]):
        block = f"model.layers.{i}."
        found.update({
            block + "self_attn.q_proj.weight": (queries, width),
            block + "self_attn.k_proj.weight": (keys, width),
            block + "self_attn.v_proj.weight": (keys, width),
            block + "self_attn.o_proj.weight": (width, queries),
            block + "mlp.gate_proj.weight": (hidden, width),
            block + "mlp.up_proj.weight": (hidden, width),
            block + "mlp.down_proj.weight": (width, hidden),
            block + "input_layernorm.weight": (width,),
            block + "post_attention_layernorm.weight": (width,)})
    found["model.norm.weight"] = (width,)
    if not config["tie_word_embeddings"]:
        found["lm_head.weight"] = (config["vocab_size"], width)
    return found


def random_weights(config, seed):
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for name, shape in shapes(config).items():
        numbers = torch.randn(shape, generator=generator)
        weights[name] = 1 + 0.2 * numbers if len(shape) == 1 else numbers / math.sqrt(shape[1]) * 1.3
    return weights


def random_lora(config, seed):
    generator = torch.Generator().manual_seed(seed)
    matrices = {}
    for name, shape in shapes(config).items():
        if name.split(".")[-2] in PROJECTIONS:
            stem = name[:-len(".weight")]
            matrices[stem + ".lora_A.weight"] = torch.randn((RANK, shape[1]), generator=generator) * 0.2
            matrices[stem + ".lora_B.weight"] = torch.randn((shape[0], RANK), generator=generator) * 0.2
    return matrices


def write_safetensors(path, tensors):
    header, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, value in tensors.items():
        size = 4 * value.numel()
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for value in tensors.values():
            file.write(value.float().contiguous().numpy().tobytes())


def frequencies(config, size):
    found = []
    for i in range(size // 2):
        frequency = config["rope_theta"] ** (-2 * i / size)
        scaling = config["rope_scaling"]
        if scaling:
            wave = 2 * math.pi / frequency
            original = scaling["original_max_position_embeddings"]
            low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
            if wave > original / low:
                frequency /= scaling["factor"]
            elif wave > original / high:
                smooth = (original / wave - low) / (high - low)
                frequency = (1 - smooth) * frequency / scaling["factor"] + smooth * frequency
        found.append(frequency)
    return found


def reference_logits(config, weights, tokens):
    """Logits (N, V) of one sequence, in double precision, head by head and position by position."""
    weights = {name: value.double() for name, value in weights.items()}
    heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
    size = config.get("head_dim", config["hidden_size"] // heads)
    turn = frequencies(config, size)
    eps = config["rms_norm_eps"]

    def norm(x, name):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * weights[name]

    def rotated(vector, position):
        out = vector.clone()
        for i, frequency in enumerate(turn):
            c, s = math.cos(position * frequency), math.sin(position * frequency)
            a, b = vector[i], vector[i + size // 2]
            out[i], out[i + size // 2] = a * c - b * s, a * s + b * c
        return out

    x = weights["model.embed_tokens.weight"][torch.tensor(tokens)]
    for layer in range(config["num_hidden_layers"]):
        block = f"model.layers.{layer}."

        def project(v, name):
            return v @ weights[block + name + ".weight"].T

        n = norm(x, block + "input_layernorm.weight")
        q = project(n, "self_attn.q_proj").view(len(tokens), heads, size)
        k = project(n, "self_attn.k_proj").view(len(tokens), groups, size)
        v = project(n, "self_attn.v_proj").view(len(tokens), groups, size)
        mixed = torch.zeros(len(tokens), heads, size, dtype=torch.double)
        for head in range(heads):
            group = head * groups // heads
            keys = torch.stack([rotated(k[m, group], m) for m in range(len(tokens))])
            for position in range(len(tokens)):
                query = rotated(q[position, head], position)
                scores = keys[:position + 1] @ query / math.sqrt(size)
                mixed[position, head] = torch.softmax(scores, 0) @ v[:position + 1, group]
        x = x + project(mixed.view(len(tokens), -1), "self_attn.o_proj")
        n = norm(x, block + "post_attention_layernorm.weight")
        gate = project(n, "mlp.gate_proj")
        x = x + project(gate * torch.sigmoid(gate) * project(n, "mlp.up_proj"), "mlp.down_proj")
    head = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
    return norm(x, "model.norm.weight") @ head.T


def with_lora(weights, matrices):
    merged = dict(weights)
    for name in weights:
        stem = name[:-len(".weight")]
        if stem + ".lora_A.weight" in matrices:
            a, b = matrices[stem + ".lora_A.weight"].double(), matrices[stem + ".lora_B.weight"].double()
            merged[name] = weights[name].double() + ALPHA / RANK * b @ a
    return merged


class Reference:
    made_by = f"plain PyTorch {torch.__version__}, tests/golden/make_llama.py"

    def __init__(self, config, weights, matrices=None):
        self.config = config
        self.weights = with_lora(weights, matrices) if matrices else weights

    def logits(self, tokens):
        return reference_logits(self.config, self.weights, tokens)


class Transformers:
    def __init__(self, config, weights, matrices=None):
        import transformers
        self.made_by = f"transformers {transformers.__version__}"
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**config)).eval()
        model.load_state_dict(weights, strict=not config["tie_word_embeddings"])
        if config["tie_word_embeddings"]:
            model.tie_weights()
        if matrices:
            import peft
            self.made_by += f", peft {peft.__version__}"
            model = peft.get_peft_model(model, peft.LoraConfig(
                r=RANK, lora_alpha=ALPHA, target_modules=PROJECTIONS, task_type="CAUSAL_LM"))
            named = {"base_model.model." + name: value for name, value in matrices.items()}
            peft.set_peft_model_state_dict(model, named)
        self.model = model

    def logits(self, tokens):
        with torch.no_grad():
            return self.model(torch.tensor([tokens])).logits[0]


def write_golden(folder, model):
    generator = torch.Generator().manual_seed(7)
    rows = torch.randint(3, 40, (2, 20), generator=generator).tolist()
    prompt = rows[0][:5]
    greedy = list(prompt)
    for _ in range(12):
        greedy.append(int(model.logits(greedy)[-1].argmax()))
    content = {"made_by": model.made_by, "tokens": rows,
               "logits": [[[round(x, 6) for x in position] for position in model.logits(row).tolist()]
                          for row in rows],
               "prompt": prompt, "greedy": greedy[len(prompt):]}
    with open(os.path.join(folder, "golden.json"), "w") as file:
        json.dump(content, file, separators=(",", ":"))
        file.write("\n")


def write_model(name, config, weights, shards):
    folder = os.path.join(FOLDER, name)
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=2)
        file.write("\n")
    if shards == 1:
        write_safetensors(os.path.join(folder, "model.safetensors"), weights)
        return folder
    names = list(weights)
    index = {"metadata": {"total_size": 4 * sum(v.numel() for v in weights.values())}, "weight_map": {}}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = names[len(names) * i // shards:len(names) * (i + 1) // shards]
        write_safetensors(os.path.join(folder, file), {n: weights[n] for n in part})
        index["weight_map"].update({n: file for n in part})
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as file:
        json.dump(index, file, indent=1)
        file.write("\n")
    return folder


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--reference", action="store_true", help="without transformers and peft")
    made = Reference if parser.parse_args().reference else Transformers
    for seed, (name, config) in enumerate(CONFIGS.items()):
        weights = random_weights(config, seed)
        folder = write_model(name, config, weights, shards=2 if name == "llama2" else 1)
        write_golden(folder, made(config, weights))
    config = CONFIGS["llama2"]
    weights, matrices = random_weights(config, 0), random_lora(config, 5)
    folder = os.path.join(FOLDER, "lora")
    os.makedirs(folder, exist_ok=True)
    write_safetensors(os.path.join(folder, "adapter_model.safetensors"),
                      {"base_model.model." + name: value for name, value in matrices.items()})
    with open(os.path.join(folder, "adapter_config.json"), "w") as file:
        json.dump({"auto_mapping": None, "base_model_name_or_path": "../llama2", "bias": "none",
                   "fan_in_fan_out": False, "inference_mode": True, "init_lora_weights": True,
                   "layers_to_transform": None, "lora_alpha": ALPHA, "lora_dropout": 0.0,
                   "modules_to_save": None, "peft_type": "LORA", "r": RANK, "rank_pattern": {},
                   "alpha_pattern": {}, "target_modules": PROJECTIONS, "task_type": "CAUSAL_LM",
                   "use_dora": False, "use_rslora": False}, file, indent=2)
        file.write("\n")
    write_golden(folder, made(config, weights, matrices))


if __name__ == "__main__":
    main()
