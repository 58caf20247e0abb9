#!/usr/bin/env python3
"""Judges ways through mazes, a JSON line for a JSON line, as `mgdm --verifier` asks for it."""
import json
import sys


def fault(puzzle, answer):
    """What is wrong with an answer; None if it is a way from S to G without detours."""
    if len(answer) != len(puzzle):
        return "it has another size"
    for was, now in zip(puzzle, answer):
        if was != now and not (was == "." and now == "o"):
            return f"{was!r} became {now!r}"
    rows = answer.split("\n")
    squares = {(r, c): rows[r][c] for r in range(len(rows)) for c in range(len(rows[r]))}
    square = next(at for at, what in squares.items() if what == "S")
    walked = {square}
    while True:
        r, c = square
        beside = [at for at in ((r, c + 1), (r + 1, c), (r, c - 1), (r - 1, c)) if at not in walked]
        if any(squares[at] == "G" for at in beside):
            left = sum(what == "o" for what in squares.values()) - (len(walked) - 1)
            return f"{left} squares lie beside the way" if left else None
        on = [at for at in beside if squares[at] == "o"]
        if len(on) != 1:
            return "the way ends" if not on else "the way forks"
        square = on[0]
        walked.add(square)


for line in sys.stdin:
    asked = json.loads(line)
    why = fault(asked["input"], asked["answer"])
    print(json.dumps({"score": 0, "why": why} if why else {"score": 1}), flush=True)
