"""Neural reasoning by discrete diffusion.

    import mgdm
    answer = mgdm.load("sudoku").solve("8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..")
    print(answer.text, answer.correct, answer.passes)

__init__.pyi says what each function takes and returns, docs/python.md shows them.
"""
import os

from . import _mgdm
from ._mgdm import (Answer, Error, Judgement, Model, ModelPool, Puzzle, PuzzleCheck, Step, check,
                    label, normalize, read_puzzles, task_names)

__version__ = _mgdm.__version__

# Whether this module was built with LibTorch: it can train, and put models on GPUs.
has_training = hasattr(_mgdm, "train")
if has_training:
    from ._mgdm import TrainProgress

# The models that `pip install` put beside this file.
_MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def _text(value):
    """As recipes and flags write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _assignments(values):
    return [f"{name}={_text(value)}" for name, value in values.items()]


def load(name, *, device="auto", threads=0, batch=64, arithmetic="auto", deterministic=False):
    return _mgdm.load(os.fspath(name), device, threads, batch, _MODELS, arithmetic, deterministic)


def generate(task, count, *, seed=0, split="train", first=0, threads=1, **task_options):
    return _mgdm.generate(task, count, seed, split, first, threads,
                          " ".join(_assignments(task_options)))


def verify(task, puzzle, answer, solution=""):
    return _mgdm.verify(task, puzzle, answer, solution)


def train(recipe, out, overrides=None, *, threads=0, resume=False, quiet=True, on_progress=None):
    if not has_training:
        error = Error("this Python module was built without LibTorch: it cannot train "
                      "(try: CMAKE_ARGS=-DMGDM_TORCH=ON pip install .)")
        error.seen = "this Python module was built without LibTorch: it cannot train"
        error.hint = "CMAKE_ARGS=-DMGDM_TORCH=ON pip install ."
        raise error
    return _mgdm.train(os.fspath(recipe), os.fspath(out), _assignments(overrides or {}),
                       threads=threads, resume=resume, quiet=quiet, on_progress=on_progress)
