"""What our program is asked to run: the recipe of a row and what is changed in it."""
import contextlib
import json
import pathlib
import tempfile

from turns import ROOT

TASKS = {64: "countdown-4", 75: "planning", 164: "sudoku", 325: "sat-9"}  # of GPT-2, by length
# Countdown in characters, as the peer has it; hard Sudokus take long to make, and cost the same.
FRONTIER = {
    "looped": ("countdown-4", ["data.alphabet=", "data.sources=[]", "data.length=52",
                               "model.positions=52"]),
    "in-place": ("sudoku", ["data.sources=[]", "training.rounds=1"]),
}


@contextlib.contextmanager
def recipe_of(model, length, dropout=None):
    """[recipe, key=value, ...] as words of a command line. The looped networks have no dropout."""
    if model in FRONTIER:
        name, changes = FRONTIER[model]
        yield [ROOT / f"recipes/frontier/{name}.toml", *changes]
        return
    with tempfile.TemporaryDirectory(prefix="mgdm-peers-") as folder:
        recipe = pathlib.Path(folder, "recipe.toml")
        parts = [ROOT / f"recipes/paper/parts/{part}.toml" for part in (model, TASKS[length], "mgdm")]
        recipe.write_text(f"extends = {json.dumps([str(part) for part in parts])}\n")
        changes = [f"data.length={length}"]
        yield [recipe, *changes, *([] if dropout is None else [f"model.dropout={dropout}"])]


def in_gib(result):
    """A result of mgdm bench, as peers tell theirs."""
    return {**result, "memory_gib": result["memory_bytes"] / 2**30}
