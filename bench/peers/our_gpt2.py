"""A GPT-2 that mgdm wrote, in PyTorch and back."""
import shutil

from our_files import safetensors, settings_of, write_safetensors
from torch_networks import Gpt2

NAMES = {"transformer.wte": "tokens", "transformer.wpe": "positions", "transformer.ln_f": "norm",
         "transformer.h": "blocks", "ln_1": "norm_attention", "attn.c_attn": "qkv",
         "attn.c_proj": "projection", "ln_2": "norm_mlp", "mlp.c_fc": "up", "mlp.c_proj": "down"}


def pytorch_name(name):
    for ours, theirs in NAMES.items():
        name = name.replace(ours, theirs)
    return name


def is_turned(name, tensor):
    """Files have the matrices of blocks turned, as GPT-2 was released."""
    return ".h." in name and tensor.dim() == 2


def in_pytorch(tensors, turned):
    """By PyTorch's names, and matrices as it has them."""
    return {pytorch_name(name):
            tensor.t().contiguous() if turned and is_turned(name, tensor) else tensor
            for name, tensor in tensors.items()}


def weights_of(checkpoint):
    weights = {}
    for file in sorted(checkpoint.glob("model*.safetensors")):
        weights.update(safetensors(file))
    return weights


def network(checkpoint, dropout=0.0):
    """The checkpoint's in PyTorch."""
    shape = settings_of(checkpoint)["settings"]
    model = Gpt2(shape["layers"], shape["heads"], shape["width"], dropout, shape["positions"])
    model.load_state_dict(in_pytorch(weights_of(checkpoint), turned=True))
    return model.eval()


def write_like(checkpoint, model, folder):
    """A folder like the checkpoint's, with the weights of the model in PyTorch."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(checkpoint / "config.json", folder)
    theirs, weights = model.state_dict(), {}
    for name in weights_of(checkpoint):
        tensor = theirs[pytorch_name(name)]
        weights[name] = tensor.t() if is_turned(name, tensor) else tensor
    write_safetensors(folder / "model.safetensors", weights)
