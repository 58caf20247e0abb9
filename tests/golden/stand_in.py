"""Loads modeling_mgdm.py and weights without transformers and safetensors, for tests."""
import dataclasses
import importlib.util
import json
import pathlib
import sys
import types

import torch

DTYPES = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16}


class PretrainedConfig:
    def __init__(self, **fields):
        self.__dict__.update(fields)


class PreTrainedModel(torch.nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config

    def post_init(self):
        pass


@dataclasses.dataclass
class MaskedLMOutput:
    logits: torch.Tensor


def read_safetensors(file):
    data = pathlib.Path(file).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8:8 + size])
    header.pop("__metadata__", None)
    return {name: torch.frombuffer(bytearray(data[8 + size + at["data_offsets"][0]:
                                                  8 + size + at["data_offsets"][1]]),
                                   dtype=DTYPES[at["dtype"]]).view(at["shape"])
            for name, at in header.items()}


def load(folder, modeling=None):
    """The model in a folder, as AutoModel.from_pretrained has it, in float32."""
    folder = pathlib.Path(folder)
    stand_in = types.ModuleType("transformers")
    stand_in.PretrainedConfig, stand_in.PreTrainedModel = PretrainedConfig, PreTrainedModel
    outputs = types.ModuleType("transformers.modeling_outputs")
    outputs.MaskedLMOutput = MaskedLMOutput
    sys.modules.setdefault("transformers", stand_in)
    sys.modules.setdefault("transformers.modeling_outputs", outputs)
    spec = importlib.util.spec_from_file_location("modeling_mgdm",
                                                  modeling or folder / "modeling_mgdm.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = module.MgdmConfig(**json.loads((folder / "config.json").read_text()))
    model = getattr(module, config.architectures[0])(config)
    model.load_state_dict(read_safetensors(folder / "model.safetensors"))
    return model.float()
