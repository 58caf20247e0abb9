# What the module has, for editors and type checkers. docs/python.md shows it in use.
import os
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str
has_training: bool  # built with LibTorch: train() works, and models run on GPUs

class Error(Exception):
    """What mgdm refused, and why. str() is the whole text; the parts may be empty."""
    seen: str  # "unknown task 'sudko'"
    expected: str  # "planning, ... or sat-9"
    hint: str  # "did you mean 'sudoku'?"

# ---- Puzzles: no network involved ----

def task_names() -> List[str]: ...

class Puzzle:
    input: str
    solution: str  # the label; empty when it is not known
    def __init__(self, input: str, solution: str = ...) -> None: ...

def generate(task: str, count: int, *, seed: int = 0, split: str = "train", first: int = 0,
             threads: int = 1, **task_options: Any) -> List[Puzzle]:
    """Puzzles with solutions; options of the task as mgdm generate has them: nodes=4."""

def read_puzzles(task: str, file: str) -> List[Puzzle]: ...

class Judgement:
    correct: bool
    correct_paper: bool  # by the metric of the paper's released code
    faults: List[str]

def verify(task: str, puzzle: str, answer: str, solution: str = "") -> Judgement: ...
def label(task: str, puzzle: str) -> Optional[str]:
    """The solution by exact search; None when the puzzle has none."""

def normalize(task: str, puzzle: str) -> str:
    """The puzzle as the task writes it."""

class PuzzleCheck:
    puzzle: str  # normalized
    contradiction: str  # an obvious reason why it has no solution, or ""
    unfamiliar: str  # how it differs from generated puzzles, or ""

def check(task: str, puzzle: str) -> PuzzleCheck: ...

# ---- Models ----

class Step:
    """The state of a puzzle after a pass."""
    puzzle: int  # its place in the list, from 0
    attempt: int  # which try ...
    index: int  # ... and which pass of it, from 0
    text: str  # the answer so far, "_" where it is hidden
    confidence: List[float]  # of each character, 0 to 1

class Answer:
    puzzle: str  # as the task writes it
    text: str
    correct: Optional[bool]  # None: the answer cannot be checked
    faults: List[str]
    passes: int
    trace: List[Step]  # every pass, if trace=True
    error: Optional[Error]  # solve_all only: why there is no answer

OnStep = Callable[[Step], Optional[bool]]  # only False ends the puzzle
Verdict = Union[bool, float, Tuple[float, str]]  # right or not; a score up to 1; with the reason
Choice = Optional[str]
Number = Optional[float]
Count = Optional[int]

class _Solver:
    def solve(self, puzzle: str, *, trace: bool = True, on_step: Optional[OnStep] = None,
              steps: Count = None, order: Choice = None, schedule: Choice = None,
              revise: Choice = None, noise: Number = None, temperature: Number = None,
              threshold: Number = None, entropy_bound: Number = None,
              early_stop: Optional[bool] = None, loops: Count = None, symmetries: Count = None,
              tries: Count = None, seed: Count = None, first: Count = None) -> Answer:
        """Options are those of mgdm solve; what is None is the model's own."""
    def solve_all(self, puzzles: Sequence[str], *, trace: bool = False,
                  on_step: Optional[OnStep] = None, steps: Count = None, order: Choice = None,
                  schedule: Choice = None, revise: Choice = None, noise: Number = None,
                  temperature: Number = None, threshold: Number = None,
                  entropy_bound: Number = None, early_stop: Optional[bool] = None,
                  loops: Count = None, symmetries: Count = None, tries: Count = None,
                  seed: Count = None, first: Count = None) -> List[Answer]:
        """Faster than one by one. A puzzle's error is in its answer; the others are answered."""

class Model(_Solver):
    """Serves one thread at a time: clone() it for others, or use a ModelPool."""
    folder: str
    task: str
    objective: str
    architecture: str
    parameters: int
    device: str
    arithmetic: str
    vocabulary: List[str]  # the text of each token; empty for language models
    decoding: Dict[str, Any]  # its own options
    def clone(self, threads: int = 1) -> Model:
        """The same weights for another thread. CPU only."""
    def check(self, puzzle: str) -> PuzzleCheck: ...
    def use_verifier(self, verifier: Callable[[str, str], Verdict]) -> None:
        """Lets verifier(puzzle, answer) judge answers; models of the task text only."""
    def encode(self, puzzle: str) -> Tuple[NDArray[np.int32], NDArray[np.bool_]]:
        """(tokens, given), (N) each: [MASK] where the answer is hidden, and what is given."""
    def decode(self, tokens: ArrayLike, given: Optional[ArrayLike] = None) -> str: ...
    def logits(self, tokens: ArrayLike, given: Optional[ArrayLike] = None,
               loops: int = 0) -> NDArray[np.float32]:
        """(N, V) of tokens (N), or (B, N, V) of (B, N). Default: all but [MASK] is given."""

class ModelPool(_Solver):
    """Clones of a model for many threads; a call waits while all clones are busy."""
    def __init__(self, model: Model, size: int = 0) -> None: ...

def load(name: Union[str, os.PathLike[str]], *, device: str = "auto", threads: int = 0,
         batch: int = 64, arithmetic: str = "auto", deterministic: bool = False) -> Model:
    """A model by name, or the folder of one."""

# ---- Training: where the module was built with LibTorch ----

class TrainProgress:
    step: int
    done: float  # 0 to 1
    metrics: Dict[str, float]  # what is logged at this step

def train(recipe: Union[str, os.PathLike[str]], out: Union[str, os.PathLike[str]],
          overrides: Optional[Mapping[str, Any]] = None, *, threads: int = 0,
          resume: bool = False, quiet: bool = True,
          on_progress: Optional[Callable[[TrainProgress], Optional[bool]]] = None) -> str:
    """Trains by a recipe, and returns the folder of the newest checkpoint. A callback that returns
    False or throws, and Ctrl-C, save a checkpoint first; resume=True goes on from there."""
