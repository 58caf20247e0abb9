"""mgdm from Python, step by step, as in a notebook: python3 examples/notebook.py

Each block between `# %%` lines is a cell; Jupyter, VS Code and Spyder run them one by one.
"""
# %% Load a model and solve a puzzle.
import mgdm

model = mgdm.load("quick-planning-mgdm")
print(model, "with", model.parameters, "parameters on", model.device)
puzzle = mgdm.generate("planning", 1, split="test", nodes=4)[0]
answer = model.solve(puzzle.input)
print(puzzle.input, "->", answer.text, "correct" if answer.correct else answer.faults)

# %% Watch it think: the trace has every pass.
for step in answer.trace:
    print(f"{step.index + 1:3}  {step.text}")

# %% Solve many at once. A text that is no puzzle has its error beside the others' answers.
puzzles = [p.input for p in mgdm.generate("planning", 20, split="test", seed=1, nodes=4)]
answers = model.solve_all(puzzles + ["nonsense"], steps=4)
print(sum(a.correct is True for a in answers), "of", len(puzzles), "right;", answers[-1].error.seen)

# %% Judge and label without a network.
print(mgdm.verify("countdown-4", "86,28,13,31,96", "86+28=114").faults[0])
print(mgdm.label("countdown-4", "4,5,6,10,24"))

# %% What the network says: log-probabilities of the first hidden token.
import numpy as np

tokens, given = model.encode(puzzle.input)
logits = model.logits(tokens)
first = int(np.flatnonzero(~given)[0])
log_probs = logits[first] - np.logaddexp.reduce(logits[first])
for token in np.argsort(-log_probs)[:3]:
    print(f"{model.vocabulary[token]!r:9} {np.exp(log_probs[token]):.3f}")

# %% Use all cores for callers with one puzzle each.
from concurrent.futures import ThreadPoolExecutor

pool = mgdm.ModelPool(model)
with ThreadPoolExecutor(8) as threads:
    right = sum(threads.map(lambda p: pool.solve(p).correct, puzzles))
print(right, "of", len(puzzles), "right by a pool")
