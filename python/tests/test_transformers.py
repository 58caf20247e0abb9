"""`mgdm export --transformers`: its modelling file gives the logits that mgdm gives.

PYTHONPATH=BUILD/python python3 test_transformers.py PROGRAM, where PROGRAM is mgdm itself."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
    import torch
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed (python3-numpy, python3-torch)")
    sys.exit(77)

import mgdm

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "golden"))
import stand_in

PROGRAM = sys.argv.pop(1)


def load(folder):
    """By transformers where it is installed."""
    try:
        from transformers import AutoModel
        AutoModel.from_pretrained
    except (ImportError, AttributeError):
        return stand_in.load(folder)
    return AutoModel.from_pretrained(folder, trust_remote_code=True)


class Export(unittest.TestCase):
    def compare(self, name, dtype):
        with tempfile.TemporaryDirectory() as place:
            folder = place + "/exported"
            subprocess.run([PROGRAM, "export", "--model", name, "--out", folder, "--dtype", dtype,
                            "--transformers", "--quiet"], check=True)
            ours, theirs = mgdm.load(folder, arithmetic="fp32"), load(folder)
        random = np.random.default_rng(1)
        length = theirs.settings["positions"]
        tokens = random.integers(0, theirs.settings["vocabulary"], (3, length), dtype=np.int32)
        given = random.random((3, length)) < 0.5
        for loops in (0, 2):
            with torch.no_grad():
                said = theirs(torch.from_numpy(tokens).long(), torch.from_numpy(given), loops)
            np.testing.assert_allclose(ours.logits(tokens, given, loops), said.logits.numpy(),
                                       rtol=0, atol=1e-4)

    def test_small_random_networks(self):
        for name in ("given", "causal"):
            with self.subTest(name):
                self.compare(str(SOURCE / "tests" / "golden" / "looped" / name), "fp32")

    def test_a_shipped_model(self):
        self.compare("quick-planning-mgdm", "bf16")

    def test_without_given_all_tokens_but_the_mask_are(self):
        folder = SOURCE / "tests" / "golden" / "looped" / "given"
        theirs = stand_in.load(folder, SOURCE / "src" / "model_files" / "modeling_mgdm.py")
        tokens, _ = mgdm.load(folder).encode("ab")
        with torch.no_grad():
            said = theirs(torch.from_numpy(tokens).long()[None]).logits[0]
        np.testing.assert_allclose(mgdm.load(folder).logits(tokens), said.numpy(), rtol=0, atol=1e-4)


if __name__ == "__main__":
    unittest.main()
