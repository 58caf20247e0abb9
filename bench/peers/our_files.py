"""What mgdm writes and reads, for PyTorch."""
import json
import struct

import torch

ALPHABET, PAD, SEP, EOS, FIRST = "0123456789*+-/=,abcdefghij", 0, 1, 3, 5


def safetensors(path):
    """The tensors of a file, by name."""
    data = path.read_bytes()
    size, = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    tensors = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32", f"{name} is {entry['dtype']}"
        begin, end = entry["data_offsets"]
        numbers = torch.frombuffer(bytearray(data[8 + size + begin : 8 + size + end]),
                                   dtype=torch.float32)
        tensors[name] = numbers.view(entry["shape"])
    return tensors


def write_safetensors(path, tensors):
    """In fp32."""
    header, parts, end = {}, [], 0
    for name, tensor in tensors.items():
        parts.append(tensor.float().cpu().contiguous().numpy().tobytes())
        header[name] = {"dtype": "F32", "shape": list(tensor.shape),
                        "data_offsets": [end, end + len(parts[-1])]}
        end += len(parts[-1])
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)  # numbers begin at a multiple of 8
    beside = path.with_suffix(".part")  # so that a run that is cut off now leaves the file before it
    beside.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
    beside.replace(path)


def settings_of(checkpoint):
    return json.loads((checkpoint / "config.json").read_text())["mgdm"]


def logged(run, step):
    """The metrics of a step."""
    lines = map(json.loads, (run / "metrics.jsonl").read_text().splitlines())
    return next(line for line in lines if line["step"] == step and "loss" in line)


def ids(text):
    return [FIRST + ALPHABET.index(character) for character in text]


def text_of(tokens):
    """Without special tokens, wherever they stand."""
    return "".join(ALPHABET[token - FIRST] for token in tokens if token >= FIRST)


def rows_of(path, length):
    """(tokens, frozen) of a file that mgdm generate wrote, or the paper's authors."""
    lines = path.read_text().splitlines()
    tokens, frozen = [], []
    if path.suffix == ".csv":
        for puzzle, solution in (line.split(",") for line in lines[1:]):
            tokens.append(ids(solution))
            frozen.append([digit != "0" for digit in puzzle])
    else:
        for example in map(json.loads, lines):
            given = ids(example["input"]) + [SEP]
            row = given + ids(example["output"]) + [EOS]
            tokens.append(row + [PAD] * (length - len(row)))
            frozen.append([n < len(given) for n in range(length)])
    return torch.tensor(tokens), torch.tensor(frozen)
